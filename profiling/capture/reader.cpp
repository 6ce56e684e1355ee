// profiling/capture/reader.cpp: a capture file, read by section.
#include "profiling/capture/reader.h"

#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <iterator>
#include <limits>

#include "profiling/text/json_text.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

constexpr std::size_t kMostSections = 1 << 20;
constexpr std::uint64_t kMostTextBytes = 16 << 20, kMostCodeBytes = 256 << 20;

std::string kind_of(const SectionHead& head) { return {head.kind, sizeof head.kind}; }

std::uint64_t most_plain_bytes(const std::string& kind) {
  if (kind == "PAGE") return kPagesPerSection * kPageBytes;
  if (kind == "MAPS") return kMostCapturedBytes / kPageBytes * 2 * 4 + (1 << 20);
  return kind == "CODE" || kind == "IMAG" || kind == "PTX " ? kMostCodeBytes : kMostTextBytes;
}

tl::unexpected<Error> damaged(const std::string& path, const std::string& what) {
  return failure(ErrorKind::input, "the capture is damaged: " + what, path,
                 "copy the file again, or capture the launch again");
}

}  // namespace

struct CaptureFile::State {
  struct Section {
    SectionHead head;
    std::uint64_t at = 0;  // of its stored bytes in the file
  };
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::string path;
  std::unique_ptr<std::FILE, Closer> file;
  std::uint64_t bytes = 0;
  std::vector<Section> sections, pages;   // pages: those of kind PAGE, in order
  std::vector<std::uint32_t> first_page;  // of each of `pages`
  std::uint32_t page_count = 1;           // with the zero page
  Capture capture;
  std::vector<std::uint32_t> maps;     // page ids: before and after of each memory in turn
  std::vector<std::size_t> map_begin;  // in `maps`, by memory
  // Sections that were unpacked last, the newest last. Equal pages are stored once, so that memory
  // goes to and fro between sections.
  struct Open {
    std::size_t index = 0;
    std::string pages;
  };
  std::deque<Open> open;

  Result<std::string> stored(std::uint64_t at, std::uint64_t count) const;
  Result<std::string> plain(const Section& section) const;
  Result<void> read_heads();
  Result<void> read_description();
  Result<void> read_maps();
  const Section* find(const char* kind) const;
  std::size_t page_total(std::size_t memory) const {
    return static_cast<std::size_t>((capture.memory[memory].bytes + kPageBytes - 1) / kPageBytes);
  }
  const std::uint32_t* ids(std::size_t memory, Side side) const {
    return maps.data() + map_begin[memory] + (side == Side::after ? page_total(memory) : 0);
  }
  Result<std::string_view> page(std::uint32_t id);
};

