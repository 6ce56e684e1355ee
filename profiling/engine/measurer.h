// profiling/engine/measurer.h: jobs on a device: check, time, count, capture.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profiling/engine/counters.h"
#include "profiling/engine/job_channel.h"
#include "profiling/engine/nvml.h"
#include "profiling/engine/sass_counters.h"
#include "profiling/engine/selftest.h"
#include "profiling/engine/stage.h"
#include "profiling/engine/timer.h"

namespace warpscope {

class Measurer : public JobRunner {
 public:
  // Without counters where `hands_off`: no CUPTI is loaded. error: environment.
  static Result<std::unique_ptr<Measurer>> create(int ordinal, bool hands_off);

  const Device& device() const { return *device_; }
  std::vector<Capability> capabilities() const;
  // The version by NVML, else by the kernel module.
  std::string driver_version() const;

  // Answers with measurements, timelines or roofs on the channel. What is wrong with a variant is a
  // verdict; an error is what kept the job from being done. error: any kind; fault means that the
  // context is lost and the process must end.
  Result<void> run(const Job& job, const JobChannel& channel) override;

 private:
  Measurer() = default;
  Result<void> measure(const Job& job, const JobChannel& channel);
  Result<void> roofs(const Job& job, const JobChannel& channel);
  Result<void> time(const Job& job, const JobChannel& channel, Stage::Bound& bound, Measurement& m);
  Result<void> count(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                     Measurement& m);
  // Figures by source line of the run's kernels into their step records.
  Result<void> count_lines(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                           Measurement& m);
  Result<void> capture(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                       const Measurement& m);
  Result<void> prepare(Stage::Bound& bound, Measurement& m);
  Result<void> checked_run(const Variant& variant, Stage::Bound& bound, Measurement& m);
  Conditions conditions() const;
  // Counts a known kernel; counters that miss it stay available with a reason that begins with
  // "untrusted".
  SelfTest selftest();

  bool hands_off_ = false;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KernelStore> kernels_;
  std::optional<Nvml> nvml_;
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<Counters> counters_;
  Capability counters_capability_{"counters"};
  std::unique_ptr<SassCounters> sass_counters_;
  Capability sass_capability_{"sass_metrics"};
  std::unique_ptr<Stage> stage_;
};

}  // namespace warpscope
