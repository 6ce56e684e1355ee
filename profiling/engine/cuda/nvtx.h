// profiling/engine/cuda/nvtx.h: named ranges that profilers show.
#pragma once

#include <string>

namespace warpscope {

// Points NVTX at CUPTI so that ranges arrive as marker activity, unless a profiler has set another
// target. Call before the first range.
void inject_nvtx();

// A range for the life of the object.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& name);
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();
};

}  // namespace warpscope
