// profiling/stalls/code_flow.h: what can come before an instruction of machine code, and the line
// of source that it works for.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/trace.h"

namespace warpscope {

class CodeFlow {
 public:
  // `code` must outlive it.
  explicit CodeFlow(const MachineFigures& code);

  // Where the instruction stands; within a routine that the compiler added, such as that of a
  // division, the line that calls it.
  const SourcePosition& line_of(std::uint32_t row) const { return lines_[row]; }
  // The call that leads to such a routine; empty: the row is in none.
  std::string routine_of(std::uint32_t row) const;
  // The instructions of a line, by the rule of line_of.
  struct LineCode {
    int instructions = 0;
    int divisions = 0;  // reciprocals, and calls of a division's routine
  };
  LineCode code_of(const SourcePosition& line) const;
  const std::vector<std::uint32_t>& before(std::uint32_t row) const { return before_[row]; }
  std::vector<std::uint32_t> after(std::uint32_t row) const;
  // All that can be executed before `row`, nearest first, without passing over rows for which
  // `stops` is true; those are left out.
  std::vector<std::uint32_t> all_before(std::uint32_t row,
                                        const std::function<bool(std::uint32_t)>& stops) const;

 private:
  void find_routines();

  const MachineFigures& code_;
  std::vector<std::vector<std::uint32_t>> before_;
  std::vector<SourcePosition> lines_;
  std::map<std::pair<std::string, int>, LineCode> by_line_;
  std::vector<std::int64_t> calls_;  // by row: the call of the routine that it is in; −1: none
};

}  // namespace warpscope
