// profiling/engine/cuda/libraries.cpp: which library implements a call.
#include "profiling/engine/cuda/libraries.h"

#include "profiling/engine/cuda/cublas.h"
#include "profiling/engine/cuda/cudnn.h"
#include "profiling/engine/cuda/cusparse.h"

namespace warpscope {

Result<std::unique_ptr<LibraryPlan>> plan_library_call(const CudaDriver& driver,
                                                       const LibraryCall& call,
                                                       const BufferLookup& buffer_of) {
  if (call.name.starts_with("cusparse.")) return plan_cusparse_call(driver, call, buffer_of);
  if (call.name.starts_with("cublas.")) return plan_cublas_call(call, buffer_of);
  if (call.name.starts_with("cudnn.")) return plan_cudnn_call(driver, call, buffer_of);
  return failure(ErrorKind::internal, "the engine knows no library call of this name", call.name);
}

Result<CUdeviceptr> operand_address(const LibraryCall& call, const BufferLookup& buffer_of,
                                    const char* operand) {
  const auto named = call.buffers.find(operand);
  if (named != call.buffers.end()) return buffer_of(named->second);
  return failure(ErrorKind::internal, std::string("the call names no operand ") + operand,
                 call.name);
}

Capability library_capability(std::string name, const Error& missing) {
  return {std::move(name), false, "", missing.what, missing.remedy};
}

std::vector<Capability> library_capabilities() {
  return {cusparse_capability(), cublas_capability(), cudnn_capability()};
}

std::optional<std::string> library_version(std::string_view library) {
  static const std::vector<Capability> loaded = library_capabilities();
  for (const Capability& capability : loaded) {
    if (capability.name == library && capability.available) return capability.version;
  }
  return std::nullopt;
}

}  // namespace warpscope
