// profiling/engine/cuda/tensor_map.h: tensor maps as kernels take them on a device.
#pragma once

#include <cuda.h>

#include "profiling/engine/cuda/cuda_driver.h"
#include "scenes/base/step.h"

namespace warpscope {

// The 128 bytes that the driver makes of a tensor in a buffer at `address`. Needs no context.
// error: usage (a rule is broken: see tensor_map_is_legal, or the driver refuses it), environment
// (the driver cannot make tensor maps).
Result<CUtensorMap> encode_tensor_map(const CudaDriver& driver, const TensorMapArgument& map,
                                      CUdeviceptr address, std::int64_t buffer_bytes);

}  // namespace warpscope
