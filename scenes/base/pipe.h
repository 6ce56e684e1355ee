// scenes/base/pipe.h: the levels of memory and the arithmetic pipes whose ceilings bound a kernel.
#pragma once

namespace warpscope {

// Where a kernel's bytes or instructions pass. `pipe` stands for arithmetic: see Pipe.
enum class Level { dram, l2, l1, shared, issue, pipe };
const char* to_text(Level level);  // "DRAM"

// Units that do a kernel's arithmetic, by the type of what they multiply. A tensor core is reached
// by mma.sync or, faster, by wgmma (compute capability 9.0): each has a ceiling of its own.
enum class Pipe {
  fp32,
  half2,
  dp4a,
  mma_f16,
  mma_bf16,
  mma_tf32,
  mma_s8,  // and unsigned bytes
  wgmma_f16,
  wgmma_bf16,
  wgmma_tf32,
  wgmma_s8,
};
const char* to_text(Pipe pipe);  // "FP32", "mma.sync BF16"

}  // namespace warpscope
