// tests/engine/heavy_scene.h: a scene whose kernels ask for more than a multiprocessor has, and one
// that sums in two orders.
#pragma once

#include "scenes/base/scene.h"
#include "scenes/base/source.h"

namespace warpscope {

// Axes: n, and block_size with marks at 64, 128, 256 and 512, the default. Every output element is
// a sum of `live` numbers that wait in registers together.
//   one        1 number
//   wide       240 numbers: some 255 registers, which 512 threads do not find
//   bounded    the same, compiled for blocks of 512 threads: spills
//   declared   1 number, compiled for blocks of 256 threads and launched with block_size
//   shared     512 bytes of dynamic shared memory a thread: 512 threads ask for 256 KB
//   forward, backward    32 numbers, summed in two orders
Scene heavy_scene();
// The same with outputs of this type, f32 unless another is named.
Scene heavy_scene(ElementType output);

// The text of its kernels, as a job carries it.
KernelSource heavy_kernels();

}  // namespace warpscope
