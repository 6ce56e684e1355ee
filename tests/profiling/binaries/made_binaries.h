// tests/profiling/binaries/made_binaries.h: ELF files, cubins and fat binaries written byte by
// byte.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The forms are those that nvcc 13.0 writes. Tests that have nvcc compare the reader with its
// files; these need no compiler, and can be wrong in any way that a test wants.

namespace warpscope {

template <typename T>
std::string little_endian(T value, std::size_t bytes = sizeof(T)) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i)
    text += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xFF);
  return text;
}

struct MadeSection {
  std::string name, bytes;
  std::uint32_t type = 1, link = 0, info = 0;
  std::uint64_t flags = 0;
  std::uint64_t size = 0;  // of one without bytes (type 8)
};

struct MadeElf {
  std::uint16_t type = 2, machine = 190;
  std::uint8_t abi_version = 8;
  std::uint32_t flags = 0x6005a04;  // sm_90
  std::vector<MadeSection> sections;

  std::string bytes() const {
    std::string names(1, '\0'), contents;
    std::vector<MadeSection> all = {{"", "", 0}};
    all.insert(all.end(), sections.begin(), sections.end());
    all.push_back({".shstrtab", "", 3});
    std::string rows;
    for (const MadeSection& s : all) names += s.name + '\0';
    all.back().bytes = names;
    std::size_t name = 1;
    for (const MadeSection& s : all) {
      rows += little_endian<std::uint32_t>(s.type == 0 ? 0 : static_cast<std::uint32_t>(name));
      name += s.name.size() + 1;
      const std::uint64_t size = s.type == 8 ? s.size : s.bytes.size();
      rows += little_endian(s.type) + little_endian(s.flags) + std::string(8, '\0') +
              little_endian<std::uint64_t>(64 + contents.size()) + little_endian(size) +
              little_endian(s.link) + little_endian(s.info) + std::string(16, '\0');
      if (s.type != 8) contents += s.bytes;
    }
    std::string head(
        "\x7f"
        "ELF\x02\x01\x01\x41",
        8);
    head += static_cast<char>(abi_version) + std::string(7, '\0');
    head += little_endian(type) + little_endian(machine) + little_endian<std::uint32_t>(1) +
            std::string(16, '\0') + little_endian<std::uint64_t>(64 + contents.size()) +
            little_endian(flags) + little_endian<std::uint16_t>(64) + std::string(4, '\0') +
            little_endian<std::uint16_t>(64) +
            little_endian(static_cast<std::uint16_t>(all.size())) +
            little_endian(static_cast<std::uint16_t>(all.size() - 1));
    return head + contents + rows;
  }
};

// A record of a .nv.info section with bytes after it.
inline std::string info_record(std::uint8_t what, const std::string& bytes) {
  return std::string("\x04") + static_cast<char>(what) +
         little_endian(static_cast<std::uint16_t>(bytes.size())) + bytes;
}
inline std::string parameter_record(std::uint16_t ordinal, std::uint16_t offset,
                                    std::uint32_t bytes) {
  return info_record(0x17, std::string(4, '\0') + little_endian(ordinal) + little_endian(offset) +
                               little_endian<std::uint32_t>(bytes << 18 | 0x1f000));
}

// A cubin of one kernel of two parameters: 40 registers, 512 bytes of shared memory, at most 256
// threads per block.
inline MadeElf made_cubin(const std::string& kernel = "k") {
  MadeElf elf;
  const std::string symbols = std::string(24, '\0') + little_endian<std::uint32_t>(1) + '\x12' +
                              '\x10' + little_endian<std::uint16_t>(3) + std::string(16, '\0');
  elf.sections = {
      {".strtab", '\0' + kernel + '\0', 3},
      {".symtab", symbols, 2, 1, 1},
      {".text." + kernel, std::string(128, '\x55'), 1, 2, 1},
      {".nv.info",
       info_record(0x2f, little_endian<std::uint64_t>(1 | 40ULL << 32)) +
           info_record(0x11, little_endian<std::uint64_t>(1 | 16ULL << 32)),
       0x70000000},
      {".nv.info." + kernel,
       parameter_record(1, 8, 4) + parameter_record(0, 0, 8) + std::string("\x03\x1b\xff\0", 4) +
           info_record(0x05, little_endian<std::uint64_t>(256 | 1ULL << 32) +
                                 little_endian<std::uint32_t>(1)) +
           info_record(0x0a, little_endian<std::uint32_t>(7) + little_endian<std::uint16_t>(0x210) +
                                 little_endian<std::uint16_t>(12)),
       0x70000000},
      {".nv.constant0." + kernel, std::string(0x21c, '\0'), 1},
      {".nv.shared." + kernel, "", 8, 0, 0, 0, 1024 + 512},
  };
  return elf;
}

struct MadeEntry {
  std::uint16_t kind = 2;  // 1: PTX, 2: machine code
  std::string bytes;
  std::uint32_t architecture = 90;
  std::uint64_t flags = 0x11;
  std::uint64_t unpacked_bytes = 0;  // of a packed one
};
inline std::string made_fat_binary(const std::vector<MadeEntry>& entries) {
  std::string all;
  for (const MadeEntry& e : entries) {
    const std::size_t padded = (e.bytes.size() + 7) / 8 * 8;
    const auto packed = static_cast<std::uint32_t>(e.unpacked_bytes > 0 ? e.bytes.size() : 0);
    all += little_endian(e.kind) + std::string("\x01\x01") + little_endian<std::uint32_t>(64) +
           little_endian<std::uint64_t>(padded) + little_endian(packed) + std::string(8, '\0') +
           little_endian(e.architecture) + std::string(8, '\0') + little_endian(e.flags) +
           std::string(8, '\0') + little_endian(e.unpacked_bytes) + e.bytes +
           std::string(padded - e.bytes.size(), '\0');
  }
  return std::string("\x50\xed\x55\xba\x01\x00\x10\x00", 8) +
         little_endian<std::uint64_t>(all.size()) + all;
}
inline std::string made_object(const std::string& fat_binary, std::uint16_t type = 1) {
  MadeElf elf;
  elf.type = type;
  elf.machine = 62;  // x86-64
  elf.sections = {{".nv_fatbin", fat_binary}};
  return elf.bytes();
}

inline constexpr std::string_view kMadePtx =
    ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\nret;\n}\n";

// A frame of Zstandard that is one block of a repeated byte. source: RFC 8878, 3.1.1.
inline std::string zstd_run(char byte, std::uint32_t count) {
  const std::uint32_t block = 1 | 1 << 1 | count << 3;  // last, repeated, as often
  return std::string("\x28\xb5\x2f\xfd") + '\xa0' + little_endian(count) + little_endian(block, 3) +
         byte;
}
// The same of a text as it is.
inline std::string zstd_plain(std::string_view text) {
  const auto size = static_cast<std::uint32_t>(text.size());
  return std::string("\x28\xb5\x2f\xfd") + '\xa0' + little_endian(size) +
         little_endian(1 | size << 3, 3) + std::string(text);
}
// A block of LZ4 of literals alone. source: LZ4 Block Format Description.
inline std::string lz4_plain(std::string_view text) {
  std::string block;
  if (text.size() < 15) {
    block += static_cast<char>(text.size() << 4);
  } else {
    block += '\xf0';
    std::size_t left = text.size() - 15;
    for (; left >= 255; left -= 255) block += '\xff';
    block += static_cast<char>(left);
  }
  return block + std::string(text);
}

}  // namespace warpscope
