// profiling/session/read_ahead.cpp: the lines of a session file, read by a thread that is ahead.
#include "profiling/session/read_ahead.h"

#include <algorithm>
#include <utility>

#include "profiling/session/kept_bytes.h"

namespace warpscope {

ReadAhead::ReadAhead(TextLines lines, PointParts parts)
    : lines_(std::move(lines)), reader_(parts) {}

ReadAhead::~ReadAhead() {
  if (ahead_.valid()) ahead_.wait();
}

ReadAhead::Piece ReadAhead::read() {
  constexpr std::size_t kMostLines = 256, kMostBytes = 4 << 20;
  Piece piece;
  piece.lines.reserve(kMostLines);
  std::size_t bytes = 0;
  while (piece.lines.size() < kMostLines && bytes < kMostBytes) {
    const std::optional<std::string_view> line = lines_.next();
    if (!line) {
      piece.last = true;
      break;
    }
    Result<Message> message = line->empty() ? Result<Message>(Unknown{}) : reader_.read(*line);
    // A short line can become a large message: a run of instructions is a pair of numbers.
    const std::size_t kept = message ? static_cast<std::size_t>(kept_bytes(*message)) : 0;
    const std::size_t of_line = std::max(line->size(), kept);
    bytes += of_line;
    piece.large = of_line >= kMostBytes;
    const bool begun = !message && !lines_.complete() && begins_message(*line);
    piece.lines.push_back(
        {std::move(message), line->empty(), lines_.complete(), lines_.end(), begun});
  }
  return piece;
}

std::optional<ReadLine> ReadAhead::next() {
  while (at_ == piece_.lines.size()) {
    if (piece_.last) {
      end_ = lines_.end();
      return std::nullopt;
    }
    piece_ = ahead_.valid() ? ahead_.get() : read();
    at_ = 0;
    // The first piece of a small file is all of it.
    if (!piece_.last && !piece_.large)
      ahead_ = std::async(std::launch::async, [this] { return read(); });
  }
  ReadLine line = std::move(piece_.lines[at_++]);
  end_ = line.end;
  return line;
}

const TextLines& ReadAhead::lines() {
  if (ahead_.valid()) ahead_.wait();
  return lines_;
}

}  // namespace warpscope
