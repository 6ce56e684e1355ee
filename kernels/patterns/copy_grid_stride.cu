// kernels/patterns/copy_grid_stride.cu: a fixed grid walks the array in strides of the whole grid.
//
// Against copy: blocks are started once and not sixty thousand times, and neighbouring lanes still
// read neighbouring vectors in every turn: the stride of the grid lies between turns, not between
// lanes. Look at the sectors per request: they are those of copy.
//
//   WIDTH  bytes per lane: 4, 8 or 16
#include "patterns/lane_vector.cuh"

extern "C" __global__ void __launch_bounds__(256)
    copy_grid_stride(const float* __restrict__ x,  // [n]
                     Vector* __restrict__ y,       // [vectors]
                     long long vectors, int offset, int stride) {
  const Vector* const from = reinterpret_cast<const Vector*>(x + offset);
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
       i += step) {
    y[i] = from[i * stride];
  }
}
