// profiling/engine/run/stage.h: a workload on the device: inputs, outputs, references, and the
// check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "profiling/engine/run/captured_graph.h"
#include "profiling/engine/run/host_inputs.h"
#include "profiling/engine/run/plan.h"
#include "profiling/points/measurement.h"

// One stage holds one workload of one scene. Moving to the next configuration remakes only the
// input groups whose axes moved and uploads the inputs. The references of the outputs are made once
// per workload and shared by all its variants. A copy of the initial states is kept.

namespace warpscope {

class Stage {
 public:
  Stage(const Device& device, KernelStore& kernels) : device_(device), kernels_(kernels) {}

  // Whether this configuration's inputs are the ones on the device.
  bool holds(const Scene& scene, const Configuration& axes) const {
    return scene_ == &scene && axes_ && *axes_ == axes && !suspect_ && inputs_.are_of(scene, axes);
  }
  // Makes the inputs of a configuration that is set next, on the host alone: `set` then uploads
  // them. No value: it does not fit, or they cannot be made, which `set` says.
  std::optional<Workload> make_inputs(const Scene& scene, const Configuration& axes);
  // error: usage and input (of the configuration), resource (it does not fit), fault.
  Result<void> set(const Scene& scene, const Configuration& axes);
  const Workload& workload() const { return workload_; }
  const Scene& scene() const { return *scene_; }

  // The steps of a variant with the device addresses of their buffers. Its scratch and the host's
  // mirrors are allocated beside the inputs.
  struct Bound {
    std::vector<BoundStep> prepare, run;
    std::shared_ptr<Buffers> scratch;
    std::shared_ptr<HostMirrors> mirrors;
    std::set<std::string> left_on_host;  // written by the host and copied by no step
    Submission submission = Submission::stream;
    std::shared_ptr<const CapturedGraph> graph;  // once captured; null on a stream

    bool on_host() const;  // has a step on the host
    // The run steps once, as they are submitted. error: as BoundStep::run.
    Result<void> submit(CUstream stream) const;
    // The same on a stream, whatever the submission.
    Result<void> run_steps(CUstream stream) const;
  };
  Result<Bound> bind(const Variant& variant);
  // What inputs, outputs and states have on the device, without any variant's scratch.
  std::int64_t array_bytes() const;
  // The id of the texts that its kernels are compiled from and of the libraries here. Empty if one
  // is missing; `bind()` reports that.
  std::string code_id(const Variant& variant) const;

  // Puts every state back to how it began, on the device and in the mirrors.
  Result<void> restore_states(const Bound& bound);
  // Fills every output with 0xFF bytes, which are NaN in every floating type; mirrors too.
  Result<void> poison_outputs(const Bound& bound);
  // Makes the reference of the outputs from the inputs as they are. This happens before a variant
  // runs, so that a variant that writes into its inputs does not change its reference. error:
  // fault, internal.
  Result<void> make_reference_of(const Variant& variant);
  // Notes what the inputs hold, unless that is known: before a variant's first step. error: fault.
  Result<void> note_inputs();
  // Compares every output, and the states that its reference covers, with the reference. Data that
  // only the host has is copied first. A variant that wrote into a noted input is wrong, whatever
  // its outputs are: its next run has other work than the first. The stream is idle afterwards.
  // error: fault, internal.
  Result<Verdict> check(const Variant& variant, const Bound& bound);
  // The errors against the references that judge nothing, of the output that was checked last.
  Result<std::vector<ReportedError>> report(const Variant& variant);
  // Writes all of a buffer on the device. error: usage (no such buffer, or of another size), fault.
  Result<void> write(const Bound& bound, const std::string& buffer,
                     std::span<const std::byte> bytes) const;
  // What a buffer holds. error: usage (there is none of this name), fault.
  Result<std::vector<std::byte>> bytes_of(const Bound& bound, const std::string& buffer) const;

 private:
  const DeviceBuffer* find(const std::string& name, const Buffers* scratch) const;
  Result<void> upload_all(std::set<std::string>& fresh);
  // Uploads an input or a state that is in `fresh` or whose buffer is new; adds it to `fresh`.
  Result<void> upload(const BufferSpec& spec, std::set<std::string>& fresh);
  // Runs the groups that make their arrays on the device, where one of these is `stale`.
  Result<void> make_on_device(const std::set<std::string>& stale);
  Result<void> keep_states(const std::set<std::string>& stale);
  Result<void> make_reference(const Reference& reference, Buffers& parts);
  // A number for all that each input holds.
  Result<std::map<std::string, std::uint64_t>> sums_of_inputs() const;
  // A noted input that holds something else now; empty: none does.
  Result<std::string> changed_input() const;
  Result<Verdict> compare_all(const Variant& variant, const Reference& reference,
                              const Buffers& parts);
  Result<Verdict> compare(const Variant& variant, const BufferSpec& output, const Buffers& parts);

  const Device& device_;
  KernelStore& kernels_;
  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  HostInputs inputs_;
  Workload workload_;
  std::vector<BufferSpec> specs_;
  Buffers buffers_;
  Buffers kept_;                             // states as they began
  std::map<std::string, Buffers> reported_;  // parts of references that judge nothing, by identity
  bool suspect_ = false;  // a kernel went wrong: it may have written into the inputs as well
  std::map<std::string, std::uint64_t> noted_inputs_;  // empty: not since they were made
  std::string reference_;  // name and code of what is in the reference buffers; empty: nothing
};

// What a step of a run finds: states as they began, then what the steps before it left. error: as
// BoundStep::run.
Result<void> run_before(Stage& stage, const Stage::Bound& bound, std::size_t step, CUstream stream);

}  // namespace warpscope