Result<std::string> CaptureFile::State::stored(std::uint64_t at, std::uint64_t count) const {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  const bool read = ::fseeko(file.get(), static_cast<off_t>(at), SEEK_SET) == 0 &&
                    std::fread(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  if (!read) return damaged(path, "it ends early");
  return bytes;
}

Result<std::string> CaptureFile::State::plain(const Section& section) const {
  Result<std::string> bytes = stored(section.at, section.head.stored_bytes);
  if (!bytes) return bytes;
  const std::string kind = kind_of(section.head);
  if (crc32_of(*bytes) != section.head.stored_crc)
    return damaged(path, "the checksum of its section " + kind + " is another");
  if (section.head.codec == static_cast<std::uint32_t>(SectionCodec::plain)) return bytes;
  std::string made(static_cast<std::size_t>(section.head.plain_bytes), '\0');
  const std::size_t count = ZSTD_decompress(made.data(), made.size(), bytes->data(), bytes->size());
  if (ZSTD_isError(count) != 0 || count != made.size())
    return damaged(path, "its section " + kind + " cannot be unpacked");
  return made;
}

Result<void> CaptureFile::State::read_heads() {
  std::uint64_t at = kCaptureHeadBytes;
  while (true) {
    const Result<std::string> raw = stored(at, kSectionHeadBytes);
    if (!raw) return damaged(path, "it has no end; the program that wrote it was stopped");
    Section section{{}, at + kSectionHeadBytes};
    std::memcpy(&section.head, raw->data(), sizeof section.head);
    const SectionHead& head = section.head;
    if (crc32_of(std::string_view(*raw).substr(0, offsetof(SectionHead, head_crc))) !=
        head.head_crc)
      return damaged(path, "the checksum of a section's head is another");
    const std::string kind = kind_of(head);
    const bool is_plain = head.codec == static_cast<std::uint32_t>(SectionCodec::plain);
    if (!is_plain && head.codec != static_cast<std::uint32_t>(SectionCodec::zstd))
      return damaged(path, "a section is packed in an unknown way");
    if (head.plain_bytes > most_plain_bytes(kind) ||
        (is_plain && head.plain_bytes != head.stored_bytes))
      return damaged(path, "its section " + kind + " claims a size that it cannot have");
    if (head.stored_bytes > bytes - section.at) return damaged(path, "it ends early");
    if (sections.size() >= kMostSections) return damaged(path, "it has too many sections");
    sections.push_back(section);
    at = section.at + head.stored_bytes;
    if (kind == "END ") break;
    if (kind != "PAGE") continue;
    if (head.plain_bytes == 0 || head.plain_bytes % kPageBytes != 0)
      return damaged(path, "a section of pages is not whole");
    first_page.push_back(page_count);
    pages.push_back(section);
    page_count += static_cast<std::uint32_t>(head.plain_bytes / kPageBytes);
  }
  return at == bytes ? Result<void>{} : damaged(path, "something follows its end");
}

const CaptureFile::State::Section* CaptureFile::State::find(const char* kind) const {
  for (const Section& section : sections) {
    if (kind_of(section.head) == kind) return &section;
  }
  return nullptr;
}

Result<void> CaptureFile::State::read_description() {
  const Section* section = find("LNCH");
  if (section == nullptr) return damaged(path, "it does not describe a launch");
  const Result<std::string> text = plain(*section);
  if (!text) return tl::unexpected(text.error());
  if (nested_deeper(*text, kMostJsonNesting))
    return damaged(path, "the description of the launch is nested too deeply");
  Result<Capture> read = capture_of_json(*text, path);
  if (!read) return tl::unexpected(read.error());
  capture = std::move(*read);
  return {};
}

Result<void> CaptureFile::State::read_maps() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    map_begin.push_back(count);
    count += 2 * page_total(i);
  }
  const Section* section = find("MAPS");
  if (section == nullptr || section->head.plain_bytes != count * sizeof(std::uint32_t))
    return damaged(path, "its table of pages does not fit the memory that it describes");
  const Result<std::string> raw = plain(*section);
  if (!raw) return tl::unexpected(raw.error());
  maps.resize(count);
  std::memcpy(maps.data(), raw->data(), raw->size());
  const bool good = std::all_of(maps.begin(), maps.end(), [this](std::uint32_t id) {
    return id == kNoPage || id < page_count;
  });
  return good ? Result<void>{} : damaged(path, "its table of pages names a page that is not there");
}

Result<std::string_view> CaptureFile::State::page(std::uint32_t id) {
  const auto after = std::upper_bound(first_page.begin(), first_page.end(), id);
  const auto index = static_cast<std::size_t>(after - first_page.begin()) - 1;
  auto found = std::find_if(open.begin(), open.end(),
                            [index](const Open& one) { return one.index == index; });
  if (found == open.end()) {
    constexpr std::size_t kMostOpen = 16;  // sections of 1 MiB
    Result<std::string> made = plain(pages[index]);
    if (!made) return tl::unexpected(made.error());
    if (open.size() >= kMostOpen) open.pop_front();
    open.push_back({index, std::move(*made)});
    found = std::prev(open.end());
  }
  return std::string_view(found->pages).substr((id - first_page[index]) * kPageBytes, kPageBytes);
}

