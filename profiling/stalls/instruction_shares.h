// profiling/stalls/instruction_shares.h: the waits of each instruction, as a listing shows them
// beside it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/stalls/stall_report.h"

//   const InstructionShares shares = shares_by_instruction(report,
//   trace.machine_code->rows.size()); for (const InstructionShare& of : shares.rows)
//   show(of.share_ratio, of.reason);

namespace warpscope {

struct InstructionShare {
  double share_ratio = 0;  // of all samples, or of all modelled cycles
  std::string reason;      // that it waits for most often: "global memory"; empty: it never waits
  std::string words;       // each reason with its share, the largest first; empty: no samples
};

struct InstructionShares {
  bool modelled = false;
  double most_ratio = 0;
  std::vector<InstructionShare> rows;  // one per instruction of the machine code
};
InstructionShares shares_by_instruction(const StallReport& report, std::size_t instructions);

}  // namespace warpscope
