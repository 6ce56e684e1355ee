// profiling/messages/packed_text.h: the lines of a text file, packed with gzip or not; and packing
// a text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenes/host/result.h"
#include "scenes/host/write_file.h"

// A file is packed where it begins as gzip does, whatever its name. Lines come in one pass, with a
// chunk of the file, a chunk of its text and one line in memory:
//
//   Result<TextLines> lines = TextLines::open("h200.wsj.gz", 1 << 30);
//   while (const auto line = lines->next()) read(*line);
//   if (lines->end() != TextEnd::whole) …

namespace warpscope {

// How the text of a file ended.
enum class TextEnd {
  whole,
  torn,      // the packed file stops in the middle
  damaged,   // what is packed cannot be unpacked, or its checksum is another; `why` has the reason
  followed,  // whole, but what follows it in the file is not a gzip
  over_limit,  // the text is longer than the limit; no more than that was unpacked
  long_line,   // a line is longer than `kLongestLineBytes`; no more was read
  unreadable,  // the file could not be read further; `why` has the reason
  no_memory,   // there is too little to unpack it
};

// Three times the longest trace that the emulator keeps.
inline constexpr std::int64_t kLongestLineBytes = 128 << 20;

class TextLines {
 public:
  // Members of a packed file that follow each other are one text, and zeros after the last are
  // nothing, as with gzip. At most `maximum_bytes` of text are given, and one more is unpacked, to
  // know that there is more; of a packed file also at most 32 times its size, or 32 MiB. "-",
  // /dev/stdin and <(…) may be pipes: each is read once and kept for the life of the program.
  // error: input (as InputFile::open), resource (memory), usage (a terminal).
  static Result<TextLines> open(const std::filesystem::path& path, std::int64_t maximum_bytes);
  TextLines(TextLines&&) noexcept;
  TextLines& operator=(TextLines&&) noexcept;
  ~TextLines();

  // The next line without its newline, valid until the next call; nothing at the end. What stands
  // after the last newline is a line too, unless the text was not read to its end.
  std::optional<std::string_view> next();
  bool complete() const;  // whether the line given last had a newline

  TextEnd end() const;  // known when `next` gave nothing, or a line without a newline
  const std::string& why() const;
  bool packed() const;
  std::int64_t file_bytes() const;     // as it lies on the disk
  std::int64_t text_bytes() const;     // read until now
  std::int64_t maximum_bytes() const;  // of text

 private:
  struct State;
  explicit TextLines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether a file's first bytes are those of gzip. source: RFC 1952, section 2.3.1.
bool begins_packed(std::string_view bytes);
// Whether a file of this name is to be written packed: it ends in ".gz".
bool named_packed(const std::filesystem::path& path);

// `text` as gzip, with neither time nor name in it: the same bytes for the same text and zlib.
// error: resource (memory).
Result<std::string> pack(std::string_view text);
// The same of a text that `make` gives away in parts; `write` takes the packed bytes in parts.
// error: of `make`, too.
Result<void> pack(const std::function<Result<void>(const TextSink& take)>& make,
                  const TextSink& write);

}  // namespace warpscope
