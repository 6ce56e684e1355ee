// profiling/engine/cuda/cudnn/cudnn_pooling.h: a pool of 2×2 windows by cuDNN, forward or backward.
#pragma once

#if __has_include(<cudnn.h>)
#include <memory>

#include "profiling/engine/cuda/cudnn/cudnn_library.h"
#include "profiling/engine/cuda/libraries.h"

namespace warpscope {

// error: usage in the library's own words, internal for an unknown name.
Result<std::unique_ptr<LibraryPlan>> plan_cudnn_pooling(const CudnnTable& t,
                                                        const LibraryCall& call,
                                                        const BufferLookup& buffer_of);

}  // namespace warpscope
#endif
