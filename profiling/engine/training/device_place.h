// profiling/engine/training/device_place.h: a training on a device.
#pragma once

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/training/place.h"

namespace warpscope {

// As OpenTrainingPlace. Its buffers lie beside those of other jobs; device and kernels must outlive
// it.
Result<std::unique_ptr<TrainingPlace>> open_device_place(const Device& device, KernelStore& kernels,
                                                         const Job& job, const Scene& scene,
                                                         const Variant& variant,
                                                         const Configuration& axes);

}  // namespace warpscope
