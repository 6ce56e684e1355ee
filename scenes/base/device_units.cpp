// scenes/base/device_units.cpp: names of levels and pipes as people and session files see them.
#include "scenes/base/device_units.h"

#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(Level level) {
  return named(level, {"DRAM", "L2", "L1", "shared", "issue", "pipe"});
}

const char* to_text(Pipe pipe) {
  return named(pipe, {"FP32", "half2", "dp4a", "mma.sync FP16", "mma.sync BF16", "mma.sync TF32",
                      "mma.sync INT8", "wgmma FP16", "wgmma BF16", "wgmma TF32", "wgmma INT8"});
}

}  // namespace warpscope
