// profiling/engine/cuda/cudnn.h: convolutions by cuDNN.
#pragma once

#include <memory>

#include "profiling/engine/cuda/libraries.h"

namespace warpscope {

// error: environment (the library is missing, or this program was built without its headers), usage
// in the library's own words, or internal for an unknown name.
Result<std::unique_ptr<LibraryPlan>> plan_cudnn_call(const CudaDriver& driver,
                                                     const LibraryCall& call,
                                                     const BufferLookup& buffer_of);
Capability cudnn_capability();

}  // namespace warpscope
