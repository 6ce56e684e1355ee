// profiling/engine/cuda/nvtx.cpp: named ranges that profilers show.
#include "profiling/engine/cuda/nvtx.h"

#include <nvtx3/nvToolsExt.h>

#include <cstdlib>

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {

void inject_nvtx() {
  if (std::getenv("NVTX_INJECTION64_PATH") != nullptr) return;
  if (Result<SharedLibrary> cupti = open_toolkit_library("cupti", {"libcupti.so.13"})) {
    setenv("NVTX_INJECTION64_PATH", cupti->path().c_str(), 0);
  }
}

NvtxRange::NvtxRange(const std::string& name) { nvtxRangePushA(name.c_str()); }
NvtxRange::~NvtxRange() { nvtxRangePop(); }

}  // namespace warpscope
