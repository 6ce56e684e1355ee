// tests/engine/captures/made/fake_cuda.cpp: a libcuda and a libcupti in one, whose device is the
// host: enough for a program that launches kernels and for the library that watches it.
#include "tests/engine/captures/made/fake_cuda.h"

#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
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
std::atomic<bool> recording = false, waiting_for_ever = false, copies_held = false;
std::atomic<int> launches = 0, waiting_launch = -1, idle_ms = 0;
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

// A function whose parameters CUPTI is told of before and after.
template <typename Parameters, typename Work>
CUresult called_back(CUpti_CallbackId id, const char* name, const Parameters& parameters,
                     Work&& work) {
  call_back(id, CUPTI_API_ENTER, name, nullptr, parameters);
  const CUresult result = work();
  call_back(id, CUPTI_API_EXIT, name, nullptr, parameters);
  return result;
}

void sleep_while(const std::function<bool()>& waits) {
  while (waits()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

// The parameters of a launch as addresses; bytes that its argument block lacks are zeros.
std::vector<void*> addresses_in(const FakeKernel& kernel, void** extra, std::string& block) {
  std::size_t given = 0;
  const void* from = nullptr;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) from = extra[1];
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) given = *static_cast<std::size_t*>(extra[1]);
  }
  std::size_t all = 0;
  for (const std::size_t bytes : kernel.parameter_bytes) all += 2 * bytes;
  block.assign(all, '\0');
  if (from != nullptr) std::memcpy(block.data(), from, std::min(given, all));
  std::vector<void*> addresses;
  std::size_t at = 0;
  for (const std::size_t bytes : kernel.parameter_bytes) {
    at = (at + bytes - 1) / bytes * bytes;
    addresses.push_back(block.data() + at);
    at += bytes;
  }
  return addresses;
}

}  // namespace

namespace warpscope {

void fake_kernel(const FakeKernel& kernel) { kernels.push_back(kernel); }
void fake_recording(bool is_recording) { recording = is_recording; }
void fake_endless_wait() { waiting_for_ever = true; }
void fake_waiting_launch(int number) { waiting_launch = number; }
void fake_slow_idle(int ms) { idle_ms = ms; }
void fake_held_copies() { copies_held = true; }

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
  std::this_thread::sleep_for(std::chrono::milliseconds(idle_ms));
  sleep_while([] { return waiting_for_ever || launches == waiting_launch; });
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
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(new int());
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) { return CUDA_SUCCESS; }
CUresult cuStreamDestroy(CUstream stream) {
  delete reinterpret_cast<int*>(stream);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  sleep_while([] { return copies_held && launches == 0; });
  if (const char* slow = std::getenv("FAKE_COPY_MS"))
    std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(slow)));
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
// Not a device's encoding: the address, and a sum of all that was asked for.
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                void* address, const cuuint64_t* extents, const cuuint64_t* strides,
                                const cuuint32_t* box, const cuuint32_t* steps,
                                CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const cuTensorMapEncodeTiled_params all{map, type,  rank,       address, extents,   strides,
                                          box, steps, interleave, swizzle, promotion, fill};
  return called_back(CUPTI_DRIVER_TRACE_CBID_cuTensorMapEncodeTiled, "cuTensorMapEncodeTiled", all,
                     [&] {
                       std::memset(map, 0x5a, sizeof *map);
                       map->opaque[0] = reinterpret_cast<cuuint64_t>(address);
                       map->opaque[1] = type + 31 * rank + promotion;
                       for (cuuint32_t d = 0; d < rank; ++d)
                         map->opaque[1] = 31 * map->opaque[1] + extents[d] + 7 * box[d];
                       return CUDA_SUCCESS;
                     });
}
CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  const cuTensorMapReplaceAddress_params all{map, address};
  return called_back(CUPTI_DRIVER_TRACE_CBID_cuTensorMapReplaceAddress, "cuTensorMapReplaceAddress",
                     all, [&] {
                       map->opaque[0] = reinterpret_cast<cuuint64_t>(address);
                       return CUDA_SUCCESS;
                     });
}
CUresult cuPointerGetAttribute(void*, CUpointer_attribute, CUdeviceptr) {
  return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  *module = new CUmod_st{static_cast<const char*>(image)};
  const cuModuleLoadData_params parameters{module, image};
  const std::lock_guard lock(mutex);  // CUPTI is called while the driver's own lock is held
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
  // Parameters that hold a tensor map are aligned to 64 bytes in the constant bank, in which the
  // argument block begins at byte 0x210.
  constexpr std::size_t kBlock = 0x210;
  std::size_t at = 0;
  for (std::size_t i = 0; i < function->kernel.parameter_bytes.size(); ++i) {
    const std::size_t bytes = function->kernel.parameter_bytes[i];
    const bool has_map = bytes == sizeof(CUtensorMap) || bytes == 2 * sizeof(CUtensorMap);
    const std::size_t alignment = has_map ? 64 : std::min<std::size_t>(bytes, 8);
    at = (kBlock + at + alignment - 1) / alignment * alignment - kBlock;
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
  std::string block;
  std::vector<void*> addresses = addresses_in(function->kernel, extra, block);
  if (!recording) function->kernel.run(parameters != nullptr ? parameters : addresses.data());
  ++launches;
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
