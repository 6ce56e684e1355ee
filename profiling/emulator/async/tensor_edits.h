// profiling/emulator/async/tensor_edits.h: kernels that change a tensor map: tensormap.replace, and
// the copy that shows it to others.
#pragma once

#include <cstdint>

#include "profiling/emulator/state/worker.h"

namespace warpscope {

enum class TensorMapField : std::uint8_t {
  global_address,
  rank,     // what is given is one less
  box_dim,  // of dimension `count`, as the next three
  global_dim,
  global_stride,   // bytes; of dimension count + 1
  element_stride,  // 1 alone is emulated
  elemtype,
  interleave_layout,  // none alone
  swizzle_mode,
  fill_mode,  // zeros alone
};

// tensormap.replace: a the map, in global or shared memory; b the value, width 4 or 8; subop
// TensorMapField, count the dimension. source: PTX ISA, "tensormap.replace".
void run_tensor_map_replace(Warp& warp, const Instruction& i);

// tensormap.cp_fenceproxy: 128 bytes from b in shared to a in global memory, once for all lanes;
// slots[extra]: offset of b.
void run_tensor_map_copy(Warp& warp, const Instruction& i);

}  // namespace warpscope
