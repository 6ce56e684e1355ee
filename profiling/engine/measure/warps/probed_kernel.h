// profiling/engine/measure/warps/probed_kernel.h: a kernel with probes in its PTX, loaded by the
// driver beside the kernel itself.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/probes/ptx_probes.h"
#include "profiling/engine/run/plan.h"

namespace warpscope {

class ProbedKernel {
 public:
  // Loads `ptx`, which has probes, with `setup` for its buffers. error: environment, with what the
  // driver's compiler said; resource; fault.
  static Result<std::unique_ptr<ProbedKernel>> load(const Device& device, const BoundStep& step,
                                                    const std::string& ptx,
                                                    const std::string& entry, ProbeSetup setup,
                                                    int warps_per_block);
  ProbedKernel(const ProbedKernel&) = delete;
  ProbedKernel& operator=(const ProbedKernel&) = delete;
  ~ProbedKernel();

  // Queues copies of the variables of the kernel's own module: constants, and what earlier kernels
  // wrote. Before the launches.
  Result<void> copy_variables(CUstream stream) const;
  // Queues the step's launch of this kernel.
  Result<void> launch(CUstream stream) const { return step_.launch(function_, stream); }
  // Whether the launches from here on record; at first they do. The stream is idle.
  Result<void> set_recording(bool on) const;
  // Empties the buffers, so that the next launch is the only one in them.
  Result<void> clear(CUstream stream) const;
  // What the last launch left; the stream is idle.
  Result<ReadWarps> read() const;
  int registers() const { return registers_; }

 private:
  ProbedKernel(const Device& device, const BoundStep& step) : device_(device), step_(step) {}
  Result<void> prepare();
  void find_variables();

  // A variable of the kernel's own module, and its twin.
  struct Twin {
    CUdeviceptr from = 0, to = 0;
    std::size_t bytes = 0;
  };

  const Device& device_;
  const BoundStep& step_;
  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;
  int registers_ = 0;
  DeviceBuffer records_, headers_;
  ProbeSetup setup_;
  CUdeviceptr setup_variable_ = 0;
  int warps_per_block_ = 0;
  std::vector<Twin> variables_;
};

}  // namespace warpscope
