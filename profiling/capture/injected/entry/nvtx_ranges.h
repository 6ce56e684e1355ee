// profiling/capture/injected/entry/nvtx_ranges.h: the NVTX ranges that a thread of the program is
// in.
#pragma once

#include <string>

namespace warpscope {

// Names from the outermost on, with '/' between them; empty: none, or NVTX does not tell us.
std::string current_range();

}  // namespace warpscope
