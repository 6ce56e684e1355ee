// profiling/engine/run/job_scene.cpp: the scene that a job is asked of.
#include "profiling/engine/run/job_scene.h"

namespace warpscope {

Result<const Scene*> scene_of_job(const Catalogue& catalogue, const Job& job) {
  if (job.scene_text.empty()) return catalogue.find(job.scene);
  if (const Scene* scene = catalogue.find(job.scene, job.scene_text)) return scene;
  return failure(
      ErrorKind::environment, "the engine has no description of this scene", job.scene,
      "run an engine of this program's version; its log says why it refused the description");
}

}  // namespace warpscope
