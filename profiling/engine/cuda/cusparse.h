// profiling/engine/cuda/cusparse.h: sparse products and conversions by cuSPARSE.
#pragma once

#include <memory>

#include "profiling/engine/cuda/libraries.h"

namespace warpscope {

// error: environment, usage in the library's own words, or internal for an unknown name.
Result<std::unique_ptr<LibraryPlan>> plan_cusparse_call(const CudaDriver& driver,
                                                        const LibraryCall& call,
                                                        const BufferLookup& buffer_of);
Capability cusparse_capability();

}  // namespace warpscope
