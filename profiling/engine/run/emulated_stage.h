// profiling/engine/run/emulated_stage.h: a workload in host memory, its kernels run by the
// emulator.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"
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

// The texts of a kernel one after the other, after a line for each define.
std::string text_of(const std::vector<KernelSource>& sources,
                    const std::vector<std::pair<std::string, std::string>>& defines);

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
  const Inputs& inputs() const { return inputs_; }
  // From now on kernels are compiled of these texts; until then of this machine's files.
  void use(SourceLookup sources) { sources_ = std::move(sources); }
  const SourceLookup& sources() const { return sources_; }
  // From now on a kernel that takes longer ends with a fault that says so. 0: it ends by the
  // emulator's budget of instructions.
  void limit_kernels(double seconds) { kernel_limit_s_ = seconds; }
  // Facts of every input, for who states figures of them. Empty where the inputs take more host
  // memory than the emulator may.
  Facts facts() const;

  // How a run is looked at.
  struct View {
    std::string block = "0";  // whose requests are kept, of every traced kernel
    int warp = -1;
    bool grid = true;  // every block of the traced kernel, else the kept one alone …
    // … or, above 0, as many as take about so many warp instructions, to stand for the grid. A step
    // whose results a later one uses is run whole all the same, unless that takes its stand-ins.
    std::int64_t sample_instructions = 0;
    std::string step;  // the kernel step to trace; empty: every one
    // __device__ variables are as the last run left them.
    bool keeps_variables = false;
    bool sums = true;  // false: outputs only, no traces are worth keeping
    // Without sums: the blocks of every kernel that run, below 0 from the last on; empty: all.
    std::vector<std::int64_t> blocks = {};
    // Few pages are touched: arrays may be larger than the memory that the emulator may take.
    bool sparse = false;
    std::function<bool()> cancelled;
    std::function<void(double done_ratio, const std::string& text)> progress;
  };
  struct Run {
    std::vector<Trace> traces;  // of the traced steps, in order
    std::vector<Fault> faults;  // of all steps
    std::string hang;           // HangStory::verdict of the first step that never ends; empty: none
    bool cancelled = false;
  };
  // Runs the variant's steps in order, the last traced one at the end. One step that is traced
  // alone and declares stand-ins gets those: of the steps before it only those run that touch what
  // it reads besides. Stand-ins also replace what a library call without a function would have
  // left. error: usage (a library call cannot be emulated, a launch no device takes, no such step),
  // input (a kernel does not compile), resource, what a host function says.
  Result<Run> run(const Variant& variant, const View& view);

  // For who runs steps again and again on what the last run left: lays the variant's buffers out as
  // a run finds them; writes one, its mirror too; runs some of the variant's steps, without sums.
  // error: as run; usage (no such buffer, or of another size).
  Result<void> begin(const Variant& variant);
  Result<void> write(const std::string& buffer, std::span<const std::byte> bytes);
  Result<Run> go_on(const Variant& variant, const std::vector<Step>& steps, const View& view);

  // Bytes of host memory that inputs and buffers take now: whole arrays, and pages that were made.
  std::int64_t taken_bytes() const;

  // What a buffer holds after the last run; empty where nobody declares it.
  std::span<const std::byte> bytes_of(const std::string& buffer) const;
  bool holds_buffer(const std::string& buffer) const { return held_.count(buffer) != 0; }

  // Holds every element of every output, and of the states that the reference covers, to the
  // reference on the CPU; of outputs these elements alone where some are chosen.
  Result<Verdict> check(const Variant& variant,
                        const std::optional<std::vector<std::int64_t>>& elements = {});
  // Of the last check, in the order of the elements; no value if all were right.
  const std::optional<WrongElement>& first_wrong() const { return first_wrong_; }
  // The errors against the references that judge nothing, of the last run.
  Result<std::vector<ReportedError>> report(const Variant& variant);

 private:
  struct Held {
    BufferSpec spec;
    HostArray* array = nullptr;     // of inputs_, or own
    HostArray own;                  // of all but inputs
    std::vector<std::byte> mirror;  // the host's, where a step names it
    std::uint64_t address = 0;
    // All of it, every page made.
    std::span<std::byte> bytes() const { return array->bytes(); }
  };
  struct Compiled {
    Program program;
    std::string hash;
    double milliseconds = 0;
  };
  // What library calls without a function would have written.
  struct Unknown {
    std::set<std::string> buffers;
    std::string library;  // the last of them
  };
  // Which of the steps up to a last one run, and how.
  struct Course {
    const std::vector<Step>& steps;
    const View& view;
    std::size_t end = 0;  // after the last traced one
    // A step that is traced alone takes its stand-ins rather than all that makes its inputs; where
    // not all blocks run, so does every step whose results none after it needs.
    struct Part {
      bool runs = true;
      bool whole = false;  // a step after it uses its results
      bool stands_in = false;
    };
    std::vector<Part> parts = {};  // of the steps up to `end`
    bool is_traced(const Step& step) const;
  };
  Result<Course> course_of(const Variant& variant, const std::vector<Step>& steps,
                           const View& view) const;
  void lay_out_parts(Course& course) const;
  bool is_input(const std::string& buffer) const;
  static std::set<std::string> stood_in(const Step& step);  // that its stand-ins make
  Result<Run> run_laid_out(const Variant& variant, const std::vector<Step>& steps,
                           const View& view);
  Result<void> run_step(const Variant& variant, const Course& course, std::size_t index,
                        Unknown& unknown, Run& run);
  // Instead of a call that nobody can emulate: its outputs are not known from here on.
  Result<void> pass_over(const Variant& variant, const LibraryCall& call,
                         const std::set<std::string>& touched, const View& view,
                         Unknown& unknown) const;
  // Stands in for what the step lacks, or for all that it may where it takes its stand-ins. Gives
  // the sentences that say so. error: usage, something is still lacking.
  Result<std::vector<std::string>> replace_unknown(const Variant& variant, const Step& step,
                                                   const std::set<std::string>& touched,
                                                   bool traced, bool stands_in, Unknown& unknown);
  static constexpr int kArchitecture = 90;  // that kernels are compiled for
  Result<Compiled> program_of(const CompileRequest& request);
  Result<void> run_kernel(const Step& step, const KernelLaunch& kernel, const View& view,
                          bool traced, bool feeds_others, Run& run);
  Result<std::vector<ArgumentBytes>> arguments_of(const Step& step, const KernelLaunch& kernel);
  Result<Held*> find(const Step& step, const std::string& buffer);
  // The buffers of the variant as a run finds them: outputs poisoned, states as they begin.
  Result<void> lay_out(const Variant& variant, const std::vector<Step>& steps,
                       bool keeps_variables);
  // A step that is not a kernel.
  Result<void> run_other(const Step& step);
  Result<void> fill_constants(const Step& step, const ConstantCopy& copy);
  // The function's buffers: those of the device, or their mirrors.
  Result<void> run_function(const Step& step, const HostFunction& function, bool in_mirrors);
  // What stands in for these buffers, of the step's stand-ins; says it in `sentences`.
  Result<void> stand_in(const Step& step, const std::set<std::string>& buffers,
                        std::vector<std::string>& sentences);
  Verdict unchecked() const;
  Result<Verdict> compare_all(const Variant& variant, const Reference& reference,
                              const std::optional<std::vector<std::int64_t>>& elements);
  // What a buffer must hold, at these elements or at all.
  std::vector<ReferenceValue> expected_of(const Reference& reference, const Held& held,
                                          const std::optional<std::vector<std::int64_t>>& elements);
  // What a reference without a host function expects, unless it is known. error: fault (its steps
  // went wrong), resource, what they say.
  Result<void> emulate_reference(const Reference& reference);
  // Of what it found, at these elements or at all.
  std::vector<ReferenceValue> emulated_values(
      const Reference& reference, const std::string& output,
      const std::optional<std::vector<std::int64_t>>& elements) const;
  Result<void> run_reference(const Reference& reference, const std::vector<BufferSpec>& covered);
  Result<void> hold(const BufferSpec& spec, bool mirrored);
  bool takes_too_much() const;
  // Before so many bytes of a buffer are made: whether there is room for them. error: resource.
  Result<void> admit_bytes(const Held& held, std::int64_t bytes) const;

  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  std::string change_;  // of the inputs
  Inputs inputs_;
  Workload workload_;
  SourceLookup sources_ = sources_on_disk();
  // By hash of texts and options; of a text that is edited again and again the newest stays.
  std::map<std::string, Compiled> programs_;
  std::map<CompileRequest, std::string> requests_;
  std::map<std::string, std::vector<ReferenceValue>> expected_;  // by reference/output
  std::optional<WrongElement> first_wrong_;
  // For the current run.
  std::map<std::string, Held> held_;
  std::set<std::string> left_on_host_;
  EmulatedMemory memory_;
  std::function<bool()> cancelled_;
  double kernel_limit_s_ = 0;
};

}  // namespace warpscope
