// profiling/stalls/instruction_shares.cpp: the waits of each instruction, as a listing shows them
// beside it.
#include "profiling/stalls/instruction_shares.h"

#include <algorithm>

#include "profiling/stalls/kernel_waits.h"
#include "profiling/stalls/stall_words.h"

namespace warpscope {
namespace {

bool is_issued(const std::string& reason) { return reason == "selected"; }

}  // namespace

InstructionShares shares_by_instruction(const StallReport& report, std::size_t instructions) {
  InstructionShares shares;
  shares.modelled = report.modelled;
  shares.rows.resize(instructions);
  std::vector<std::vector<const StallInstruction*>> parts(instructions);
  for (const StallInstruction& of : report.instructions) {
    if (of.row < instructions && of.weight > 0) parts[of.row].push_back(&of);
  }
  for (std::size_t k = 0; k < instructions; ++k) {
    InstructionShare& row = shares.rows[k];
    std::stable_sort(parts[k].begin(), parts[k].end(),
                     [](const auto* a, const auto* b) { return a->weight > b->weight; });
    std::string reasons;
    for (const StallInstruction* part : parts[k]) {
      const std::string words = is_issued(part->reason) ? "issued" : reason_words(part->reason);
      row.share_ratio += part->share_ratio;
      if (row.reason.empty() && !is_issued(part->reason)) row.reason = words;
      reasons += "\n  " + percent_words(part->share_ratio) + "  " + words;
    }
    if (row.share_ratio <= 0) continue;
    row.words = percent_words(row.share_ratio) +
                (report.modelled ? " of the modelled cycles:" : " of all samples:") + reasons;
    shares.most_ratio = std::max(shares.most_ratio, row.share_ratio);
  }
  return shares;
}

}  // namespace warpscope
