// profiling/capture/injected/driver.h: the driver's functions that a capture needs, and a launch as
// the driver is asked for it.
#pragma once

#include <cuda.h>

#include <string>

#include "profiling/capture/capture.h"

// A table, so that tests put a driver of their own in its place.

namespace warpscope {

// clang-format off
#define WARPSCOPE_CAPTURE_FUNCTIONS(X)                                                             \
  X(cuGetErrorString) X(cuDriverGetVersion) X(cuCtxGetCurrent) X(cuCtxSetCurrent)                  \
  X(cuCtxSynchronize) X(cuCtxGetDevice) X(cuDeviceGetName) X(cuDeviceGetUuid)                      \
  X(cuDeviceGetAttribute) X(cuMemGetAddressRange) X(cuMemcpyDtoHAsync) X(cuModuleGetGlobal)        \
  X(cuFuncGetModule) X(cuFuncGetParamInfo) X(cuPointerGetAttribute) X(cuStreamIsCapturing)         \
  X(cuStreamCreate) X(cuStreamSynchronize) X(cuStreamDestroy)                                      \
  X(cuEventCreate) X(cuEventRecord) X(cuEventQuery) X(cuEventElapsedTime)
// Null where the driver lacks them.
#define WARPSCOPE_CAPTURE_OPTIONAL_FUNCTIONS(X)                                                    \
  X(cuKernelGetFunction) X(cuKernelGetLibrary) X(cuFuncGetName)               \
  X(cuThreadExchangeStreamCaptureMode)
// clang-format on

struct CaptureDriver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name stands bare
#define WARPSCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  WARPSCOPE_CAPTURE_FUNCTIONS(WARPSCOPE_MEMBER)
  WARPSCOPE_CAPTURE_OPTIONAL_FUNCTIONS(WARPSCOPE_MEMBER)
#undef WARPSCOPE_MEMBER
};

// Functions of the libcuda that the program has loaded. error: environment, with the function that
// lacks.
Result<CaptureDriver> capture_driver();

// "an illegal memory access was encountered"
std::string words_of(const CaptureDriver& driver, CUresult result);

// While it lives, calls of this thread do not end a recording of a CUDA graph that another thread
// has begun. source: CUDA driver API, cuThreadExchangeStreamCaptureMode.
class RelaxedRecording {
 public:
  explicit RelaxedRecording(const CaptureDriver& driver) : driver_(driver) { exchange(); }
  RelaxedRecording(const RelaxedRecording&) = delete;
  RelaxedRecording& operator=(const RelaxedRecording&) = delete;
  ~RelaxedRecording() { exchange(); }

 private:
  void exchange() {
    if (driver_.cuThreadExchangeStreamCaptureMode != nullptr)
      driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  const CaptureDriver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

// A launch before it is made.
struct SeenLaunch {
  const char* symbol = nullptr;
  CUfunction function = nullptr;  // or a CUkernel: the runtime passes one
  Launch launch;
  CUstream stream = nullptr;
  void** parameters = nullptr;  // one address per parameter
  void** extra = nullptr;       // or the argument block, as cuLaunchKernel takes it
};

// The function itself, whichever kind of handle a launch has.
CUfunction real_function(const CaptureDriver& driver, CUfunction function);

struct PassedParameters {
  std::vector<CapturedParameter> all;
  std::vector<std::string> notes;  // what was not passed
};
// A launch with an argument block may pass fewer bytes than its kernel's parameters have: NCCL
// declares 4096 and passes those that a launch needs. The rest counts as zeros.
// error: environment: the driver does not tell (before CUDA 12.8); input: no value is passed.
Result<PassedParameters> parameters_of(const CaptureDriver& driver, const SeenLaunch& launch);

}  // namespace warpscope
