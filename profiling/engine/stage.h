// profiling/engine/stage.h: a workload on the device: inputs, outputs, references, and the check.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/engine/plan.h"
#include "profiling/measurement.h"

// One stage holds one workload of one scene. Moving to the next configuration makes anew only the
// input groups whose axes moved and uploads the inputs; the references of the outputs are
// made once a workload and shared by all its variants.

namespace warpscope {

class Stage {
 public:
  Stage(const Device& device, KernelStore& kernels) : device_(device), kernels_(kernels) {}

  // Whether this configuration's inputs are the ones on the device.
  bool holds(const Scene& scene, const Configuration& axes) const {
    return scene_ == &scene && axes_ && *axes_ == axes && !suspect_;
  }
  // error: usage and input (of the configuration), resource (it does not fit), fault.
  Result<void> set(const Scene& scene, const Configuration& axes);
  const Workload& workload() const { return workload_; }
  const Scene& scene() const { return *scene_; }

  // Allocates the scratch of a variant beside the inputs and binds its steps.
  struct Bound {
    std::vector<BoundStep> prepare, run;
    std::shared_ptr<Buffers> scratch;
  };
  Result<Bound> bind(const Variant& variant);
  // Of the texts that its kernels are compiled of and the libraries here; empty where one is
  // missing, of which binding tells.
  std::string code_id(const Variant& variant) const;

  // Fills every output with 0xFF bytes, which are NaN in every floating type.
  Result<void> poison_outputs();
  // Compares every output with its reference. The stream is idle afterwards. error: fault,
  // internal.
  Result<Verdict> check(const Variant& variant);

 private:
  const DeviceBuffer* find(const std::string& name, const Buffers* scratch) const;
  // Uploads an input that is in `fresh` or whose buffer is new.
  Result<void> upload(const BufferSpec& spec, const std::set<std::string>& fresh);
  Result<void> make_reference(const Reference& reference);
  Result<void> spot_check(const Reference& reference, const BufferSpec& output);
  Result<Verdict> compare(const Variant& variant, const BufferSpec& output);

  const Device& device_;
  KernelStore& kernels_;
  const Scene* scene_ = nullptr;
  std::optional<Configuration> axes_;
  Inputs inputs_;
  Workload workload_;
  std::vector<BufferSpec> specs_;
  Buffers buffers_;
  bool suspect_ = false;   // a kernel went wrong: it may have written into the inputs as well
  std::string reference_;  // name and code of what is in the reference buffers; empty: nothing
};

}  // namespace warpscope
