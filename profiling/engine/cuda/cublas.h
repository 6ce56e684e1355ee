// profiling/engine/cuda/cublas.h: dense products by cuBLAS.
#pragma once

#include <memory>

#include "profiling/engine/cuda/libraries.h"

namespace warpscope {

// error: environment, usage in the library's own words, or internal for an unknown name.
Result<std::unique_ptr<LibraryPlan>> plan_cublas_call(const LibraryCall& call,
                                                      const BufferLookup& buffer_of);
Capability cublas_capability();

}  // namespace warpscope
