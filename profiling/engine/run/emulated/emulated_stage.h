// profiling/engine/run/emulated/emulated_stage.h: a workload in host memory, its kernels run by the
// emulator.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/run/emulated/course.h"
#include "profiling/engine/run/emulated/machine_programs.h"
#include "profiling/engine/run/emulated/programs.h"
#include "profiling/points/compare_output.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/base/scene.h"

// What Stage is on a device: inputs are made anew only where an axis moved, outputs are poisoned
// before every run, and results are compared with the scene's host reference, or where it has none
// with what the steps of its reference write when they are emulated. Steps on the host run
// there in mirrors of their own, as on a device; of a library call its function on the host runs.
// Inputs, outputs and scratch are made by page as kernels touch them, so that one block of
// gigabytes is drawn at once.

namespace warpscope {

class EmulatedStage {
 public:
  // What becomes of the inputs after they were made, before anything reads them.
  struct Change {
    std::string name;  // tells it from others; empty: nothing is changed
    std::function<void(const Workload&, Inputs&)> apply;
  };
  bool holds(const Scene& scene, const Configuration& axes, const std::string& change = {}) const {
    return scene_ == &scene && axes_ && *axes_ == axes && change_ == change;
  }
  // error: usage and input (of the configuration), resource (host memory).
  Result<void> set(const Scene& scene, const Configuration& axes, const Change& change = {});
  const Workload& workload() const { return workload_; }
  const Inputs& inputs() const { return buffers_.inputs(); }
  // From now on kernels are compiled of these texts; until then of this machine's files.
  void use(SourceLookup sources) { programs_.use(std::move(sources)); }
  const SourceLookup& sources() const { return programs_.sources(); }
  // From now on a kernel that takes longer ends with a fault that says so. 0: it ends by the
  // emulator's budget of instructions.
  void limit_kernels(double seconds) { kernel_limit_s_ = seconds; }
  // Facts of every input, for callers that state figures of them. Empty if the inputs take more
  // host memory than the emulator may use.
  Facts facts() const;

  using View = EmulatedView;
  struct Run {
    std::vector<Trace> traces;  // of the traced steps, in order
    std::vector<Fault> faults;  // of all steps
    std::string hang;           // HangStory::verdict of the first step that never ends; empty: none
    std::string host_function;  // of a whole run: as host_function_in has it
    std::string approximation;  // without sums: as approximation_in has it
    bool cancelled = false;
    bool machine_code_at_hand = true;  // of every traced kernel: it was made before
  };
  // Runs the variant's steps in order, the last traced one at the end. One step that is traced
  // alone and declares stand-ins gets those: of the steps before it only those run that touch what
  // it reads besides. Stand-ins also replace what a library call without a function would have
  // left. error: usage (a library call cannot be emulated, a launch no device takes, no such step),
  // input (a kernel does not compile), resource, what a host function says.
  Result<Run> run(const Variant& variant, const View& view);

  // For callers that repeat steps on the results of the last run. `begin` lays the variant's
  // buffers out as a run finds them, `write` writes one and its mirror, and `go_on` runs some of
  // the variant's steps, without sums. error: as run; usage (no such buffer, or of another size).
  Result<void> begin(const Variant& variant);
  Result<void> write(const std::string& buffer, std::span<const std::byte> bytes) {
    return buffers_.write(buffer, bytes);
  }
  Result<Run> go_on(const Variant& variant, const std::vector<Step>& steps, const View& view);

  // The threads per block that the kernel's text promises, in __launch_bounds__; 0: none, or it
  // does not compile.
  std::int64_t promised_threads(const KernelLaunch& kernel);

  // Bytes of host memory that inputs and buffers take now: whole arrays, and pages that were made.
  std::int64_t taken_bytes() const { return buffers_.taken_bytes(); }

  // What a buffer holds after the last run; empty where nobody declares it.
  std::span<const std::byte> bytes_of(const std::string& buffer) const {
    return buffers_.bytes_of(buffer);
  }
  bool holds_buffer(const std::string& buffer) const { return buffers_.holds(buffer); }

  // Holds every element of every output, and of the states that the reference covers, to the
  // reference on the CPU; of outputs these elements alone where some are chosen.
  Result<Verdict> check(const Variant& variant,
                        const std::optional<std::vector<std::int64_t>>& elements = {});
  // The first wrong element that the last check found; none if all were right.
  const std::optional<WrongElement>& first_wrong() const { return first_wrong_; }
  // The errors against the references that judge nothing, of the last run.
  Result<std::vector<ReportedError>> report(const Variant& variant);

 private:
  Result<Run> run_laid_out(const Variant& variant, const std::vector<Step>& steps,
                           const View& view);
  Result<void> run_step(const Variant& variant, const EmulatedCourse& course, std::size_t index,
                        UnknownBuffers& unknown, Run& run);
  // The kernel as PTX, or as machine code where the view asks for that or there is nothing else.
  Result<EmulatedRun> emulate_kernel(const CompileRequest& request, const CodeLaunch& launch,
                                     const View& view, bool traced, Run& run);
  Result<void> run_kernel(const Step& step, const KernelLaunch& kernel, const View& view,
                          bool traced, bool feeds_others, Run& run);
  Verdict unchecked() const;
  Result<Verdict> compare_all(const Variant& variant, const Reference& reference,
                              const std::optional<std::vector<std::int64_t>>& elements);
  // What a buffer must hold, at these elements or at all.
  std::vector<ReferenceValue> expected_of(const Reference& reference,
                                          const EmulatedBuffers::Held& held,
                                          const std::optional<std::vector<std::int64_t>>& elements);
  // What a reference without a host function expects, unless it is known. error: fault (its steps
  // went wrong), resource, what they say.
  Result<void> emulate_reference(const Reference& reference);
  // The values of `output` that emulate_reference found: at `elements`, or all of them.
  std::vector<ReferenceValue> emulated_values(
      const Reference& reference, const std::string& output,
      const std::optional<std::vector<std::int64_t>>& elements) const;
  Result<void> run_reference(const Reference& reference, const std::vector<BufferSpec>& covered);

  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  std::string change_;  // of the inputs
  Workload workload_;
  EmulatedPrograms programs_;
  MachinePrograms machine_programs_;
  EmulatedBuffers buffers_;
  std::map<std::string, std::vector<ReferenceValue>> expected_;  // by reference/output
  std::optional<WrongElement> first_wrong_;
  std::function<bool()> cancelled_;  // of the current run
  double kernel_limit_s_ = 0;
};

}  // namespace warpscope
