// profiling/engine/run/emulation.h: trace and verify jobs, answered by the emulator.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/engine/compile/compile_ahead.h"
#include "profiling/engine/run/emulated/emulated_stage.h"
#include "profiling/engine/run/job_channel.h"
#include "profiling/engine/run/outputs_job.h"
#include "scenes/base/hard_case.h"
#include "scenes/catalogue.h"

namespace warpscope {

// The emulate role: needs no driver and no device.
class Emulation : public JobRunner {
 public:
  // `catalogue` must outlive it.
  explicit Emulation(const Catalogue& catalogue = built_in_catalogue()) : catalogue_(catalogue) {}
  // Registers jobs are answered with a Compilation an architecture, outputs jobs with an
  // OutputPair, listing jobs with a Listing. Trace jobs are answered with a Trace for each traced
  // kernel step, live ones that ask for a sample with the block alone before, and
  // PTX before machine code that must be made first; verify jobs with a
  // Measurement that has a verdict and no times, and where the output is right with the scene's
  // curves and pictures, those of a hard case with a HardVerdict. error: usage, input, environment,
  // resource.
  Result<void> run(const Job& job, const JobChannel& channel) override;
  // Jobs that wait run between the diagram of PTX and that of machine code, which takes longer.
  bool goes_on(const Job& job) const override { return unfinished_ && unfinished_->job == job.job; }

 private:
  // A trace job of a variant.
  struct Traced {
    const Job& job;
    const TraceJob& asked;
    const Scene& scene;
    const Variant& variant;
    const JobChannel& channel;
    const std::string& key;
    std::vector<Step> steps;
  };
  // A live one whose traces of PTX were sent.
  struct Unfinished {
    std::int64_t job = 0;
    std::vector<Trace> ptx;
  };
  Result<void> trace(const Traced& t);
  EmulatedStage::View view_of(const Traced& t) const;
  // A run whose traces say what they are of, with guesses marked among its findings if asked for.
  Result<EmulatedStage::Run> traced_run(const Traced& t, const EmulatedStage::View& view,
                                        bool findings);
  // Sends the traces of one run as its job asks; false: cancelled, or set aside. Live, `first`:
  // PTX at once if machine code is not at hand.
  Result<bool> trace_once(const Traced& t, const EmulatedStage::View& view, bool first,
                          std::string& why);
  // Runs the machine code and sends its figures with the findings of these traces. Gives why some
  // of them stay of PTX; empty: none.
  Result<std::string> add_machine_code(const Traced& t, EmulatedStage::View view,
                                       std::vector<Trace> ptx);
  // The outputs as the last run left them, with a hash each, or why there is none.
  std::vector<TracedOutput> hashed_outputs(const Scene& scene, const std::vector<Step>& steps,
                                           const EmulatedStage::Run& run) const;
  // Begins to compile what this job launches, and those after it that have the same inputs.
  void compile_next(const Job& job, const Scene& scene, const JobChannel& channel);
  // A file of the person's own.
  Result<void> run_user(const Job& job, const JobChannel& channel);
  // The kernels of a variant as they are compiled for each architecture of the job.
  Result<void> compile(const Job& job, const RegistersJob& asked, const Variant& variant,
                       const JobChannel& channel, const std::string& key);
  // A kernel step as PTX and as machine code.
  Result<void> list(const Job& job, const ListingJob& asked, const Variant& variant,
                    const JobChannel& channel, const std::string& key);
  // Two variants' outputs, bit by bit.
  Result<void> hold_outputs(const Job& job, const Scene& scene, const JobChannel& channel);
  Result<RunOutputs> run_for_outputs(const Scene& scene, const Variant& variant,
                                     const Configuration& axes, const JobChannel& channel);
  // For a variant whose blocks have more shared memory than there is, or too many threads for any
  // number of registers and no __launch_bounds__ for them: records its kernels as compiled. Returns
  // the verdict if one of them would not start.
  std::optional<Verdict> predict_launches(const Scene& scene, const Variant& variant,
                                          Measurement& m, const JobChannel& channel);
  // Buffers of a folder's scene, and names of shared memory, whose size its description calls a
  // guess.
  std::vector<std::string> guessed_sizes_of(const Job& job) const;
  // Marks faults of `run` that do not happen if it begins with other numbers in the buffers whose
  // contents the description calls a guess. True: it ran again, so the outputs are other ones. The
  // inputs are as before. error: of the inputs.
  Result<bool> mark_contents(const Job& job, const Scene& scene, const Variant& variant,
                             const EmulatedStage::View& view, EmulatedStage::Run& run);
  // What every verification says of itself, before its verdict.
  Measurement verified(const Job& job, const std::string& key) const;
  // Runs the variant and compares its outputs with the reference, at `hard` unless it is null.
  // False: cancelled. error: internal.
  Result<bool> hold_to_reference(const Job& job, const Scene& scene, const Variant& variant,
                                 const HardCase* hard, const JobChannel& channel, Measurement& m);
  Result<void> verify(const Job& job, const Scene& scene, const Variant& variant,
                      const JobChannel& channel, const std::string& key);
  Result<void> verify_hard(const Job& job, const Scene& scene, const Variant& variant,
                           const HardCase& hard, const EmulatedStage::Change& change,
                           const JobChannel& channel, const std::string& key);
  Result<void> run_before(const Job& job, const Scene& scene, const Variant& variant,
                          const HardCase& hard, const EmulatedStage::Change& change,
                          const JobChannel& channel);
  // For a variant that ran and was right: whether its outputs have the bits of the other one that
  // it promises; puts a verdict and the first wrong element in `answer` where they have not. error:
  // of the other's run.
  Result<void> hold_to_twin(const Job& job, const Scene& scene, const std::string& twin,
                            const EmulatedStage::Change& change, const JobChannel& channel,
                            HardVerdict& answer);
  const Catalogue& catalogue_;
  EmulatedStage stage_;
  std::optional<Unfinished> unfinished_;
  CompileAhead ahead_{emulating_processors()};
  std::int64_t ahead_until_ = -1;  // the last job that `compile_next` saw
};

Hello emulation_hello();

}  // namespace warpscope
