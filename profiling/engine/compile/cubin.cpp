// profiling/engine/compile/cubin.cpp: the sections of a cubin, and what its kernels say of
// themselves.
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

namespace {

const CubinSection* section_of(const std::vector<CubinSection>& sections, const std::string& name) {
  for (const CubinSection& section : sections) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

// The records of a section of information that have bytes. No value if there is no such section,
// or it is torn.
struct Record {
  std::uint8_t what = 0;
  std::string_view bytes;
};
std::optional<std::vector<Record>> records_of(const std::vector<CubinSection>& sections,
                                              const std::string& name) {
  // Records of two bytes and a number; in one form that many bytes follow.
  constexpr std::uint8_t kFollowed = 4;
  const CubinSection* section = section_of(sections, name);
  if (section == nullptr) return std::nullopt;
  std::vector<Record> records;
  Cursor row{section->bytes};
  while (row.at < section->bytes.size() && !row.torn) {
    const auto form = row.fixed<std::uint8_t>(), what = row.fixed<std::uint8_t>();
    const auto value = row.fixed<std::uint16_t>();
    if (form != kFollowed) continue;
    if (!row.torn && value <= section->bytes.size() - row.at)
      records.push_back({what, section->bytes.substr(row.at, value)});
    row.at += value;
  }
  if (row.torn || row.at > section->bytes.size()) return std::nullopt;
  return records;
}

// Those of one kernel.
std::optional<std::vector<Record>> records_of(std::string_view cubin, const std::string& entry) {
  const std::optional<std::vector<CubinSection>> sections = cubin_sections(cubin);
  return sections ? records_of(*sections, ".nv.info." + entry) : std::nullopt;
}

}  // namespace

namespace {

// Names of symbols of a type that are defined in the file.
// source: System V ABI, "Symbol Table": STT_OBJECT 1, STT_FUNC 2, SHN_UNDEF 0.
std::vector<std::string> symbols_of(std::string_view cubin, std::uint8_t type) {
  constexpr std::uint32_t kSymbols = 2;  // SHT_SYMTAB
  constexpr std::size_t kRowBytes = 24;
  std::vector<std::string> names;
  const std::optional<std::vector<CubinSection>> sections = cubin_sections(cubin);
  if (!sections) return names;
  for (const CubinSection& table : *sections) {
    if (table.type != kSymbols || table.link >= sections->size()) continue;
    for (std::size_t at = 0; at + kRowBytes <= table.bytes.size(); at += kRowBytes) {
      Cursor row{table.bytes, at};
      const auto name = row.fixed<std::uint32_t>();
      const auto what = row.fixed<std::uint8_t>();
      row.at += 1;
      const auto section = row.fixed<std::uint16_t>();
      if ((what & 15) != type || section == 0) continue;
      std::string text = Cursor{(*sections)[table.link].bytes, name}.string();
      if (!text.empty()) names.push_back(std::move(text));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> kernel_symbols(std::string_view cubin) {
  constexpr std::uint8_t kFunction = 2;
  std::vector<std::string> kernels;
  // Device functions that are called have code too, and no parameters of a launch.
  for (std::string& symbol : symbols_of(cubin, kFunction)) {
    if (records_of(cubin, symbol)) kernels.push_back(std::move(symbol));
  }
  return kernels;
}

std::vector<std::string> variable_symbols(std::string_view cubin) {
  constexpr std::uint8_t kObject = 1;
  return symbols_of(cubin, kObject);
}

std::optional<std::size_t> parameter_count(std::string_view cubin, const std::string& entry) {
  // One record a parameter: "EIATTR_KPARAM_INFO" in the words of `cuobjdump -elf`, with a second
  // code where parameters are over 4 KB. Seen in what NVRTC 13.0 makes for CC 7.5 to 10.0.
  constexpr std::uint8_t kParameter = 0x17, kParameterOfMany = 0x45;
  const auto records = records_of(cubin, entry);
  if (!records) return std::nullopt;
  std::size_t count = 0;
  for (const Record& record : *records)
    count += record.what == kParameter || record.what == kParameterOfMany ? 1 : 0;
  return count;
}

std::optional<std::int64_t> declared_threads(std::string_view cubin, const std::string& entry) {
  // "EIATTR_MAX_THREADS" and "EIATTR_REQNTID": three numbers of 32 bits, x, y and z.
  constexpr std::uint8_t kMostThreads = 0x05, kRequired = 0x10;
  const auto records = records_of(cubin, entry);
  if (!records) return std::nullopt;
  for (const Record& record : *records) {
    if (record.what != kMostThreads && record.what != kRequired) continue;
    Cursor row{record.bytes};
    const std::int64_t x = row.fixed<std::uint32_t>(), y = row.fixed<std::uint32_t>(),
                       z = row.fixed<std::uint32_t>();
    if (!row.torn) return x * y * z;
  }
  return 0;
}

std::optional<int> code_registers(std::string_view cubin, const std::string& entry) {
  // "EIATTR_REGCOUNT" of the module: a symbol and its registers. The symbol stands in the lower 24
  // bits of the information of the kernel's code. Seen in what NVRTC 13.0 makes for CC 8.0 to 10.0.
  constexpr std::uint8_t kRegisters = 0x2f;
  constexpr std::uint32_t kSymbol = 0xFFFFFF;
  const std::optional<std::vector<CubinSection>> sections = cubin_sections(cubin);
  if (!sections) return std::nullopt;
  const CubinSection* code = section_of(*sections, ".text." + entry);
  const auto records = records_of(*sections, ".nv.info");
  if (code == nullptr || !records) return std::nullopt;
  for (const Record& record : *records) {
    if (record.what != kRegisters) continue;
    Cursor row{record.bytes};
    const auto symbol = row.fixed<std::uint32_t>(), count = row.fixed<std::uint32_t>();
    if (!row.torn && symbol == (code->info & kSymbol)) return static_cast<int>(count);
  }
  return std::nullopt;
}

}  // namespace warpscope
