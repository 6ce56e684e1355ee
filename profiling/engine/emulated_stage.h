// profiling/engine/emulated_stage.h: a workload in host memory, its kernels run by the emulator.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/compare_output.h"
#include "profiling/emulator/emulator.h"
#include "profiling/engine/compiler.h"
#include "scenes/scene.h"

// What Stage is on a device: inputs are made anew only where an axis moved, outputs are poisoned
// before every run, and results are compared with the scene's host reference.

namespace warpscope {

class EmulatedStage {
 public:
  bool holds(const Scene& scene, const Configuration& axes) const {
    return scene_ == &scene && axes_ && *axes_ == axes;
  }
  // error: usage and input (of the configuration), resource (host memory).
  Result<void> set(const Scene& scene, const Configuration& axes);
  const Workload& workload() const { return workload_; }
  // From now on kernels are compiled of these texts; until then of this machine's files.
  void use(SourceLookup sources) { sources_ = std::move(sources); }
  const SourceLookup& sources() const { return sources_; }

  // How a run is looked at.
  struct View {
    std::string block = "0";  // whose requests are kept, of every traced kernel
    int warp = -1;
    bool grid = true;  // every block of the traced kernel, else the kept one alone
    std::string step;  // the kernel step to trace; empty: every one
    bool sums = true;  // false: outputs only, no traces are worth keeping
    std::function<bool()> cancelled;
    std::function<void(double done_ratio, const std::string& text)> progress;
  };
  struct Run {
    std::vector<Trace> traces;  // of the traced steps, in order
    std::vector<Fault> faults;  // of all steps
    bool cancelled = false;
  };
  // Runs the variant's steps in order, the last traced one at the end.
  // error: usage (a library call cannot be emulated, a launch no device takes, no such step), input
  // (a kernel does not compile), resource.
  Result<Run> run(const Variant& variant, const View& view);

  // What a buffer holds after the last run; empty where nobody declares it.
  std::span<const std::byte> bytes_of(const std::string& buffer) const;

  // Holds every element of every output to the reference on the CPU.
  Result<Verdict> check(const Variant& variant);

 private:
  struct Held {
    BufferSpec spec;
    std::span<std::byte> bytes;
    std::vector<std::byte> own;  // of outputs and scratch; inputs lie in inputs_
    std::uint64_t address = 0;
  };
  struct Compiled {
    Program program;
    std::string hash;
    double milliseconds = 0;
  };
  Result<Compiled> program_of(const KernelLaunch& kernel);
  Result<void> run_kernel(const Step& step, const KernelLaunch& kernel, const View& view,
                          bool traced, Run& run);
  Result<std::vector<ArgumentBytes>> arguments_of(const Step& step, const KernelLaunch& kernel);
  Result<Held*> find(const Step& step, const std::string& buffer);

  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  Inputs inputs_;
  Workload workload_;
  SourceLookup sources_ = sources_on_disk();
  // By hash of texts and options; of a text that is edited again and again the newest stays.
  std::map<std::string, Compiled> programs_;
  std::map<CompileRequest, std::string> requests_;
  std::map<std::string, std::vector<ReferenceValue>> expected_;  // by reference/output
  // Of the run at hand.
  std::map<std::string, Held> held_;
  EmulatedMemory memory_;
};

}  // namespace warpscope
