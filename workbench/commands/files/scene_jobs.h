// workbench/commands/files/scene_jobs.h: a file's launches as traces of a scene, for a session.
#pragma once

#include <memory>
#include <vector>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"

namespace warpscope {

// The window shows traces of scenes. A session of a file's own traces gets the file as a scene,
// with these launches in its description, and a trace of each. Opens the scene in the catalogue.
// Empty if the file cannot be a scene.
std::vector<Job> scene_jobs(Catalogue& catalogue, const Job& job);

}  // namespace warpscope