CaptureFile::CaptureFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
CaptureFile::CaptureFile(CaptureFile&&) noexcept = default;
CaptureFile& CaptureFile::operator=(CaptureFile&&) noexcept = default;
CaptureFile::~CaptureFile() = default;

bool is_capture(std::string_view begin) { return begin.starts_with(kCaptureMagic); }

Result<CaptureFile> CaptureFile::open(const std::string& path) {
  // Names what cannot be opened, and refuses pipes and devices.
  const Result<InputFile> input = InputFile::open(path, std::numeric_limits<std::int64_t>::max());
  if (!input) return tl::unexpected(input.error());
  auto state = std::make_unique<State>();
  state->path = path;
  state->bytes = static_cast<std::uint64_t>(input->bytes());
  state->file.reset(std::fopen(path.c_str(), "rb"));
  if (state->file == nullptr)
    return failure(ErrorKind::input, "it cannot be read", path, "check its permissions");
  const Result<std::string> head =
      state->bytes < kCaptureHeadBytes ? std::string() : state->stored(0, kCaptureHeadBytes);
  if (!head || !is_capture(*head))
    return failure(ErrorKind::input, "it is not a capture", path,
                   "`warpscope capture -- PROGRAM` writes one");
  std::uint32_t version = 0;
  std::memcpy(&version, head->data() + kCaptureMagic.size(), sizeof version);
  if (version != kCaptureVersion)
    return failure(ErrorKind::input,
                   "the capture has version " + std::to_string(version) +
                       ", and this Warpscope reads version " + std::to_string(kCaptureVersion),
                   path, "open it with the Warpscope that wrote it");
  if (Result<void> read = state->read_heads(); !read) return tl::unexpected(read.error());
  if (Result<void> read = state->read_description(); !read) return tl::unexpected(read.error());
  if (Result<void> read = state->read_maps(); !read) return tl::unexpected(read.error());
  return CaptureFile(std::move(state));
}

const Capture& CaptureFile::capture() const { return state_->capture; }
const std::string& CaptureFile::path() const { return state_->path; }
std::uint64_t CaptureFile::file_bytes() const { return state_->bytes; }

Result<std::string> CaptureFile::code() const {
  const State::Section* section = state_->find("CODE");
  return section == nullptr ? std::string() : state_->plain(*section);
}

Result<std::string> CaptureFile::image() const {
  const State::Section* section = state_->find("IMAG");
  return section == nullptr ? std::string() : state_->plain(*section);
}

Result<std::string> CaptureFile::ptx() const {
  const State::Section* section = state_->find("PTX ");
  return section == nullptr ? std::string() : state_->plain(*section);
}

Result<std::vector<CapturedSource>> CaptureFile::sources() const {
  std::vector<CapturedSource> all;
  for (const State::Section& section : state_->sections) {
    if (kind_of(section.head) != "SRCE") continue;
    Result<std::string> bytes = state_->plain(section);
    if (!bytes) return tl::unexpected(bytes.error());
    std::uint32_t length = 0;
    if (bytes->size() >= sizeof length) std::memcpy(&length, bytes->data(), sizeof length);
    if (bytes->size() < sizeof length || length > bytes->size() - sizeof length)
      return damaged(state_->path, "a source file has no name");
    all.push_back({bytes->substr(sizeof length, length), bytes->substr(sizeof length + length)});
  }
  return all;
}

bool CaptureFile::kept(std::size_t memory, Side side) const {
  const std::uint32_t* ids = state_->ids(memory, side);
  return std::find(ids, ids + state_->page_total(memory), kNoPage) ==
         ids + state_->page_total(memory);
}

bool CaptureFile::unchanged(std::size_t memory) const {
  const std::uint32_t* before = state_->ids(memory, Side::before);
  return std::equal(before, before + state_->page_total(memory), state_->ids(memory, Side::after));
}

