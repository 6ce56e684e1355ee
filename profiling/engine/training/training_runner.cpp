// profiling/engine/training/training_runner.cpp: training jobs, between those of another runner.
#include "profiling/engine/training/training_runner.h"

#include <utility>

#include "profiling/engine/run/job_scene.h"
#include "profiling/points/point.h"

namespace warpscope {

Result<void> TrainingRunner::begin(const Job& job, const JobChannel& channel) {
  const Result<const Scene*> scene = scene_of_job(catalogue_, job);
  if (!scene) return tl::unexpected(scene.error());
  if (!(*scene)->training)
    return failure(ErrorKind::usage, "the steps of this scene train nothing", job.scene,
                   "train autoencoder");
  const Result<const Variant*> variant = find_variant_or_explain(**scene, job.variant);
  if (!variant) return tl::unexpected(variant.error());
  channel.send(Progress{job.job, 0, "making the images"});
  channel.host_work(kHostWorkLimitS);
  Result<std::unique_ptr<Learning>> learning = Learning::begin(job, **scene, **variant, open_);
  if (!learning) return tl::unexpected(learning.error());
  under_way_[job.job] = std::move(*learning);
  return {};
}

bool TrainingRunner::has_host_work(const Job& job) {
  return !job.is<TrainJob>() && others_.has_host_work(job);
}

void TrainingRunner::do_host_work(const Job& job, const JobChannel& channel) {
  others_.do_host_work(job, channel);
}

Result<void> TrainingRunner::run(const Job& job, const JobChannel& channel) {
  if (!job.is<TrainJob>()) return others_.run(job, channel);
  if (under_way_.count(job.job) == 0) {
    if (Result<void> begun = begin(job, channel); !begun) return begun;
  }
  const Result<bool> over = under_way_.at(job.job)->slice(channel);
  if (!over || *over) under_way_.erase(job.job);
  if (!over) return tl::unexpected(over.error());
  return {};
}

}  // namespace warpscope
