// profiling/engine/cuda/cudnn/cudnn_convolution.h: a convolution by the algorithm of cuDNN that a
// search, or its heuristic, puts first.
#pragma once

#if __has_include(<cudnn.h>)
#include <memory>

#include "profiling/engine/cuda/cudnn/cudnn_library.h"
#include "profiling/engine/cuda/libraries.h"

namespace warpscope {

// error: usage in the library's own words, internal for an unknown name.
Result<std::unique_ptr<LibraryPlan>> plan_cudnn_convolution(const CudnnTable& t,
                                                            const CudaDriver& driver,
                                                            const LibraryCall& call,
                                                            const BufferLookup& buffer_of);

}  // namespace warpscope
#endif
