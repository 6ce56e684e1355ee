// profiling/engine/run/job_scene.h: the scene that a job is asked of.
#pragma once

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"

namespace warpscope {

// For a scene that is a folder, the very text that the job names: a newer one may have come while
// it waited. error: usage, no such scene; environment, its text never came.
Result<const Scene*> scene_of_job(const Catalogue& catalogue, const Job& job);

}  // namespace warpscope
