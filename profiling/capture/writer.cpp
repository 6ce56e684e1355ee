// profiling/capture/writer.cpp: a capture file, written section by section.
#include "profiling/capture/writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace warpscope {
namespace {

template <typename T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);  // both are little-endian
}

bool is_zero(std::string_view page) {
  return page.find_first_not_of('\0') == std::string_view::npos;
}

}  // namespace

Result<CaptureWriter> CaptureWriter::create(const std::string& path, Pack pack) {
  CaptureWriter writer;
  writer.path_ = path;
  writer.part_ = path + ".part";
  writer.pack_ = std::move(pack);
  writer.file_ = std::fopen(writer.part_.c_str(), "wb");
  if (writer.file_ == nullptr) return tl::unexpected(writer.why());
  std::string head(kCaptureMagic);
  append(head, kCaptureVersion);
  append(head, std::uint32_t{0});
  if (Result<void> put = writer.put(head); !put) return tl::unexpected(put.error());
  return writer;
}

CaptureWriter::CaptureWriter(CaptureWriter&& other) noexcept { *this = std::move(other); }

CaptureWriter& CaptureWriter::operator=(CaptureWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(part_, other.part_);
  std::swap(file_, other.file_);
  std::swap(pack_, other.pack_);
  std::swap(written_, other.written_);
  std::swap(before_, other.before_);
  std::swap(after_, other.after_);
  std::swap(known_, other.known_);
  std::swap(waiting_, other.waiting_);
  std::swap(next_page_, other.next_page_);
  return *this;
}

CaptureWriter::~CaptureWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(part_.c_str());
}

Error CaptureWriter::why() const {
  return {ErrorKind::environment,
          std::string("the capture cannot be written: ") + std::strerror(errno), path_,
          errno == ENOSPC ? "free some space, or choose another folder with --out"
                          : "choose another folder with --out"};
}

Result<void> CaptureWriter::put(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    return tl::unexpected(why());
  written_ += bytes.size();
  return {};
}

CaptureWriter::Hash CaptureWriter::hash_of_page(std::string_view page) {
  // Two lanes of multiply and fold over words: 128 bits tell pages apart.
  Hash hash{0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu};
  __extension__ using Wide = unsigned __int128;
  const auto fold = [](std::uint64_t x, std::uint64_t y) {
    const Wide product = static_cast<Wide>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  for (std::size_t i = 0; i + 8 <= page.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, page.data() + i, 8);
    hash.a = fold(hash.a ^ word, 0xA0761D6478BD642Fu) + i;
    hash.b = fold(hash.b + word, 0xE7037ED1A0B428DBu) ^ (hash.b << 7);
  }
  return hash;
}

Result<std::uint32_t> CaptureWriter::page(std::string_view bytes) {
  if (is_zero(bytes)) return kZeroPage;
  const auto [place, added] = known_.try_emplace(hash_of_page(bytes), next_page_);
  if (!added) return place->second;
  waiting_.append(bytes);
  ++next_page_;
  if (waiting_.size() >= kPagesPerSection * kPageBytes) {
    if (Result<void> flushed = flush_pages(); !flushed) return tl::unexpected(flushed.error());
  }
  return next_page_ - 1;
}

Result<void> CaptureWriter::flush_pages() {
  if (waiting_.empty()) return {};
  const std::string pages = std::exchange(waiting_, {});
  return write_section("PAGE", pages);
}

CaptureWriter::Pages& CaptureWriter::pages(std::size_t memory, Side side) {
  std::vector<Pages>& all = side == Side::before ? before_ : after_;
  if (all.size() <= memory) all.resize(memory + 1);
  return all[memory];
}

Result<void> CaptureWriter::add_memory(std::size_t memory, Side side, std::string_view piece) {
  Pages& to = pages(memory, side);
  while (!piece.empty()) {
    const std::size_t count = std::min(piece.size(), kPageBytes - to.open.size());
    if (to.open.empty() && count == kPageBytes) {
      const Result<std::uint32_t> id = page(piece.substr(0, kPageBytes));
      if (!id) return tl::unexpected(id.error());
      to.ids.push_back(*id);
    } else {
      to.open.append(piece.substr(0, count));
      if (to.open.size() == kPageBytes) {
        if (Result<void> ended = end_pages(to); !ended) return ended;
      }
    }
    piece.remove_prefix(count);
  }
  return {};
}

Result<void> CaptureWriter::end_pages(Pages& pages) {
  if (pages.open.empty()) return {};
  pages.open.resize(kPageBytes, '\0');
  const Result<std::uint32_t> id = page(pages.open);
  if (!id) return tl::unexpected(id.error());
  pages.ids.push_back(*id);
  pages.open.clear();
  return {};
}

void CaptureWriter::same_after(std::size_t memory) {
  Pages copy = pages(memory, Side::before);
  pages(memory, Side::after) = std::move(copy);
}

Result<void> CaptureWriter::write_section(const char* kind, std::string_view plain) {
  std::string packed = pack_ ? pack_(plain) : std::string();
  const bool is_packed = !packed.empty() && packed.size() < plain.size();
  const std::string_view stored = is_packed ? std::string_view(packed) : plain;
  SectionHead head;
  std::memcpy(head.kind, kind, sizeof head.kind);
  head.codec = static_cast<std::uint32_t>(is_packed ? SectionCodec::zstd : SectionCodec::plain);
  head.stored_bytes = stored.size();
  head.plain_bytes = plain.size();
  head.stored_crc = crc32_of(stored);
  head.head_crc = crc32_of({reinterpret_cast<const char*>(&head), offsetof(SectionHead, head_crc)});
  if (Result<void> put_head = put({reinterpret_cast<const char*>(&head), sizeof head}); !put_head)
    return put_head;
  return put(stored);
}

Result<void> CaptureWriter::finish(const Capture& capture) {
  std::string maps;
  for (std::size_t i = 0; i < capture.memory.size(); ++i) {
    const std::uint64_t count = (capture.memory[i].bytes + kPageBytes - 1) / kPageBytes;
    for (const Side side : {Side::before, Side::after}) {
      Pages& of = pages(i, side);
      if (Result<void> ended = end_pages(of); !ended) return ended;
      of.ids.resize(count, kNoPage);
      for (const std::uint32_t id : of.ids) append(maps, id);
    }
  }
  if (Result<void> flushed = flush_pages(); !flushed) return flushed;
  if (Result<void> put_maps = write_section("MAPS", maps); !put_maps) return put_maps;
  if (Result<void> put_text = write_section("LNCH", json_of_capture(capture)); !put_text)
    return put_text;
  std::string end;
  append(end, written_);
  if (Result<void> put_end = write_section("END ", end); !put_end) return put_end;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (closed && std::rename(part_.c_str(), path_.c_str()) == 0) return {};
  Error error = why();
  std::remove(part_.c_str());
  return tl::unexpected(std::move(error));
}

std::string source_section(const std::string& name, const std::string& text) {
  std::string bytes;
  append(bytes, static_cast<std::uint32_t>(name.size()));
  return bytes + name + text;
}

}  // namespace warpscope
