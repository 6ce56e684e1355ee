// profiling/engine/cuda/cudnn/cudnn_library.cpp: cuDNN's functions, found at run time.
#include "profiling/engine/cuda/cudnn/cudnn_library.h"

#if __has_include(<cudnn.h>)
#include <array>
#include <utility>

namespace warpscope {
namespace {

constexpr const char* kRemedy =
    "install cuDNN 9 for CUDA 13 (libcudnn9-dev-cuda-13 of NVIDIA's repository), or point "
    "WARPSCOPE_CUDA_ROOT at a folder that has it";

// Statuses come by the thousand: 1000 is about setting up, 3000 says what is not supported, 4000
// and 5000 are failures inside. source: cudnn_graph.h.
constexpr int kOfOneKind = 1000;
enum StatusKind { kSetUp = 1, kBadParameter, kNotSupported, kInside, kExecution };

ErrorKind kind_of(cudnnStatus_t status) {
  if (status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ||
      status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED)
    return ErrorKind::resource;
  switch (static_cast<int>(status) / kOfOneKind) {
    case kSetUp:
      return ErrorKind::environment;
    case kExecution:
      return ErrorKind::fault;
    default:
      return ErrorKind::usage;
  }
}

}  // namespace

Result<CudnnTable> load_cudnn_table(std::initializer_list<const char*> files) {
  Result<SharedLibrary> library = open_toolkit_library("cudnn", files, {"libcublasLt.so"});
  if (!library) {
    Error missing = std::move(library.error());
    missing.remedy = kRemedy;
    return tl::unexpected(std::move(missing));
  }
  CudnnTable t{std::move(*library)};
  const bool all = true
#define WARPSCOPE_FIND(member, name) &&t.library.find(#name, t.member)
      WARPSCOPE_CUDNN_FUNCTIONS(WARPSCOPE_FIND)
#undef WARPSCOPE_FIND
      ;
  if (!all) {
    return failure(ErrorKind::environment, "libcudnn lacks a function this build calls", "cudnn",
                   kRemedy);
  }
  return t;
}

const Result<CudnnTable>& cudnn_table() {
  static const Result<CudnnTable> loaded = load_cudnn_table({"libcudnn.so.9"});
  return loaded;
}

Result<void> check(const CudnnTable& t, cudnnStatus_t status, const std::string& where) {
  if (status == CUDNN_STATUS_SUCCESS) return {};
  std::array<char, 512> words{};
  t.last_error(words.data(), words.size());
  std::string what = std::string("cuDNN says: ") + t.error_string(status);
  if (words[0] != '\0') what += std::string(", ") + words.data();
  const ErrorKind kind = kind_of(status);
  return failure(kind, std::move(what), where,
                 kind == ErrorKind::environment ? kRemedy : "choose another precision or size");
}

// An engine has one context, and one thread that plans.
Result<std::shared_ptr<const CudnnHandle>> shared_cudnn_handle(const CudnnTable& t) {
  static std::weak_ptr<const CudnnHandle> kept;
  if (std::shared_ptr<const CudnnHandle> handle = kept.lock()) return handle;
  auto handle = std::make_shared<CudnnHandle>(t);
  if (Result<void> created = handle->create(); !created) return tl::unexpected(created.error());
  kept = handle;
  return handle;
}

}  // namespace warpscope
#endif
