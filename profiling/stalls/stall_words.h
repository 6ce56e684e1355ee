// profiling/stalls/stall_words.h: the sentences about a stall and its cause.
#pragma once

#include <string>

#include "profiling/stalls/stall_report.h"

namespace warpscope {

// "line 7", "line 12 of tile.cuh" where that is another file than the kernel's; "an instruction
// without a line".
std::string line_words(const SourcePosition& position, const std::string& main_file);

// What the access of an instruction costs:
// "32 sectors per request where 4 would do (scattered addresses)",
// "32-way bank conflict: 32 wavefronts per request where 1 would do"; empty: nothing to say.
std::string access_words(const Trace& trace, std::ptrdiff_t site);

// The sentence of a finding whose other members are set. `levels`: for the level that answers.
std::string finding_sentence(const StallFinding& finding, const StallContext& context,
                             bool modelled);

// Whether less than half of the lanes are active when the instruction runs, on average.
bool few_lanes(const MachineRow& row);

// "40.1 %".
std::string percent_words(double ratio);

}  // namespace warpscope