Result<std::string> CaptureFile::memory(std::size_t memory, Side side, std::uint64_t first,
                                        std::uint64_t count) const {
  const std::uint64_t all = state_->capture.memory[memory].bytes;
  first = std::min(first, all);
  count = std::min(count, all - first);
  std::string bytes(static_cast<std::size_t>(count), '\0');
  const std::uint32_t* ids = state_->ids(memory, side);
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t at = first + done, inside = at % kPageBytes;
    const std::uint64_t part = std::min<std::uint64_t>(kPageBytes - inside, count - done);
    const std::uint32_t id = ids[at / kPageBytes];
    if (id != kZeroPage && id != kNoPage) {
      const Result<std::string_view> page = state_->page(id);
      if (!page) return tl::unexpected(page.error());
      std::memcpy(bytes.data() + done, page->data() + inside, part);
    }
    done += part;
  }
  return bytes;
}

Result<std::string> CaptureFile::memory(std::size_t memory, Side side) const {
  return this->memory(memory, side, 0, state_->capture.memory[memory].bytes);
}

Result<void> CaptureFile::check() const {
  for (const State::Section& section : state_->sections) {
    if (const Result<std::string> plain = state_->plain(section); !plain)
      return tl::unexpected(plain.error());
  }
  return {};
}

std::string pack_section(std::string_view plain) {
  constexpr int kLevel = 3;
  std::string packed(ZSTD_compressBound(plain.size()), '\0');
  const std::size_t count =
      ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), kLevel);
  if (ZSTD_isError(count) != 0) return {};
  packed.resize(count);
  return packed;
}

namespace {

Result<void> copy_memory(const CaptureFile& from, CaptureWriter& writer) {
  constexpr std::uint64_t kPiece = kPagesPerSection * kPageBytes;
  using Side = CaptureFile::Side;
  const Capture& capture = from.capture();
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    for (const Side side : {Side::before, Side::after}) {
      if (!from.kept(i, side)) continue;
      if (side == Side::after && from.unchanged(i)) {
        writer.same_after(i);
        continue;
      }
      for (std::uint64_t at = 0; at < capture.memory[i].bytes; at += kPiece) {
        const Result<std::string> piece = from.memory(i, side, at, kPiece);
        if (!piece) return tl::unexpected(piece.error());
        const auto to =
            side == Side::before ? CaptureWriter::Side::before : CaptureWriter::Side::after;
        if (Result<void> added = writer.add_memory(i, to, *piece); !added) return added;
      }
    }
  }
  return {};
}

}  // namespace

Result<std::uint64_t> copy_packed(const CaptureFile& from, const CaptureAdditions& additions,
                                  const std::string& to) {
  Result<CaptureWriter> writer = CaptureWriter::create(to, pack_section);
  if (!writer) return tl::unexpected(writer.error());
  if (Result<void> copied = copy_memory(from, *writer); !copied)
    return tl::unexpected(copied.error());
  const Result<std::string> code = from.code(), image = from.image();
  if (!code) return tl::unexpected(code.error());
  if (!image) return tl::unexpected(image.error());
  const std::string& kept = code->empty() ? additions.code : *code;
  std::vector<std::pair<const char*, std::string>> sections = {
      {"CODE", kept}, {"IMAG", kept.empty() ? *image : ""}, {"PTX ", additions.ptx}};
  for (const CapturedSource& source : additions.sources)
    sections.emplace_back("SRCE", source_section(source.name, source.text));
  for (const auto& [kind, bytes] : sections) {
    if (bytes.empty()) continue;
    if (Result<void> put = writer->write_section(kind, bytes); !put)
      return tl::unexpected(put.error());
  }
  Capture capture = from.capture();
  capture.ptx_origin = additions.ptx_origin;
  capture.made_by = additions.made_by;
  capture.time = additions.time;
  if (!additions.program.empty()) capture.program = additions.program;
  capture.notes.insert(capture.notes.end(), additions.notes.begin(), additions.notes.end());
  if (Result<void> done = writer->finish(capture); !done) return tl::unexpected(done.error());
  return writer->bytes();
}

}  // namespace warpscope
