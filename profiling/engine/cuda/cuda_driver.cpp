// profiling/engine/cuda/cuda_driver.cpp: the CUDA driver's functions, found at run time.
#include "profiling/engine/cuda/cuda_driver.h"

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {
namespace {

#define WARPSCOPE_TEXT(name) #name
#define WARPSCOPE_SYMBOL(name) WARPSCOPE_TEXT(name)

Result<CudaDriver> load_table() {
  Result<SharedLibrary> library = open_driver_library("libcuda", {"libcuda.so.1", "libcuda.so"});
  if (!library) return tl::unexpected(library.error());
  CudaDriver table;
  std::string lacking;
#define WARPSCOPE_FIND(name) \
  if (!library->find(WARPSCOPE_SYMBOL(name), table.name)) lacking = WARPSCOPE_SYMBOL(name);
  WARPSCOPE_DRIVER_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
#define WARPSCOPE_FIND(name) library->find(WARPSCOPE_SYMBOL(name), table.name);
  WARPSCOPE_OPTIONAL_DRIVER_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
  if (!lacking.empty()) {
    return failure(ErrorKind::environment, "the driver is too old: it lacks " + lacking, "libcuda",
                   "install a driver of the 580 series or newer");
  }
  if (Result<void> started = check(table, table.cuInit(0), "cuInit"); !started) {
    return tl::unexpected(started.error());
  }
  return table;
}

}  // namespace

Result<const CudaDriver*> load_cuda_driver() {
  // Loaded once for the life of the process: a driver cannot be unloaded.
  static const Result<CudaDriver> table = load_table();
  if (!table) return tl::unexpected(table.error());
  return &*table;
}

bool is_sticky(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
      return true;
    default:
      return false;
  }
}

Result<void> check(const CudaDriver& driver, CUresult result, std::string_view where) {
  if (result == CUDA_SUCCESS) return {};
  const char* words = nullptr;
  driver.cuGetErrorString(result, &words);
  const std::string what = words != nullptr ? words : "error " + std::to_string(result);
  const std::string place(where);
  if (is_sticky(result)) {
    return failure(ErrorKind::fault, what, place,
                   "the kernel corrupted the device context; the engine restarts");
  }
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return failure(ErrorKind::resource, what, place, "choose smaller sizes");
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
      return failure(ErrorKind::usage, what, place, "change the launch shape");
    default:
      return failure(ErrorKind::environment, what, place, "see `warpscope doctor`");
  }
}

}  // namespace warpscope
