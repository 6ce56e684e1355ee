// profiling/session/read_ahead.h: the lines of a session file, read by a thread that is ahead.
#pragma once

#include <cstddef>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "profiling/messages/packed_text.h"
#include "profiling/session/line_reader.h"

// To parse a large session takes as long as to put its points in their places: a second processor
// halves the time in which a window opens. One piece of lines is ahead, and none beyond a line that
// is itself large, so that two of those are never in memory.
//
//   ReadAhead file(std::move(*lines), PointParts::all);
//   while (std::optional<ReadLine> line = file.next()) use(std::move(line->message));
//   file.end(), file.lines()

namespace warpscope {

struct ReadLine {
  Result<Message> message;
  bool empty = false, complete = true;  // complete: it had a newline
  TextEnd end = TextEnd::whole;         // TextLines::end as of this line
  bool begun = false;                   // the end of the text came within a message
};

class ReadAhead {
 public:
  ReadAhead(TextLines lines, PointParts parts);
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ~ReadAhead();
  // Nothing at the end.
  std::optional<ReadLine> next();
  // How the text ended, as far as lines were given.
  TextEnd end() const { return end_; }
  // Waits for what is ahead; after it no more lines are given.
  const TextLines& lines();

 private:
  struct Piece {
    std::vector<ReadLine> lines;
    bool last = false, large = false;
  };
  Piece read();
  TextLines lines_;
  LineReader reader_;
  Piece piece_;
  std::size_t at_ = 0;  // the next line of the piece
  std::future<Piece> ahead_;
  TextEnd end_ = TextEnd::whole;
};

}  // namespace warpscope
