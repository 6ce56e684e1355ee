// profiling/engine/cuda/cudnn.cpp: which plan implements a call of cuDNN, or why none does.
#include "profiling/engine/cuda/cudnn.h"

#if __has_include(<cudnn.h>)
#include "profiling/engine/cuda/cudnn/cudnn_convolution.h"
#include "profiling/engine/cuda/cudnn/cudnn_library.h"
#include "profiling/engine/cuda/cudnn/cudnn_pooling.h"
#endif

namespace warpscope {

#if __has_include(<cudnn.h>)

Result<std::unique_ptr<LibraryPlan>> plan_cudnn_call(const CudaDriver& driver,
                                                     const LibraryCall& call,
                                                     const BufferLookup& buffer_of) {
  const Result<CudnnTable>& t = cudnn_table();
  if (!t) return tl::unexpected(t.error());
  if (call.name.starts_with("cudnn.pooling.")) return plan_cudnn_pooling(*t, call, buffer_of);
  return plan_cudnn_convolution(*t, driver, call, buffer_of);
}

Capability cudnn_capability() {
  const Result<CudnnTable>& t = cudnn_table();
  if (!t) return library_capability("cudnn", t.error());
  return library_capability("cudnn", t->property);
}

#else

namespace {

Error built_without() {
  return {ErrorKind::environment, "this program was built where cuDNN has no headers", "cudnn",
          "install cuDNN 9 for CUDA 13 (libcudnn9-dev-cuda-13 of NVIDIA's repository) and build "
          "again"};
}

}  // namespace

Result<std::unique_ptr<LibraryPlan>> plan_cudnn_call(const CudaDriver&, const LibraryCall&,
                                                     const BufferLookup&) {
  return tl::unexpected(built_without());
}

Capability cudnn_capability() { return library_capability("cudnn", built_without()); }

#endif

}  // namespace warpscope
