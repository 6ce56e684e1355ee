// profiling/capture/injected/driver.cpp: the driver's functions, and what a launch passes.
#include "profiling/capture/injected/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

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

// The argument block that a launch passes; no value: it passes none.
std::optional<std::string_view> block_of(void** extra) {
  constexpr int kMostEntries = 8;
  const char* block = nullptr;
  std::size_t bytes = 0;
  for (int i = 0; i < kMostEntries && extra != nullptr && *extra != CU_LAUNCH_PARAM_END;
       ++i, extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) block = static_cast<const char*>(extra[1]);
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1] != nullptr)
      bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  if (block == nullptr) return std::nullopt;
  return std::string_view(block, bytes);
}

std::string argument_words(std::size_t i) { return "argument " + std::to_string(i + 1); }

}  // namespace

Result<PassedParameters> parameters_of(const CaptureDriver& driver, const SeenLaunch& launch) {
  constexpr std::size_t kMostParameters = 4096;
  const CUfunction function = real_function(driver, launch.function);
  const std::optional<std::string_view> block =
      launch.parameters == nullptr ? block_of(launch.extra) : std::nullopt;
  PassedParameters passed;
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
    } else if (block) {
      const std::size_t given = offset < block->size() ? std::min(size, block->size() - offset) : 0;
      std::memcpy(parameter.bytes.data(), block->data() + std::min(offset, block->size()), given);
      if (given < size)
        passed.notes.push_back("the launch passes " + std::to_string(given) + " of the " +
                               std::to_string(size) + " bytes of " + argument_words(i) +
                               "; the others count as zeros");
    } else {
      return failure(ErrorKind::input, "the launch passes no value for " + argument_words(i));
    }
    passed.all.push_back(std::move(parameter));
  }
  return passed;
}

}  // namespace warpscope
