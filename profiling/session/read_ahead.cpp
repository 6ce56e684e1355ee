// profiling/session/read_ahead.cpp: the lines of a session file, read by a thread that is ahead.
#include "profiling/session/read_ahead.h"

#include <utility>

namespace warpscope {

ReadAhead::ReadAhead(TextLines lines, PointParts parts)
    : lines_(std::move(lines)), reader_(parts) {}

ReadAhead::~ReadAhead() {
  if (ahead_.valid()) ahead_.wait();
}

ReadAhead::Piece ReadAhead::read() {
  constexpr std::size_t kMostLines = 256, kMostBytes = 1 << 20;
  Piece piece;
  piece.lines.reserve(kMostLines);
  std::size_t bytes = 0;
  while (piece.lines.size() < kMostLines && bytes < kMostBytes) {
    const std::optional<std::string_view> line = lines_.next();
    if (!line) {
      piece.last = true;
      break;
    }
    bytes += line->size();
    piece.large = line->size() >= kMostBytes;
    piece.lines.push_back({line->empty() ? Result<Message>(Unknown{}) : reader_.read(*line),
                           line->empty(), lines_.complete(), lines_.end()});
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
