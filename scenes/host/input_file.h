// scenes/host/input_file.h: files that are read: regular ones of a bounded size, opened in one
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "scenes/host/result.h"

// Whatever a person names as an input is opened here, so that a pipe never hangs a program, a
// device never fills its memory, and every such mistake has the same sentence and status.
//
//   Result<std::string> text = read_input("matrix.mtx", 1 << 30);

namespace warpscope {

// Of a text that people write or tools print for them: sources, lessons, CSV of ncu. Hundreds of
// times the longest there is; what is read of one is a few times as large in memory.
inline constexpr std::int64_t kMostTextFileBytes = 64 << 20;

class InputFile {
 public:
  // error: input: there is no such file, it may not be read, it is a folder, a pipe, a socket or a
  // device (what `<(…)` gives is a pipe), it is longer than the limit.
  static Result<InputFile> open(const std::filesystem::path& path, std::int64_t maximum_bytes);
  InputFile(InputFile&&) noexcept;
  InputFile& operator=(InputFile&&) noexcept;
  ~InputFile();

  std::int64_t bytes() const { return bytes_; }  // when it was opened
  // The next bytes, at most `count` of them; 0 at the end. error: input.
  Result<std::size_t> read(char* to, std::size_t count);

 private:
  InputFile() = default;
  std::filesystem::path path_;
  std::int64_t bytes_ = 0;
  int descriptor_ = -1;
};

// All of a file; an empty one is an empty text. error: as InputFile; resource (memory).
Result<std::string> read_input(const std::filesystem::path& path, std::int64_t maximum_bytes);

}  // namespace warpscope
