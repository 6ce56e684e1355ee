// profiling/engine/compile/cubin.cpp: the sections of a cubin, and how many parameters its kernels
// have.
#include "profiling/engine/compile/cubin.h"

namespace warpscope {
namespace {

constexpr std::uint32_t kNoBits = 8;  // SHT_NOBITS

}  // namespace

std::optional<std::vector<CubinSection>> cubin_sections(std::string_view file) {
  constexpr std::string_view kMagic(
      "\x7F"
      "ELF\x02\x01",
      6);  // 64 bits, little-endian
  if (!file.starts_with(kMagic)) return std::nullopt;
  Cursor header{file, 0x28};
  const auto table = header.fixed<std::uint64_t>();
  header.at = 0x3A;
  const auto bytes = header.fixed<std::uint16_t>(), count = header.fixed<std::uint16_t>(),
             names = header.fixed<std::uint16_t>();
  std::vector<CubinSection> sections(count);
  std::vector<std::uint32_t> name_offsets(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (table > file.size()) return std::nullopt;
    Cursor row{file, table + i * bytes};
    name_offsets[i] = row.fixed<std::uint32_t>();
    sections[i].type = row.fixed<std::uint32_t>();
    row.at += 16;  // flags, address
    const auto offset = row.fixed<std::uint64_t>(), size = row.fixed<std::uint64_t>();
    sections[i].link = row.fixed<std::uint32_t>();
    sections[i].info = row.fixed<std::uint32_t>();
    if (row.torn) return std::nullopt;
    if (sections[i].type == kNoBits) continue;
    if (offset > file.size() || size > file.size() - offset) return std::nullopt;
    sections[i].bytes = file.substr(offset, size);
  }
  if (names >= count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    sections[i].name = Cursor{sections[names].bytes, name_offsets[i]}.string();
  return sections;
}

std::optional<std::size_t> parameter_count(std::string_view cubin, const std::string& entry) {
  // Records of two bytes and a number; in one form that many bytes follow. One record a parameter:
  // "EIATTR_KPARAM_INFO" in the words of `cuobjdump -elf`, with a second code where parameters are
  // over 4 KB. Seen in what NVRTC 13.0 makes for CC 7.5 to 10.0.
  constexpr std::uint8_t kFollowed = 4, kParameter = 0x17, kParameterOfMany = 0x45;
  const std::optional<std::vector<CubinSection>> sections = cubin_sections(cubin);
  if (!sections) return std::nullopt;
  for (const CubinSection& section : *sections) {
    if (section.name != ".nv.info." + entry) continue;
    std::size_t count = 0;
    Cursor row{section.bytes};
    while (row.at < section.bytes.size() && !row.torn) {
      const auto form = row.fixed<std::uint8_t>(), what = row.fixed<std::uint8_t>();
      const auto value = row.fixed<std::uint16_t>();
      if (form != kFollowed) continue;
      row.at += value;
      count += what == kParameter || what == kParameterOfMany ? 1 : 0;
    }
    return row.torn || row.at > section.bytes.size() ? std::nullopt : std::optional(count);
  }
  return std::nullopt;
}

}  // namespace warpscope
