// profiling/engine/run/plan.h: a variant's steps bound to device memory, kernels and library plans.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/cuda/libraries.h"
#include "profiling/engine/run/host_mirror.h"
#include "scenes/base/scene.h"

namespace warpscope {

// Device buffers by the scene's names.
using Buffers = std::map<std::string, DeviceBuffer>;
// Where a plan finds a buffer; null when there is none of that name.
using BufferFinder = std::function<const DeviceBuffer*(const std::string&)>;

// A step ready to run any number of times.
class BoundStep {
 public:
  // Compiles, plans the library call, checks grid limits, argument sizes and parts of buffers. Host
  // steps and host copies find their buffers in `mirrors`, which must outlive the step.
  // error: usage with the sentence why it cannot launch, input (compile log), environment,
  // resource.
  static Result<BoundStep> bind(const Device& device, KernelStore& kernels, const Step& step,
                                const BufferFinder& find, const HostMirrors* mirrors = nullptr);
  // Queues the step on `stream`; a host step waits for what is queued there, and runs. error: usage
  // (launch refused), fault, environment, what a host function says.
  Result<void> run(CUstream stream) const;
  // Queues the step's launch, of another function with the same parameters. error: as run.
  Result<void> launch(CUfunction function, CUstream stream) const;
  // What a library does once for an input; nothing for other steps.
  Result<void> prepare_library(CUstream stream) const;
  // Which algorithm it took then; empty: there was no choice.
  std::string library_choice() const;
  const Step& step() const { return step_; }
  const Kernel& kernel() const { return kernel_; }
  bool is_library() const { return library_ != nullptr; }
  bool is_on_host() const { return std::holds_alternative<HostStep>(step_.action); }

 private:
  // What a step is bound to.
  struct Surroundings {
    const Device& device;
    KernelStore& kernels;
    const BufferFinder& find;
    const HostMirrors* mirrors;
  };
  Result<const DeviceBuffer*> buffer(const Surroundings& in, const std::string& name) const;
  // The host's memory of a buffer.
  Result<std::span<std::byte>> mirror(const Surroundings& in, const std::string& name) const;
  // Each kind of step, by its action.
  Result<void> bind_to(const Surroundings& in, const KernelLaunch& launch);
  Result<void> bind_to(const Surroundings& in, const Memset& memset);
  Result<void> bind_to(const Surroundings& in, const DeviceCopy& copy);
  Result<void> bind_to(const Surroundings& in, const LibraryCall& call);
  Result<void> bind_to(const Surroundings& in, const HostCopy& copy);
  Result<void> bind_to(const Surroundings& in, const HostStep& host);
  Result<void> bind_to(const Surroundings& in, const ConstantCopy& copy);
  Result<CUtensorMap> encoded(const Surroundings& in, const TensorMapArgument& map) const;
  // The value of an argument, and its bytes.
  Result<std::size_t> add_value(const Surroundings& in, const Argument& argument);

  const Device* device_ = nullptr;
  Step step_;
  Kernel kernel_;
  std::shared_ptr<LibraryPlan> library_;
  CUdeviceptr to_ = 0, from_ = 0;  // of memsets and copies; of host copies the device's side
  std::byte* host_ = nullptr;      // … and the host's
  HostBuffers host_buffers_;       // of host steps
  std::size_t bytes_ = 0;
  // The arguments' values in order; of a tensor map its index in maps_, of a structure in records_.
  struct Value {
    enum class Kind { bits, map, record };
    std::uint64_t bits = 0;
    Kind kind = Kind::bits;
  };
  std::vector<Value> values_;
  std::vector<CUtensorMap> maps_;
  std::vector<std::vector<std::byte>> records_;
};

// The record of a step for a measurement, without times.
StepRecord record_of(const BoundStep& step);

}  // namespace warpscope
