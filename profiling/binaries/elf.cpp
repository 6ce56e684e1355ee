// profiling/binaries/elf.cpp: the sections and symbols of a 64-bit ELF file: a cubin, an object
// file, a library or a program.
#include "profiling/binaries/elf.h"

#include <algorithm>
#include <optional>

#include "profiling/binaries/cursor.h"

namespace warpscope {
namespace {

constexpr std::string_view kElfMagic(
    "\x7f"
    "ELF",
    4);
constexpr std::size_t kHeaderBytes = 64, kSectionRowBytes = 64, kSymbolBytes = 24;
// A hostile file can name the same bytes many times. In files of compilers sections overlap only
// where one repeats another (.nv.merc…), and names share their ends.
constexpr std::uint64_t kMostOverlap = 3, kMostSharing = 8, kSmallFileBytes = 1 << 20;
constexpr std::uint64_t kMostSections = 1 << 20;
constexpr std::uint32_t kSymbolTable = 2;  // SHT_SYMTAB

tl::unexpected<Error> damaged(const std::string& what, const std::string& where) {
  return failure(ErrorKind::input, "the ELF file is damaged: " + what, where,
                 "compile or copy it again");
}

// Names by their offset; no value after more was read than honest tables share.
class NameReader {
 public:
  explicit NameReader(std::size_t file_bytes)
      : left_(kMostSharing * file_bytes + kSmallFileBytes) {}
  std::optional<std::string_view> at(std::string_view table, std::size_t offset) {
    if (offset >= table.size()) return std::string_view{};
    const std::size_t longest = std::min<std::uint64_t>(table.size() - offset, left_ + 1);
    const std::string_view rest = table.substr(offset, longest);
    const std::size_t end = std::min(rest.find('\0'), rest.size());
    if (end >= left_) return std::nullopt;
    left_ -= end + 1;
    return rest.substr(0, end);
  }

 private:
  std::uint64_t left_;
};

struct Table {
  std::uint64_t offset = 0, count = 0, names = 0;
};

// More than 65 279 sections: the first row has the true numbers. source: System V ABI.
void read_large_numbers(std::string_view bytes, Table& table) {
  constexpr std::uint64_t kElsewhere = 0xFFFF;  // SHN_XINDEX
  if (table.offset == 0 || table.offset > bytes.size()) return;
  Cursor first{bytes, table.offset + 32};
  const auto size = first.fixed<std::uint64_t>();
  const auto link = first.fixed<std::uint32_t>();
  if (first.torn) return;
  if (table.count == 0) table.count = size;
  if (table.names == kElsewhere) table.names = link;
}

Result<std::vector<std::uint32_t>> read_sections(std::string_view bytes, const Table& table,
                                                 const std::string& where, ElfFile& file) {
  if (table.count > 0 && (table.offset > bytes.size() ||
                          table.count > (bytes.size() - table.offset) / kSectionRowBytes))
    return damaged("its table of sections ends after the file", where);
  if (table.count > kMostSections) return damaged("it has more than a million sections", where);
  std::vector<std::uint32_t> name_offsets(table.count);
  file.sections.resize(table.count);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < table.count; ++i) {
    ElfSection& section = file.sections[i];
    Cursor row{bytes, table.offset + i * kSectionRowBytes};
    name_offsets[i] = row.fixed<std::uint32_t>();
    section.type = row.fixed<std::uint32_t>();
    section.flags = row.fixed<std::uint64_t>();
    row.at += 8;  // address
    const auto offset = row.fixed<std::uint64_t>();
    section.size = row.fixed<std::uint64_t>();
    section.link = row.fixed<std::uint32_t>();
    section.info = row.fixed<std::uint32_t>();
    if (section.type == kElfNoBits || section.type == 0) continue;
    if (offset > bytes.size() || section.size > bytes.size() - offset) {
      // Observed: unlinked cubins have constant banks of the type 0x70000064 without bytes.
      if (section.type > kElfCudaInfo) continue;
      return damaged("a section ends after the file", where);
    }
    section.bytes = bytes.substr(offset, section.size);
    total += section.size;
    if (total > kMostOverlap * bytes.size()) return damaged("its sections overlap", where);
  }
  return name_offsets;
}

Result<void> read_symbols(const std::string& where, NameReader& names, ElfFile& file) {
  const auto table = std::find_if(file.sections.begin(), file.sections.end(),
                                  [](const ElfSection& s) { return s.type == kSymbolTable; });
  if (table == file.sections.end()) return {};
  if (table->link >= file.sections.size()) return damaged("its symbols have no names", where);
  const std::string_view strings = file.sections[table->link].bytes;
  file.symbols.resize(table->bytes.size() / kSymbolBytes);
  for (std::size_t i = 0; i < file.symbols.size(); ++i) {
    Cursor row{table->bytes, i * kSymbolBytes};
    const auto name = names.at(strings, row.fixed<std::uint32_t>());
    if (!name) return damaged("the names of its symbols overlap", where);
    ElfSymbol& symbol = file.symbols[i];
    symbol.name = *name;
    symbol.kind = row.fixed<std::uint8_t>() & 0xF;
    symbol.other = row.fixed<std::uint8_t>();
    symbol.section = row.fixed<std::uint16_t>();
    symbol.value = row.fixed<std::uint64_t>();
    symbol.size = row.fixed<std::uint64_t>();
  }
  return {};
}

}  // namespace

