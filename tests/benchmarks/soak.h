// tests/benchmarks/soak.h: the window under random clicks and drags for a long time.
#pragma once

#include "scenes/host/result.h"

namespace warpscope {

// Four clicks or drags a second anywhere in the window on the recorded session, the same for the
// same seed; every half minute a line says how much memory the process has and what for, and the
// last one what it has after some seconds in which nobody touched anything. error: of the window.
Result<void> soak(double seconds);

}  // namespace warpscope
