// profiling/engine/measure/measurer.h: jobs on a device: check, time, count, capture.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/compile/compile_ahead.h"
#include "profiling/engine/measure/measuring_tools.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/outputs_job.h"
#include "profiling/engine/run/stage.h"
#include "profiling/tuning/row_choice.h"
#include "scenes/catalogue.h"

namespace warpscope {

class Measurer : public JobRunner {
 public:
  // `catalogue` must outlive it. error: environment.
  static Result<std::unique_ptr<Measurer>> create(
      int ordinal, ProfilerUse use, const Catalogue& catalogue = built_in_catalogue());

  const Device& device() const { return *tools_->device; }
  KernelStore& kernels() const { return *tools_->kernels; }
  std::vector<Capability> capabilities() const { return tools_->capabilities(); }
  // The version by NVML, else by the kernel module.
  std::string driver_version() const { return tools_->driver_version(); }

  // The inputs of a point that are not on the device, and kernels that are not loaded.
  bool has_host_work(const Job& job) override;
  void do_host_work(const Job& job, const JobChannel& channel) override;
  // Answers with measurements, timelines or roofs on the channel. What is wrong with a variant is a
  // verdict; an error is what kept the job from being done. error: any kind; fault means that the
  // context is lost and the process must end.
  Result<void> run(const Job& job, const JobChannel& channel) override;

 private:
  Measurer(const Catalogue& catalogue, std::unique_ptr<MeasuringTools> tools)
      : catalogue_(catalogue), tools_(std::move(tools)) {}
  // What a job that measures is of; no value: `run` says what is wrong with it.
  struct Place {
    const Scene* scene;
    const Variant* variant;
    Configuration axes;
  };
  std::optional<Place> place_of(const Job& job);
  Result<void> answer_job(const Job& job, const JobChannel& channel);
  Result<void> answer_selftest(const Job& job, const JobChannel& channel);
  // A measurement of one variant, from the inputs to the last counter.
  Result<void> measure(const Job& job, const JobChannel& channel);
  Result<void> measure_on_stage(const Job& job, const JobChannel& channel, const Variant& variant,
                                Measurement& m);
  // The row that an automatic row runs here; notes it in `m`. No value: the job is answered.
  Result<std::optional<RowChoice>> choose(const Job& job, const JobChannel& channel,
                                          const Variant& automatic, Measurement& m);
  // A candidate of an automatic row: checked, timed and checked again.
  Result<RowTrial> try_row(const Job& job, const JobChannel& channel, const Variant& variant,
                           CacheState cache, const Measurement& of);
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
  Result<void> capture(const Job& job, const JobChannel& channel, Stage::Bound& bound,
                       const Measurement& m);
  // Curves and pictures of the run that was checked last.
  void send_outcomes(const JobChannel& channel, const Stage::Bound& bound, const Measurement& m);
  Result<void> prepare(Stage::Bound& bound, Measurement& m);
  Result<void> checked_run(const Variant& variant, Stage::Bound& bound, Measurement& m);

  const Catalogue& catalogue_;
  const std::unique_ptr<MeasuringTools> tools_;
  const std::unique_ptr<Stage> stage_ = std::make_unique<Stage>(*tools_->device, *tools_->kernels);
  ChoiceMemory choices_;
  CompileAhead ahead_{spare_processors()};
};

}  // namespace warpscope
