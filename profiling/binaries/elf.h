// profiling/binaries/elf.h: the sections and symbols of a 64-bit ELF file: a cubin, an object file,
// a library or a program.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// Nothing is copied: sections and names are views of the file's bytes, which must outlive them. All
// that is read lies inside the file, and takes time and memory in proportion to its size.
//
//   const Result<ElfFile> elf = read_elf(bytes, "kernel.cubin");
//   if (const ElfSection* code = elf->section(".text.saxpy")) …

namespace warpscope {

// source: System V ABI, "Object Files".
inline constexpr std::uint32_t kElfNoBits = 8;       // type of a section without bytes in the file
inline constexpr std::uint32_t kElfRelocations = 4;  // SHT_RELA
inline constexpr std::uint32_t kElfCudaInfo = 0x70000000;  // the first of CUDA's own types
inline constexpr std::uint16_t kElfMachineCuda = 190;      // EM_CUDA

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;  // also of one without bytes in the file
  std::string_view bytes;
};

struct ElfSymbol {
  std::string_view name;
  std::uint8_t kind = 0;              // lower four bits of st_info
  std::uint8_t other = 0;             // st_other
  std::uint16_t section = 0;          // 0: another object defines it
  std::uint64_t value = 0, size = 0;  // its place in the section, its bytes
};
inline constexpr std::uint8_t kElfFunction = 2;  // kind of a function's symbol

struct ElfFile {
  std::uint16_t type = 0, machine = 0;
  std::uint8_t abi_version = 0;
  std::uint32_t flags = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;  // of .symtab, in its order

  const ElfSection* section(std::string_view name) const;  // the first of that name; null: none
};

bool is_elf(std::string_view bytes);
// error: input: it is not a 64-bit little-endian ELF file, or is cut off, or its parts overlap.
Result<ElfFile> read_elf(std::string_view bytes, const std::string& where);

}  // namespace warpscope
