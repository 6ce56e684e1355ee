// profiling/engine/plan.h: a variant's steps bound to device memory, kernels and library plans.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/engine/compiler.h"
#include "profiling/engine/device.h"
#include "profiling/engine/libraries.h"
#include "scenes/scene.h"

namespace warpscope {

// Device buffers by the scene's names.
using Buffers = std::map<std::string, DeviceBuffer>;
// Where a plan finds a buffer; null when there is none of that name.
using BufferFinder = std::function<const DeviceBuffer*(const std::string&)>;

// A step ready to run any number of times.
class BoundStep {
 public:
  // Compiles, plans the library call, checks grid limits and argument sizes.
  // error: usage with the sentence why it cannot launch, input (compile log), environment,
  // resource.
  static Result<BoundStep> bind(const Device& device, KernelStore& kernels, const Step& step,
                                const BufferFinder& find);
  // Queues the step on `stream`. error: usage (launch refused), fault, environment.
  Result<void> run(CUstream stream) const;
  // What a library does once for an input; nothing for other steps.
  Result<void> prepare_library(CUstream stream) const;
  const Step& step() const { return step_; }
  const Kernel& kernel() const { return kernel_; }
  bool is_library() const { return library_ != nullptr; }

 private:
  const Device* device_ = nullptr;
  Step step_;
  Kernel kernel_;
  std::shared_ptr<LibraryPlan> library_;
  CUdeviceptr to_ = 0, from_ = 0;  // of memsets and copies
  std::size_t bytes_ = 0;
  // The arguments' values in order; of a tensor map its index in maps_.
  struct Value {
    std::uint64_t bits = 0;
    bool is_map = false;
  };
  std::vector<Value> values_;
  std::vector<CUtensorMap> maps_;
};

// The record of a step for a measurement, without times.
StepRecord record_of(const BoundStep& step);

}  // namespace warpscope
