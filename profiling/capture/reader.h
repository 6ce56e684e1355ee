// profiling/capture/reader.h: a capture file, opened by whoever looks at it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/capture/capture.h"
#include "profiling/capture/layout.h"
#include "profiling/capture/writer.h"

// A file may come from anybody. It is read section by section: what a section claims is checked
// before memory is allocated, and pages are unpacked when they are asked for, one megabyte at a
// time.
//
//   Result<CaptureFile> file = CaptureFile::open("norm.wcap");
//   file->capture().name;
//   Result<std::string> bytes = file->memory(0, CaptureFile::Side::before);

namespace warpscope {

// A source file that the line table of the kernel names.
struct CapturedSource {
  std::string name, text;
};

class CaptureFile {
 public:
  using Side = CaptureWriter::Side;

  // error: input: it is not a capture, of a newer version, torn, or damaged: which part.
  static Result<CaptureFile> open(const std::string& path);
  CaptureFile(CaptureFile&&) noexcept;
  CaptureFile& operator=(CaptureFile&&) noexcept;
  ~CaptureFile();

  const Capture& capture() const;
  const std::string& path() const;
  std::uint64_t file_bytes() const;

  // Machine code of the kernel's module, what the program had loaded, and PTX; empty: there is
  // none. error: input: damaged; resource: more than 256 MiB.
  Result<std::string> code() const;
  Result<std::string> image() const;
  Result<std::string> ptx() const;
  Result<std::vector<CapturedSource>> sources() const;

  // Whether every page of a memory was kept.
  bool kept(std::size_t memory, Side side) const;
  // Whether no page of it differs after the launch.
  bool unchanged(std::size_t memory) const;
  // `count` bytes from `first` on; those that were not kept are zeros. error: input: damaged.
  Result<std::string> memory(std::size_t memory, Side side, std::uint64_t first,
                             std::uint64_t count) const;
  Result<std::string> memory(std::size_t memory, Side side) const;
  // Reads all of the file and compares every checksum. error: input.
  Result<void> check() const;

 private:
  struct State;
  explicit CaptureFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

bool is_capture(std::string_view begin);  // of a file: 8 bytes are enough

// Packs a section for CaptureWriter.
std::string pack_section(std::string_view plain);

// What `copy_packed` adds to a capture.
struct CaptureAdditions {
  std::string code;  // if the capture has none itself
  std::string ptx, ptx_origin;
  std::vector<CapturedSource> sources;
  std::vector<std::string> notes;
  std::string made_by, time;
  std::vector<std::string> program;
};
// Writes the capture again, packed, with what was found beside the program. What the program had
// loaded is left out where its machine code is known. error: as open and
// CaptureWriter.
Result<std::uint64_t> copy_packed(const CaptureFile& from, const CaptureAdditions& additions,
                                  const std::string& to);

}  // namespace warpscope
