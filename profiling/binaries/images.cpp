// profiling/binaries/images.cpp: the pieces of GPU code in a compiled file, one after the other.
#include "profiling/binaries/images.h"

#include <algorithm>
#include <charconv>

#include "profiling/binaries/cursor.h"
#include "profiling/binaries/elf.h"

namespace warpscope {
namespace {

using Use = std::function<bool(const FatEntry&)>;

void note(std::vector<std::string>& not_read, std::string what) {
  constexpr std::size_t kMostNotes = 20;
  if (not_read.size() < kMostNotes &&
      std::find(not_read.begin(), not_read.end(), what) == not_read.end())
    not_read.push_back(std::move(what));
}

bool use_containers(std::string_view bytes, const Use& use, std::vector<std::string>& not_read,
                    bool& found) {
  FatContainers containers = read_containers(bytes);
  if (!containers.damage.empty()) note(not_read, std::move(containers.damage));
  found = found || !containers.entries.empty();
  return std::all_of(containers.entries.begin(), containers.entries.end(), use);
}

// Reads an object file, a library or a program. Gives whether to go on.
Result<bool> use_host_file(std::string_view bytes, const std::string& where, const Use& use,
                           std::vector<std::string>& not_read, bool& found) {
  const Result<ElfFile> elf = read_elf(bytes, where);
  if (!elf) return tl::unexpected(elf.error());
  for (const ElfSection& section : elf->sections) {
    // source: fatbinary_section.h of the toolkit; the second with -rdc.
    if (section.name != ".nv_fatbin" && section.name != "__nv_relfatbin") continue;
    if (!use_containers(section.bytes, use, not_read, found)) return false;
  }
  // Programs also carry them as data, or have lost their table of sections.
  if (!found) {
    std::vector<std::string> ignored;
    return use_containers(bytes, use, ignored, found);
  }
  return true;
}

// source: ar(5), in the form of GNU.
constexpr std::string_view kArchiveMagic = "!<arch>\n", kThinMagic = "!<thin>\n";

Result<void> use_archive(std::string_view bytes, const std::string& where, const Use& use,
                         std::vector<std::string>& not_read, bool& found) {
  constexpr std::size_t kHeadBytes = 60, kSizeAt = 48, kSizeDigits = 10;
  std::size_t at = kArchiveMagic.size();
  while (at + kHeadBytes <= bytes.size()) {
    const std::string_view digits = bytes.substr(at + kSizeAt, kSizeDigits);
    std::uint64_t size = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    at += kHeadBytes;
    if (parsed.ec != std::errc() || size > bytes.size() - at) {
      note(not_read, "a member of the library is cut off");
      return {};
    }
    const std::string_view member = bytes.substr(at, size);
    at += size + size % 2;
    if (is_cubin(member)) {
      FatEntry entry;
      entry.kind = FatEntry::Kind::machine_code;
      entry.bytes = member;
      found = true;
      if (!use(entry)) return {};
    } else if (is_elf(member)) {
      const Result<bool> go_on = use_host_file(member, where, use, not_read, found);
      if (!go_on) note(not_read, go_on.error().what);
      if (go_on && !*go_on) return {};
    }
  }
  return {};
}

tl::unexpected<Error> without_code(const std::string& where) {
  return failure(ErrorKind::input, "this file has no GPU code", where,
                 "name a file that nvcc made from a .cu file with kernels");
}

}  // namespace

BinaryKind binary_kind(std::string_view begin) {
  if (is_fat_binary(begin)) return BinaryKind::fat_binary;
  if (begin.starts_with(kArchiveMagic) || begin.starts_with(kThinMagic)) return BinaryKind::archive;
  if (begin.starts_with("MZ")) return BinaryKind::windows;
  if (!is_elf(begin)) return BinaryKind::none;
  if (is_cubin(begin)) return BinaryKind::cubin;
  constexpr std::uint16_t kRelocatable = 1, kProgram = 2;  // ET_REL, ET_EXEC
  Cursor type{begin, 0x10};
  const auto value = type.fixed<std::uint16_t>();
  if (value == kRelocatable) return BinaryKind::object;
  return value == kProgram ? BinaryKind::program : BinaryKind::shared_library;
}

Result<void> for_images(std::string_view bytes, const std::string& where, const Use& use,
                        std::vector<std::string>& not_read) {
  bool found = false;
  switch (binary_kind(bytes)) {
    case BinaryKind::none:
      return failure(ErrorKind::input, "this file is of no kind that has GPU code", where,
                     "name a .cu, .ptx, .cubin, .fatbin, .o, .a or .so file, or a program");
    case BinaryKind::windows:
      return failure(ErrorKind::input, "this is a Windows program, which is not read", where,
                     "name a file for Linux, or its .cubin or .fatbin");
    case BinaryKind::cubin: {
      FatEntry entry;
      entry.kind = FatEntry::Kind::machine_code;
      entry.bytes = bytes;
      use(entry);
      return {};
    }
    case BinaryKind::fat_binary:
      use_containers(bytes, use, not_read, found);
      break;
    case BinaryKind::archive: {
      if (bytes.starts_with(kThinMagic))
        return failure(ErrorKind::input, "this library only names its object files", where,
                       "name one of the object files");
      if (Result<void> used = use_archive(bytes, where, use, not_read, found); !used) return used;
      break;
    }
    default: {
      const Result<bool> used = use_host_file(bytes, where, use, not_read, found);
      if (!used) return tl::unexpected(used.error());
    }
  }
  if (found) return {};
  if (!not_read.empty())
    return failure(ErrorKind::input, "no GPU code can be read: " + not_read.front(), where,
                   "compile or copy it again");
  return without_code(where);
}

}  // namespace warpscope
