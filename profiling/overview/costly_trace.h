// profiling/overview/costly_trace.h: which step of several a diagram opens with.
#pragma once

#include "profiling/session/session.h"

namespace warpscope {

// The trace of the point's longest step, if that was measured and traced. Else the one with most
// warp instructions, which is as near to a time as emulation comes. Null: the point has no trace.
const Trace* costly_trace(const Session& session, const PointId& id);

}  // namespace warpscope
