// profiling/engine/cuda/cuda_driver.h: the CUDA driver's functions, found at run time.
#pragma once

#include <cuda.h>

#include <string>
#include <string_view>

#include "scenes/host/result.h"

// The engine calls the driver only through this table, so it starts where there is no driver.
//
//   Result<const CudaDriver*> driver = load_cuda_driver();
//   if (driver) check(**driver, (*driver)->cuMemFree(pointer), "cuMemFree");

namespace warpscope {

// cuda.h maps some of these names to versioned ones (cuMemAlloc to cuMemAlloc_v2); the members and
// the looked-up symbols are mapped with them.
// clang-format off
#define WARPSCOPE_DRIVER_FUNCTIONS(X)                                                             \
  X(cuInit) X(cuDriverGetVersion) X(cuGetErrorString) X(cuGetErrorName) X(cuDeviceGet)            \
  X(cuDeviceGetCount) X(cuDeviceGetName) X(cuDeviceGetUuid) X(cuDeviceGetAttribute)               \
  X(cuDeviceTotalMem) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease)                    \
  X(cuCtxSetCurrent) X(cuCtxSynchronize) X(cuMemGetInfo) X(cuMemAlloc) X(cuMemFree)               \
  X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemHostGetDevicePointer) X(cuMemcpyHtoD)                 \
  X(cuMemcpyDtoH) X(cuMemcpyDtoDAsync) X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync)                  \
  X(cuMemsetD8Async) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction)                 \
  X(cuModuleGetGlobal)                                                                            \
  X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuFuncGetParamInfo)                               \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuLaunchKernelEx) X(cuStreamCreate)            \
  X(cuStreamDestroy) X(cuStreamSynchronize) X(cuStreamWaitEvent) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord)   \
  X(cuEventQuery) X(cuEventElapsedTime) X(cuStreamBeginCapture) X(cuStreamEndCapture)             \
  X(cuStreamGetCaptureInfo) X(cuGraphGetNodes) X(cuGraphInstantiate) X(cuGraphLaunch)             \
  X(cuGraphExecDestroy) X(cuGraphDestroy)
// Functions that only some kernels need: null where the driver lacks them.
#define WARPSCOPE_OPTIONAL_DRIVER_FUNCTIONS(X) X(cuTensorMapEncodeTiled) X(cuModuleLoadDataEx)
// clang-format on

struct CudaDriver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name stands bare
#define WARPSCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  WARPSCOPE_DRIVER_FUNCTIONS(WARPSCOPE_MEMBER)
  WARPSCOPE_OPTIONAL_DRIVER_FUNCTIONS(WARPSCOPE_MEMBER)
#undef WARPSCOPE_MEMBER
};

// Opens libcuda once and initialises it. error: environment.
Result<const CudaDriver*> load_cuda_driver();

// Nothing for success, else the driver's own words. error: resource (out of memory), fault (the
// context is lost: see is_sticky), usage (invalid launch), environment.
Result<void> check(const CudaDriver& driver, CUresult result, std::string_view where);

// Whether the error has ended the context: every later call fails with it too.
bool is_sticky(CUresult result);

}  // namespace warpscope
