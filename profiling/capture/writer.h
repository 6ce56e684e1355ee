// profiling/capture/writer.h: a capture file, written section by section.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiling/capture/capture.h"
#include "profiling/capture/layout.h"

// The file appears under its name when it is whole. Memory is given in pieces, so that a program
// of many gigabytes is written with a megabyte at hand; a page that was there before is not
// written again.
//
//   Result<CaptureWriter> writer = CaptureWriter::create("norm.wcap", pack);
//   for (…) writer->add_memory(0, CaptureWriter::Side::before, piece);
//   writer->write_section("CODE", cubin);
//   Result<void> done = writer->finish(capture);

namespace warpscope {

class CaptureWriter {
 public:
  // Packs a section; null: sections are stored as they are. An empty answer stores it plain.
  using Pack = std::function<std::string(std::string_view plain)>;
  enum class Side { before, after };

  // error: environment: the file cannot be made.
  static Result<CaptureWriter> create(const std::string& path, Pack pack = {});
  CaptureWriter(CaptureWriter&&) noexcept;
  CaptureWriter& operator=(CaptureWriter&&) noexcept;
  ~CaptureWriter();  // a file that was not finished is removed

  // The pages of capture.memory[i] on one side; pieces of any size follow each other. What is not
  // given counts as not kept. error: environment (no space).
  Result<void> add_memory(std::size_t memory, Side side, std::string_view piece);
  // That all of a memory was the same after the launch as before.
  void same_after(std::size_t memory);
  // kind: "CODE", "IMAG", "PTX " or "SRCE". error: environment.
  Result<void> write_section(const char* kind, std::string_view plain);
  // Description, pages and end. error: environment.
  Result<void> finish(const Capture& capture);
  std::uint64_t bytes() const { return written_; }

 private:
  struct Pages {
    std::vector<std::uint32_t> ids;
    std::string open;  // the last page, which is not full yet
  };
  CaptureWriter() = default;
  Result<void> put(std::string_view bytes);
  Result<std::uint32_t> page(std::string_view bytes);
  Result<void> end_pages(Pages& pages);
  Result<void> flush_pages();
  Pages& pages(std::size_t memory, Side side);
  Error why() const;

  struct Hash {
    std::uint64_t a = 0, b = 0;
    bool operator==(const Hash&) const = default;
  };
  struct Spread {
    std::size_t operator()(const Hash& hash) const { return static_cast<std::size_t>(hash.a); }
  };
  static Hash hash_of_page(std::string_view page);

  std::string path_, part_;
  std::FILE* file_ = nullptr;
  Pack pack_;
  std::uint64_t written_ = 0;
  std::vector<Pages> before_, after_;
  std::unordered_map<Hash, std::uint32_t, Spread> known_;
  std::string waiting_;  // pages that are not written yet
  std::uint32_t next_page_ = 1;
};

// Text of a section "SRCE": the file's name as the line table has it, and its text.
std::string source_section(const std::string& name, const std::string& text);

}  // namespace warpscope
