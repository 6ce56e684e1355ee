// profiling/capture/injected/driver.cpp: the driver's functions, and what a launch passes.
#include "profiling/capture/injected/driver.h"

#include <dlfcn.h>

#include <cstring>

#define WARPSCOPE_TEXT_OF(name) #name
#define WARPSCOPE_TEXT(name) WARPSCOPE_TEXT_OF(name)

namespace warpscope {

Result<CaptureDriver> capture_driver() {
  CaptureDriver driver;
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr)
    return failure(ErrorKind::environment, "the program has no libcuda.so.1", "",
                   "install NVIDIA's driver");
  const char* lacks = nullptr;
#define WARPSCOPE_FIND(name)                                                                     \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(library, WARPSCOPE_TEXT(name))); \
  if (driver.name == nullptr) lacks = WARPSCOPE_TEXT(name);
  WARPSCOPE_CAPTURE_OPTIONAL_FUNCTIONS(WARPSCOPE_FIND)
  lacks = nullptr;
  WARPSCOPE_CAPTURE_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
  if (lacks == nullptr) return driver;
  return failure(ErrorKind::environment, std::string("the driver has no function ") + lacks, "",
                 "install a driver of CUDA 12.8 or newer");
}

std::string words_of(const CaptureDriver& driver, CUresult result) {
  const char* words = nullptr;
  driver.cuGetErrorString(result, &words);
  return words == nullptr ? "error " + std::to_string(result) : words;
}

CUfunction real_function(const CaptureDriver& driver, CUfunction function) {
  CUfunction real = nullptr;
  const bool kernel =
      driver.cuKernelGetFunction != nullptr &&
      driver.cuKernelGetFunction(&real, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS &&
      real != nullptr;
  return kernel ? real : function;
}

namespace {

// The argument block of `extra`; null: there is none.
const char* block_of(void** extra, std::size_t& bytes) {
  const char* block = nullptr;
  bytes = 0;
  for (void** at = extra; at != nullptr && *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<const char*>(at[1]);
    if (at[0] == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(at[1]);
  }
  return block;
}

}  // namespace

Result<std::vector<CapturedParameter>> parameters_of(const CaptureDriver& driver,
                                                     const SeenLaunch& launch) {
  constexpr std::size_t kMostParameters = 4096;
  const CUfunction function = real_function(driver, launch.function);
  std::size_t block_bytes = 0;
  const char* block = launch.parameters == nullptr ? block_of(launch.extra, block_bytes) : nullptr;
  std::vector<CapturedParameter> all;
  for (std::size_t i = 0; i < kMostParameters; ++i) {
    std::size_t offset = 0, size = 0;
    const CUresult told = driver.cuFuncGetParamInfo(function, i, &offset, &size);
    if (told == CUDA_ERROR_INVALID_VALUE) break;
    if (told != CUDA_SUCCESS)
      return failure(ErrorKind::environment,
                     "the driver does not tell the kernel's parameters: " + words_of(driver, told));
    CapturedParameter parameter{offset, std::string(size, '\0')};
    if (launch.parameters != nullptr && launch.parameters[i] != nullptr) {
      std::memcpy(parameter.bytes.data(), launch.parameters[i], size);
    } else if (block != nullptr && offset + size <= block_bytes) {
      std::memcpy(parameter.bytes.data(), block + offset, size);
    } else {
      return failure(ErrorKind::input, "the launch passes fewer arguments than its kernel takes");
    }
    all.push_back(std::move(parameter));
  }
  return all;
}

}  // namespace warpscope
