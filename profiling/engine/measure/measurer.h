// profiling/engine/measure/measurer.h: jobs on a device: check, time, count, capture.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "profiling/engine/compile/compile_ahead.h"
#include "profiling/engine/cuda/nvml.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/measure/sass_counters.h"
#include "profiling/engine/measure/selftest.h"
#include "profiling/engine/measure/timer.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/outputs_job.h"
#include "profiling/engine/run/stage.h"
#include "scenes/catalogue.h"

namespace warpscope {

class Measurer : public JobRunner {
 public:
  // Without counters where `hands_off`: no CUPTI is loaded. `catalogue` must outlive it. error:
  // environment.
  static Result<std::unique_ptr<Measurer>> create(
      int ordinal, bool hands_off, const Catalogue& catalogue = built_in_catalogue());

  const Device& device() const { return *device_; }
  KernelStore& kernels() const { return *kernels_; }
  std::vector<Capability> capabilities() const;
  // The version by NVML, else by the kernel module.
  std::string driver_version() const;

  // Answers with measurements, timelines or roofs on the channel. What is wrong with a variant is a
  // verdict; an error is what kept the job from being done. error: any kind; fault means that the
  // context is lost and the process must end.
  Result<void> run(const Job& job, const JobChannel& channel) override;

 private:
  explicit Measurer(const Catalogue& catalogue) : catalogue_(catalogue) {}
  Result<void> answer_job(const Job& job, const JobChannel& channel);
  Result<void> answer_selftest(const Job& job, const JobChannel& channel);
  Result<void> counters_off();  // before what is timed, and before another part of CUPTI works
  // A measurement of one variant, from the inputs to the last counter.
  Result<void> measure(const Job& job, const JobChannel& channel);
  Result<void> measure_on_stage(const Job& job, const JobChannel& channel, const Variant& variant,
                                Measurement& m);
  // `free_bytes`: of the device, before the variant had its scratch.
  Result<void> measure_bound(const Job& job, const JobChannel& channel, const Variant& variant,
                             std::int64_t free_bytes, Stage::Bound& bound, Measurement& m);
  void note_memory(std::int64_t free_bytes, Measurement& m) const;
  // Kernels of jobs that wait for the workload on the stage, beside this one.
  void compile_next(const Job& job, const JobChannel& channel);
  Measurement begun(const Job& job, const Scene& scene, const Configuration& axes) const;
  void note_conditions_after(Measurement& m) const;
  // Sends the measurement with this verdict and no times.
  static Result<void> answer(const JobChannel& channel, Measurement& m, Verdict verdict);
  // A fault is answered with its verdict and then ends the process: the context is lost.
  static Result<void> answer_error(const JobChannel& channel, Measurement& m, const Error& error);
  Result<void> answer_unbound(const JobChannel& channel, const Variant& variant, const Error& error,
                              Measurement& m);
  void explain_launch(const JobChannel& channel, const Variant& variant, Measurement& m,
                      Verdict& verdict);
  // Two variants' outputs, bit by bit.
  Result<void> hold_outputs(const Job& job, const JobChannel& channel);
  Result<RunOutputs> run_for_outputs(const Job& job, const Scene& scene, const Variant& variant,
                                     const Configuration& axes, const JobChannel& channel);
  Result<void> roofs(const Job& job, const RoofsJob& asked, const JobChannel& channel);
  Result<void> time(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                    Stage::Bound& bound, Measurement& m);
  // A run with steps on the host: by the host's clock, one run a sample.
  Result<void> time_on_host(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                            Measurement& m);
  // Each step alone, or of a graph by its nodes.
  Result<void> time_steps(const JobChannel& channel, Stage::Bound& bound, Measurement& m);
  Result<void> count(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                     Stage::Bound& bound, Measurement& m);
  // Figures by source line of the run's kernels into their step records.
  Result<void> count_lines(const Job& job, const MeasureJob& asked, const JobChannel& channel,
                           Stage::Bound& bound, Measurement& m);
  Result<void> capture(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                       const Measurement& m);
  // What activity records say of a graph.
  struct GraphRecords {
    std::vector<double> step_ns;         // of each run step
    std::optional<std::string> differs;  // how its launches differ from those of the steps
  };
  // error: environment (no CUPTI, records that do not fit), what the steps report.
  Result<GraphRecords> look_at_graph(const Stage::Bound& bound);
  // Counters of a graph in one range, then of its steps on a stream.
  Result<void> count_graph(const JobChannel& channel, const Job& job, const MeasureJob& asked,
                           const CounterPlan& plan, const Stage::Bound& bound, Measurement& m);
  // Counters of each step on the device in a range of its own, in one run a pass.
  Result<std::vector<RangeCounters>> count_steps(const JobChannel& channel, const Job& job,
                                                 const MeasureJob& asked, const CounterPlan& plan,
                                                 const Stage::Bound& bound,
                                                 const std::string& announced);
  Result<void> before_pass(const MeasureJob& asked, const Stage::Bound& bound);
  // Curves and pictures of the run that was checked last.
  void send_outcomes(const JobChannel& channel, const Stage::Bound& bound, const Measurement& m);
  Result<void> prepare(Stage::Bound& bound, Measurement& m);
  Result<void> checked_run(const Variant& variant, Stage::Bound& bound, Measurement& m);
  Conditions conditions() const;
  // Counts a known kernel; counters that miss it stay available with a reason that begins with
  // "untrusted".
  SelfTest selftest();

  const Catalogue& catalogue_;
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
  CompileAhead ahead_{spare_processors()};
};

}  // namespace warpscope
