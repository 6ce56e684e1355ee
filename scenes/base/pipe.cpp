// scenes/base/pipe.cpp: names of levels and pipes as people and session files see them.
#include "scenes/base/pipe.h"

namespace warpscope {

const char* to_text(Level level) {
  constexpr const char* kNames[level_count] = {"DRAM", "L2", "L1", "shared", "issue", "pipe"};
  return kNames[static_cast<int>(level)];
}

const char* to_text(Pipe pipe) {
  constexpr const char* kNames[pipe_count] = {"FP32",          "half2",         "dp4a",
                                              "mma.sync FP16", "mma.sync BF16", "mma.sync TF32",
                                              "mma.sync INT8", "wgmma FP16",    "wgmma BF16",
                                              "wgmma TF32",    "wgmma INT8"};
  return kNames[static_cast<int>(pipe)];
}

}  // namespace warpscope
