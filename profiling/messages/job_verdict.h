// profiling/messages/job_verdict.h: the verdict on a job that nobody measured to its end.
#pragma once

#include "profiling/messages/protocol.h"

namespace warpscope {

// A point without times, at the configuration that the job asks for, as far as its scene and axes
// are known: of an engine that was ended, died or never answered.
Measurement verdict_on(const Catalogue& catalogue, const Job& job, Verdict verdict);

}  // namespace warpscope
