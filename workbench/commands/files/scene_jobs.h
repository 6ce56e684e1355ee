// workbench/commands/files/scene_jobs.h: jobs of a scene: a variant, or a file's launches as
// traces.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"
#include "workbench/options/shared_options.h"

namespace warpscope {

// The window shows traces of scenes. A session of a file's own traces gets the file as a scene,
// with these launches in its description, and a trace of each. Opens the scene in the catalogue.
// Empty if the file cannot be a scene.
std::vector<Job> scene_jobs(Catalogue& catalogue, const Job& job);

// One variant at one configuration, without the work that is asked for: of "csrmm/auto" and
// "n=128". A variant of another operation is taken where it applies. error: usage.
Result<Job> job_of_variant(Catalogue& catalogue, const std::string& what,
                           const std::vector<std::string>& words, const EngineChoice& engine);

}  // namespace warpscope
