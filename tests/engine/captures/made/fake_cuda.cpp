// tests/engine/captures/made/fake_cuda.cpp: a libcuda and a libcupti in one, whose device is the
// host: enough for a program that launches kernels and for the library that watches it.
#include "tests/engine/captures/made/fake_cuda.h"

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Memory is the host's, a kernel is a function of the program, and a launch runs it at once. CUPTI
// is called before and after, as the real one is.

using warpscope::FakeKernel;

struct CUmod_st {
  std::string image;
};
struct CUfunc_st {
  FakeKernel kernel;
  CUmodule module = nullptr;
};

namespace {

CUpti_CallbackFunc callback = nullptr;
std::map<std::uint64_t, std::size_t> allocations;
std::vector<FakeKernel> kernels;
std::mutex mutex;
std::atomic<bool> recording = false, waiting_for_ever = false;
thread_local CUcontext current = nullptr;  // of the device with this number

template <typename Parameters>
void call_back(CUpti_CallbackId id, CUpti_ApiCallbackSite site, const char* name,
               const char* symbol, const Parameters& parameters) {
  if (callback == nullptr) return;
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = name;
  data.functionParams = &parameters;
  data.symbolName = symbol;
  callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}

}  // namespace

namespace warpscope {

void fake_kernel(const FakeKernel& kernel) { kernels.push_back(kernel); }
void fake_recording(bool is_recording) { recording = is_recording; }
void fake_endless_wait() { waiting_for_ever = true; }

}  // namespace warpscope

extern "C" {

CUresult cuInit(unsigned) {
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (path == nullptr) return CUDA_SUCCESS;
  void* library = ::dlopen(path, RTLD_NOW);
  if (library == nullptr) return CUDA_SUCCESS;
  const auto start = reinterpret_cast<int (*)()>(::dlsym(library, "InitializeInjection"));
  if (start != nullptr) start();
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == CUDA_SUCCESS ? "no error" : "an error of the test's driver";
  return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = current;
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  current = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  while (waiting_for_ever) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = static_cast<CUdevice>(reinterpret_cast<std::uintptr_t>(current));
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int bytes, CUdevice) {
  std::strncpy(name, "a made device", static_cast<std::size_t>(bytes) - 1);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  std::memset(uuid->bytes, 0x11 * (device + 1), sizeof uuid->bytes);
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  const std::lock_guard lock(mutex);
  allocations[*address] = bytes;
  return CUDA_SUCCESS;
}
CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr address) {
  const std::lock_guard lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return CUDA_ERROR_NOT_FOUND;
  --after;
  if (address - after->first >= after->second) return CUDA_ERROR_NOT_FOUND;
  *base = after->first;
  *bytes = after->second;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const char* slow = std::getenv("FAKE_COPY_MS"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(slow)));
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr) {
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  *module = new CUmod_st{static_cast<const char*>(image)};
  const cuModuleLoadData_params parameters{module, image};
  call_back(CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData, CUPTI_API_EXIT, "cuModuleLoadData", nullptr,
            parameters);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  for (const FakeKernel& kernel : kernels) {
    if (std::string(kernel.symbol) != name) continue;
    *function = new CUfunc_st{kernel, module};
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
  *name = function->kernel.symbol;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetModule(CUmodule* module, CUfunction function) {
  *module = function->module;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset,
                            std::size_t* size) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < function->kernel.parameter_bytes.size(); ++i) {
    const std::size_t bytes = function->kernel.parameter_bytes[i];
    at = (at + bytes - 1) / bytes * bytes;
    if (i == index) {
      *offset = at;
      *size = bytes;
      return CUDA_SUCCESS;
    }
    at += bytes;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamIsCapturing(CUstream, CUstreamCaptureStatus* status) {
  *status = recording ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}
// Events are points of the host's time.
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new std::chrono::steady_clock::time_point());
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent event, CUstream) {
  *reinterpret_cast<std::chrono::steady_clock::time_point*>(event) =
      std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}
CUresult cuEventQuery(CUevent) { return CUDA_SUCCESS; }
CUresult cuEventElapsedTime(float* ms, CUevent start, CUevent stop) {
  using Point = std::chrono::steady_clock::time_point;
  *ms = std::chrono::duration<float, std::milli>(*reinterpret_cast<Point*>(stop) -
                                                 *reinterpret_cast<Point*>(start))
            .count();
  return CUDA_SUCCESS;
}
static CUresult real_launch(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                            unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                            CUstream stream, void** parameters, void** extra) {
  const cuLaunchKernel_params all{function, grid_x, grid_y, grid_z,     block_x, block_y,
                                  block_z,  shared, stream, parameters, extra};
  const auto call = [&](CUpti_ApiCallbackSite site) {
    call_back(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, site, "cuLaunchKernel",
              function->kernel.symbol, all);
  };
  call(CUPTI_API_ENTER);
  if (!recording) function->kernel.run(parameters);
  call(CUPTI_API_EXIT);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** parameters, void** extra) {
  return real_launch(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                     parameters, extra);
}

CUresult cuGetProcAddress_v2(const char* name, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult*) {
  if (std::string(name) != "cuLaunchKernel") return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<void*>(&real_launch);
  return CUDA_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc function, void*) {
  if (std::getenv("FAKE_CUPTI_TAKEN") != nullptr)
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (callback != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  callback = function;
  *subscriber = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  callback = nullptr;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
                                CUpti_CallbackId) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "an error of the test's CUPTI";
  return CUPTI_SUCCESS;
}
}
