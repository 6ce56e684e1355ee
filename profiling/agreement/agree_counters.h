// profiling/agreement/agree_counters.h: what counters of one run must say of each other.
#pragma once

#include <vector>

#include "profiling/agreement/agree.h"

// No model enters here: a counter that is wrong by a factor contradicts others whatever the kernel
// does. Where L2 has two halves, a request for a line whose home is the other half is counted in
// both: once as of a multiprocessor, once as coming through the fabric.

namespace warpscope {

// Pairs of the figures "counted.…" of one point; none where a counter of the pair was not collected
// or the kernel did too little for it to say much.
std::vector<FigureMatch> counters_agree(const Measurement& point);

}  // namespace warpscope
