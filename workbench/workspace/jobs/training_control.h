// workbench/workspace/jobs/training_control.h: a training: begun, paused, gone on with.
#pragma once

#include <cstdint>
#include <optional>

#include "workbench/workspace/jobs/job_scheduler.h"

namespace warpscope {

// Keeps the last checkpoint that came: beside the recording, and where the next window finds it.
class TrainingControl {
 public:
  TrainingControl(const OpenedSession& opened, const ShownScene& scene, Selection& selection,
                  Engines& engines, JobScheduler& jobs, WindowLog& log);

  void begin(const std::string& variant);  // at the selection
  void go_on();                            // from the last checkpoint, at its axes
  // Both end the training after the step under way, with a checkpoint; only a pause says that it
  // can go on.
  void pause();
  void stop();
  void keep(const TrainingState& state);
  void find();  // the checkpoint that an earlier window left of this scene
  TrainingStanding standing() const;

 private:
  void submit(const Variant& variant, Job job);
  bool of_scene() const;  // whether the last checkpoint is

  const OpenedSession& opened_;
  const ShownScene& scene_;
  Selection& selection_;
  Engines& engines_;
  JobScheduler& jobs_;
  WindowLog& log_;
  std::optional<TrainingState> trained_;  // the last checkpoint, of any scene
  std::int64_t job_ = 0;                  // of this window; 0: none yet
  bool stopped_ = false;                  // by hand, for good
};

}  // namespace warpscope
