// profiling/session/line_reader.h: many lines of a session read one after the other, quickly.
#pragma once

#include <memory>
#include <string_view>

#include "profiling/messages/protocol.h"

// What parse_line makes of a line, and twenty times as fast where it is a measurement, which almost
// everything in a large session is. Ids, reasons and compilers' words that points have in common
// are kept once.
//
//   LineReader reader(PointParts::all);
//   while (const auto line = lines.next()) session.take(*reader.read(*line));

namespace warpscope {

// What is wanted of measurements.
enum class PointParts {
  all,
  // Place, verdict, conditions and the statistics of times; neither samples, nor steps, nor
  // metrics.
  times,
};

class LineReader {
 public:
  explicit LineReader(PointParts parts);
  LineReader(LineReader&&) noexcept;
  ~LineReader();
  // error: as parse_line.
  Result<Message> read(std::string_view line);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpscope
