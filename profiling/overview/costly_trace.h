// profiling/overview/costly_trace.h: which step of several a diagram opens with.
#pragma once

#include "profiling/session/session.h"

namespace warpscope {

// Of a point's traces that of the step which takes longest, where it was measured and traced; else
// the one with most warp instructions, which is not a time but as near as emulation comes. Null:
// the point has no trace.
const Trace* costly_trace(const Session& session, const PointId& id);

}  // namespace warpscope
