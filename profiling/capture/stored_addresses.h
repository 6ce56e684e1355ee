// profiling/capture/stored_addresses.h: addresses that captured memory holds, moved to where the
// replay has that memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/capture/capture.h"
#include "scenes/base/array.h"

// A list of pointers or a linked structure lies in memory with the program's addresses. They are
// found by scanning: an aligned word whose value is an address inside captured memory counts as a
// pointer. A scene has them as an array of its own beside the buffer that holds them, three
// numbers each: the byte that the address begins at, the number of the buffer that it leads to, and
// the byte there.
// The engines put the addresses of their own buffers in, before states are kept and before the
// first run.
//
//   StoredAddresses found = stored_addresses(capture, memory, bytes);
//   std::string name = address_table_of("arg1");         // "arg1_addresses"

namespace warpscope {

struct StoredAddress {
  std::int64_t at = 0;       // byte in the holder
  std::uint32_t memory = 0;  // of the capture that it leads to
  std::int64_t offset = 0;   // byte there
  bool operator==(const StoredAddress&) const = default;
};

// The addresses in the bytes of a memory of the capture.
std::vector<StoredAddress> stored_addresses(const Capture& capture, std::size_t memory,
                                            std::string_view bytes);

// The array with the addresses in a buffer, and the one for what its reference holds.
std::string address_table_of(const std::string& buffer);
// The number of a buffer in such arrays. It depends on its name alone.
std::int64_t address_target_of(const std::string& buffer);
// The array's numbers.
std::vector<std::int64_t> address_table(const std::vector<StoredAddress>& addresses,
                                        const std::vector<std::string>& buffer_of_memory);

// The buffers of a scene in which addresses are stored, each with its array.
std::map<std::string, std::string> address_holders(const std::vector<BufferSpec>& buffers);
// Puts addresses into the bytes of a buffer; `addresses`: of buffers, by number. What would lie
// outside is left out.
void place_addresses(std::span<const std::int64_t> table,
                     const std::map<std::int64_t, std::uint64_t>& addresses,
                     std::span<std::byte> bytes);

}  // namespace warpscope
