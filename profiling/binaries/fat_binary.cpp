// profiling/binaries/fat_binary.cpp: the entries of a fat binary: PTX and machine code for several
// architectures.
#include "profiling/binaries/fat_binary.h"

#include <algorithm>
#include <utility>

#include "profiling/binaries/cursor.h"
#include "profiling/binaries/elf.h"
#include "profiling/binaries/unpack.h"

namespace warpscope {
namespace {

// The toolkit publishes the section's name (fatbinary_section.h) but not what is in it. All of this
// was observed in what nvcc 13.0 writes with each --compress-mode, with -dlto, -rdc, -g and for
// sm_75 to sm_121.
constexpr std::string_view kContainerMagic("\x50\xed\x55\xba", 4);
constexpr std::uint16_t kContainerVersion = 1;
constexpr std::size_t kContainerHeadBytes = 16, kEntryHeadBytes = 64;
enum EntryKind : std::uint16_t { kPtx = 1, kElf = 2, kIntermediate = 8 };
enum EntryFlags : std::uint64_t {
  kLz4 = 0x2000,
  kZstd = 0x8000,
  kArchitectureFeatures = 0x100000,  // sm_90a
  kFamilyFeatures = 0x200000,        // sm_100f
};
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);

// One entry and the bytes that it takes. error: why it cannot be read.
struct ReadEntry {
  FatEntry entry;
  std::uint64_t bytes = 0;
};
tl::expected<ReadEntry, std::string> read_entry(std::string_view text) {
  Cursor head{text};
  const auto kind = head.fixed<std::uint16_t>();
  head.at += 2;  // 0x0101
  const auto head_bytes = head.fixed<std::uint32_t>();
  const auto padded = head.fixed<std::uint64_t>();
  const auto packed = head.fixed<std::uint32_t>();  // without padding; 0: not compressed
  head.at += 8;                                     // options, versions
  const auto architecture = head.fixed<std::uint32_t>();
  head.at += 8;  // the source's name
  const auto flags = head.fixed<std::uint64_t>();
  head.at += 8;
  const auto unpacked_bytes = head.fixed<std::uint64_t>();
  if (head.torn) return tl::unexpected(std::string("an entry is cut off"));
  if (head_bytes < kEntryHeadBytes || head_bytes > text.size() ||
      padded > text.size() - head_bytes || packed > padded)
    return tl::unexpected(std::string("an entry is longer than its container"));
  ReadEntry step;
  step.bytes = head_bytes + padded;
  FatEntry& entry = step.entry;
  entry.compute_capability = static_cast<int>(std::min<std::uint32_t>(architecture, 0xFFFF));
  entry.features = (flags & kFamilyFeatures) != 0         ? 'f'
                   : (flags & kArchitectureFeatures) != 0 ? 'a'
                                                          : 0;
  entry.bytes = text.substr(head_bytes, packed > 0 ? packed : padded);
  entry.unpacked_bytes = unpacked_bytes;
  if ((flags & kZstd) != 0) entry.packing = FatEntry::Packing::zstd;
  if ((flags & kLz4) != 0) entry.packing = FatEntry::Packing::lz4;
  if (kind == kIntermediate) {
    entry.undecoded = "intermediate code for linking (-dlto)";
  } else if (kind != kPtx && kind != kElf) {
    entry.undecoded = "an entry of the unknown kind " + std::to_string(kind);
  } else if (entry.packing == FatEntry::Packing::zstd && !entry.bytes.starts_with(kZstdMagic)) {
    entry.undecoded = "an entry that is compressed in an unknown way";
  } else if (kind == kElf && entry.packing == FatEntry::Packing::none && !is_elf(entry.bytes)) {
    entry.undecoded = "machine code in an unknown form";
  } else {
    entry.kind = kind == kPtx ? FatEntry::Kind::ptx : FatEntry::Kind::machine_code;
  }
  return step;
}

}  // namespace

bool is_fat_binary(std::string_view bytes) { return bytes.starts_with(kContainerMagic); }

FatContainers read_containers(std::string_view bytes) {
  FatContainers all;
  for (std::size_t at = 0; (at = bytes.find(kContainerMagic, at)) != std::string_view::npos;) {
    Cursor head{bytes, at + kContainerMagic.size()};
    const auto version = head.fixed<std::uint16_t>(), head_bytes = head.fixed<std::uint16_t>();
    const auto size = head.fixed<std::uint64_t>();
    if (head.torn || version != kContainerVersion || head_bytes < kContainerHeadBytes) {
      // The four bytes may stand in other data.
      if (all.damage.empty()) all.damage = "a container has an unknown form";
      at += kContainerMagic.size();
      continue;
    }
    if (head_bytes > bytes.size() - at || size > bytes.size() - at - head_bytes) {
      if (all.damage.empty()) all.damage = "a container is cut off";
      at += kContainerMagic.size();
      continue;
    }
    std::string_view entries = bytes.substr(at + head_bytes, size);
    at += head_bytes + size;
    while (!entries.empty()) {
      auto step = read_entry(entries);
      if (!step) {
        if (all.damage.empty()) all.damage = step.error();
        break;
      }
      entries.remove_prefix(step->bytes);
      all.entries.push_back(std::move(step->entry));
    }
  }
  return all;
}

Result<std::string> unpacked(const FatEntry& entry, const std::string& where) {
  if (entry.kind == FatEntry::Kind::undecoded)
    return failure(ErrorKind::input,
                   "the fat binary has " + entry.undecoded + ", which is not read", where,
                   "compile the source with nvcc 13.0");
  Result<std::string> text = std::string();
  if (entry.packing == FatEntry::Packing::none) {
    text = std::string(entry.bytes);
  } else if (entry.packing == FatEntry::Packing::lz4) {
    text = unpack_lz4(entry.bytes, entry.unpacked_bytes, where);
  } else {
    text = unpack_zstd(entry.bytes, entry.unpacked_bytes, where);
  }
  if (text && entry.kind == FatEntry::Kind::ptx)
    text->resize(std::min(text->find('\0'), text->size()));
  return text;
}

}  // namespace warpscope
