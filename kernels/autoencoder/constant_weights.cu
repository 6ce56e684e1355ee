// kernels/autoencoder/constant_weights.cu: the weights of a layer in constant memory.
//
// Against nchw_grid2d: all lanes of a block have one output channel and ask for one weight at a
// time, which the constant cache gives to a whole warp. There is no address to compute and no load
// of it that L1 sees: look at the load requests, pixels alone. Were lanes on different channels,
// the cache would answer one address after the other. 64 KB is all there is, for a module.
//
//   WEIGHTS  out · in · 9 of the layer: what `weights` holds
//   DGRAD    0: forward
#include "autoencoder/conv.cuh"

__constant__ float weights[WEIGHTS];  // [out, in, 3, 3], copied there before the launch

extern "C" __global__ void __launch_bounds__(256)
    constant_weights(const float* __restrict__ from,  // [images, sources, side, side]
                     const float* __restrict__ b,     // [targets]
                     float* __restrict__ to,          // [images, targets, side, side]
                     int sources, int targets, int side, int relu) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (column >= side || row >= side) return;
  const int image = blockIdx.z / targets, target = blockIdx.z % targets;
  const long long plane = static_cast<long long>(side) * side;
  float sum = first_of(b, target);
  for (int source = 0; source < sources; ++source) {
    const float* const pixels = from + (static_cast<long long>(image) * sources + source) * plane;
    const int filter = (target * sources + source) * 9;
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      if (r >= 0 && r < side && q >= 0 && q < side)
        sum += pixels[r * side + q] * weights[filter + tap];
    }
  }
  to[blockIdx.z * plane + row * side + column] = finished(sum, relu);
}