const ElfSection* ElfFile::section(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(),
                                  [&](const ElfSection& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

bool is_elf(std::string_view bytes) { return bytes.starts_with(kElfMagic); }

Result<ElfFile> read_elf(std::string_view bytes, const std::string& where) {
  if (!is_elf(bytes))
    return failure(ErrorKind::input, "this is not an ELF file", where,
                   "name a cubin, an object file, a library or a program");
  if (bytes.size() < kHeaderBytes) return damaged("it is shorter than its header", where);
  constexpr char k64Bits = 2, kLittleEndian = 1;  // ELFCLASS64, ELFDATA2LSB
  if (bytes[4] != k64Bits || bytes[5] != kLittleEndian)
    return failure(ErrorKind::input, "this ELF file is not one of 64 bits and little-endian", where,
                   "compile it for a 64-bit machine");
  ElfFile file;
  file.abi_version = static_cast<std::uint8_t>(bytes[8]);
  Cursor header{bytes, 0x10};
  file.type = header.fixed<std::uint16_t>();
  file.machine = header.fixed<std::uint16_t>();
  header.at = 0x28;
  Table table;
  table.offset = header.fixed<std::uint64_t>();
  file.flags = header.fixed<std::uint32_t>();
  header.at = 0x3A;
  const auto row_bytes = header.fixed<std::uint16_t>();
  table.count = header.fixed<std::uint16_t>();
  table.names = header.fixed<std::uint16_t>();
  if (table.offset != 0 && row_bytes != kSectionRowBytes)
    return damaged("the rows of its table of sections have an unknown size", where);
  if (table.offset == 0) table.count = 0;
  read_large_numbers(bytes, table);
  const Result<std::vector<std::uint32_t>> name_offsets = read_sections(bytes, table, where, file);
  if (!name_offsets) return tl::unexpected(name_offsets.error());
  NameReader names(bytes.size());
  if (table.count > 0 && table.names >= table.count)
    return damaged("its sections have no names", where);
  for (std::size_t i = 0; i < file.sections.size(); ++i) {
    const auto name = names.at(file.sections[table.names].bytes, (*name_offsets)[i]);
    if (!name) return damaged("the names of its sections overlap", where);
    file.sections[i].name = *name;
  }
  if (Result<void> read = read_symbols(where, names, file); !read)
    return tl::unexpected(read.error());
  return file;
}

}  // namespace warpscope
