// profiling/engine/training/training_runner.h: training jobs, between those of another runner.
#pragma once

#include <map>
#include <memory>

#include "profiling/engine/training/learning.h"
#include "scenes/catalogue.h"

namespace warpscope {

// Answers training jobs itself, a slice a call, and hands all others on. It does not know what runs
// the steps.
class TrainingRunner : public JobRunner {
 public:
  // Both must outlive it.
  TrainingRunner(JobRunner& others, OpenTrainingPlace open,
                 const Catalogue& catalogue = built_in_catalogue())
      : others_(others), open_(std::move(open)), catalogue_(catalogue) {}
  bool has_host_work(const Job& job) override;
  void do_host_work(const Job& job, const JobChannel& channel) override;
  Result<void> run(const Job& job, const JobChannel& channel) override;
  bool goes_on(const Job& job) const override { return under_way_.count(job.job) != 0; }

 private:
  Result<void> begin(const Job& job, const JobChannel& channel);
  JobRunner& others_;
  OpenTrainingPlace open_;
  const Catalogue& catalogue_;
  std::map<std::int64_t, std::unique_ptr<Learning>> under_way_;  // by job
};

}  // namespace warpscope
