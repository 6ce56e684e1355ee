// profiling/binaries/fat_binary.h: the entries of a fat binary: PTX and machine code for several
// architectures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// nvcc puts the code of one source file in a container. Entries are views of the bytes that they
// were read from; they are unpacked when they are needed.
//
//   for (const FatEntry& entry : read_containers(section, where).entries)
//     if (entry.kind == FatEntry::Kind::ptx) use(unpacked(entry, where));

namespace warpscope {

struct FatEntry {
  // undecoded: neither PTX nor machine code, or in a form that is not known.
  enum class Kind { ptx, machine_code, undecoded };
  enum class Packing { none, lz4, zstd };
  Kind kind = Kind::undecoded;
  Packing packing = Packing::none;
  int compute_capability = 0;
  char features = 0;  // 'a' of sm_90a, 'f' of sm_100f; 0: none
  std::string_view bytes;
  std::uint64_t unpacked_bytes = 0;
  std::string undecoded;  // what it is, where it is not decoded
};

struct FatContainers {
  std::vector<FatEntry> entries;
  std::string damage;  // why reading ended before the end; empty: it did not
};

bool is_fat_binary(std::string_view bytes);
// The entries of all containers that follow each other, with or without gaps.
FatContainers read_containers(std::string_view bytes);
// Text of PTX without the zeros at its end, or machine code. error: as unpack_zstd; input, of one
// that is not decoded.
Result<std::string> unpacked(const FatEntry& entry, const std::string& where);

}  // namespace warpscope
