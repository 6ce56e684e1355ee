// kernels/autoencoder/block_shape.cu: tiles of any width and height.
//
// Against nchw_grid2d: the block is as wide and as high as two axes say. Look at occupancy beside
// time, which do not move together: rows of 32 lanes fill whole lines, tall blocks share lines of
// their rows in L1, and blocks larger than the map have lanes with nothing to do.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

extern "C" __global__ void block_shape(const float* __restrict__ from,  // [images, sources, S, S]
                                       const float* __restrict__ w,     // [out, in, 3, 3]
                                       const float* __restrict__ b,  // [targets], of a forward pass
                                       float* __restrict__ to,       // [images, targets, S, S]
                                       int sources, int targets, int side, int relu) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= side || row >= side) return;
  const int image = blockIdx.z / targets, target = blockIdx.z % targets;
  const long long plane = static_cast<long long>(side) * side;
  float sum = first_of(b, target);
  for (int source = 0; source < sources; ++source) {
    const float* const pixels = from + (static_cast<long long>(image) * sources + source) * plane;
    const Filter filter = filter_of(w, source, sources, target, targets);
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      if (r >= 0 && r < side && q >= 0 && q < side) sum += pixels[r * side + q] * filter.at(tap);
    }
  }
  to[blockIdx.z * plane + row * side + column] = finished(sum, relu);
}
