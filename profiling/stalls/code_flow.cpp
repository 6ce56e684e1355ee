// profiling/stalls/code_flow.cpp: what can come before an instruction of machine code, and the line
// of source that it works for.
#include "profiling/stalls/code_flow.h"

#include <utility>

#include "profiling/stalls/machine_opcode.h"

namespace warpscope {

CodeFlow::CodeFlow(const MachineFigures& code)
    : code_(code), before_(code.rows.size()), calls_(code.rows.size(), -1) {
  for (std::uint32_t k = 0; k < code.rows.size(); ++k) {
    lines_.push_back(code.rows[k].position);
    for (const std::uint32_t to : after(k)) {
      if (to < before_.size()) before_[to].push_back(k);
    }
  }
  find_routines();
  for (std::uint32_t k = 0; k < code.rows.size(); ++k) {
    LineCode& line = by_line_[{lines_[k].file, lines_[k].line}];
    ++line.instructions;
    if (is_reciprocal(code.rows[k].text) || calls_division(code.rows[k].text)) ++line.divisions;
  }
}

CodeFlow::LineCode CodeFlow::code_of(const SourcePosition& line) const {
  const auto found = by_line_.find({line.file, line.line});
  return found == by_line_.end() ? LineCode{} : found->second;
}

std::vector<std::uint32_t> CodeFlow::after(std::uint32_t row) const {
  const std::vector<std::uint32_t>& next = code_.rows[row].next;
  if (next.size() == 1 && next.front() == row) return {};
  if (!next.empty()) return next;
  return row + 1 < code_.rows.size() ? std::vector<std::uint32_t>{row + 1}
                                     : std::vector<std::uint32_t>{};
}

// A routine of several callers works for the one that calls it most.
void CodeFlow::find_routines() {
  for (std::uint32_t call = 0; call < code_.rows.size(); ++call) {
    const std::string& text = code_.rows[call].text;
    if (!opcode_in(text).starts_with("CALL")) continue;
    if (text.find("__internal") == std::string::npos && text.find("__cuda") == std::string::npos)
      continue;  // a function of the person's own has lines of its own
    std::vector<std::uint32_t> open;
    for (const std::uint32_t to : after(call)) {
      if (to != call + 1) open.push_back(to);
    }
    std::vector<bool> seen(code_.rows.size(), false);
    while (!open.empty()) {
      const std::uint32_t k = open.back();
      open.pop_back();
      if (k >= seen.size() || seen[k]) continue;
      seen[k] = true;
      if (calls_[k] < 0 ||
          code_.rows[static_cast<std::size_t>(calls_[k])].executed < code_.rows[call].executed) {
        calls_[k] = call;
        lines_[k] = code_.rows[call].position;
      }
      if (opcode_in(code_.rows[k].text).starts_with("RET")) continue;
      for (const std::uint32_t to : after(k)) open.push_back(to);
    }
  }
}

std::string CodeFlow::routine_of(std::uint32_t row) const {
  return calls_[row] < 0 ? std::string() : code_.rows[static_cast<std::size_t>(calls_[row])].text;
}

std::vector<std::uint32_t> CodeFlow::all_before(
    std::uint32_t row, const std::function<bool(std::uint32_t)>& stops) const {
  std::vector<bool> seen(code_.rows.size(), false);
  std::vector<std::uint32_t> found, open = before_[row], further;
  while (!open.empty()) {
    further.clear();
    for (const std::uint32_t k : open) {
      if (seen[k]) continue;
      seen[k] = true;
      if (stops(k)) continue;
      found.push_back(k);
      further.insert(further.end(), before_[k].begin(), before_[k].end());
    }
    std::swap(open, further);
  }
  return found;
}

}  // namespace warpscope
