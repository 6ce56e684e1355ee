// profiling/binaries/unpack.h: compressed parts of a fat binary, unpacked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

namespace warpscope {

// An entry of this many bytes at most is unpacked: some ten times the largest cubin of cuBLAS.
inline constexpr std::uint64_t kMostUnpackedBytes = 256 << 20;

// Both give exactly `bytes` bytes. error: input: the packed text is damaged, or gives another
// number of bytes; resource: more than kMostUnpackedBytes.
//
// A block of LZ4 without a frame. source: LZ4 Block Format Description.
Result<std::string> unpack_lz4(std::string_view packed, std::uint64_t bytes,
                               const std::string& where);
// A frame of Zstandard. source: RFC 8878.
Result<std::string> unpack_zstd(std::string_view packed, std::uint64_t bytes,
                                const std::string& where);

}  // namespace warpscope
