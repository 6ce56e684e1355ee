// kernels/autoencoder/shared_tile.cu: a block stages the pixels that its tile reads, with a border
// of one.
//
// Against nchw_grid2d: a pixel is loaded from memory once a block instead of nine times, and the
// nine taps read shared memory. Look at the load requests: of a channel a thread loads 324 / 256
// pixels in place of nine. And at what stands in for them: wavefronts of shared memory, and two
// barriers a stage.
//
//   DGRAD   see conv.cuh
//   STAGED  channels of a stage
#include "autoencoder/conv.cuh"

constexpr int kTile = 16, kSide = kTile + 2;  // with its border

extern "C" __global__ void __launch_bounds__(256)
    shared_tile(const float* __restrict__ from,  // [images, sources, side, side]
                const float* __restrict__ w,     // [out, in, 3, 3]
                const float* __restrict__ b,     // [targets], of a forward pass
                float* __restrict__ to,          // [images, targets, side, side]
                int sources, int targets, int side, int relu) {
  extern __shared__ float tile[];  // [STAGED][18][18]
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  const int thread = threadIdx.y * kTile + threadIdx.x;
  const int image = blockIdx.z / targets, target = blockIdx.z % targets;
  const long long plane = static_cast<long long>(side) * side;
  float sum = first_of(b, target);
  for (int first = 0; first < sources; first += STAGED) {
    const int here = min(STAGED, sources - first);
    const float* const pixels = from + (static_cast<long long>(image) * sources + first) * plane;
    __syncthreads();  // nobody reads the stage before any more
    for (int i = thread; i < here * kSide * kSide; i += kTile * kTile) {
      const int r = static_cast<int>(blockIdx.y * kTile) + i / kSide % kSide - 1;
      const int q = static_cast<int>(blockIdx.x * kTile) + i % kSide - 1;
      const bool inside = r >= 0 && r < side && q >= 0 && q < side;
      tile[i] = inside ? pixels[i / kSide / kSide * plane + r * side + q] : 0.0f;
    }
    __syncthreads();
    for (int s = 0; s < here; ++s) {
      const Filter filter = filter_of(w, first + s, sources, target, targets);
      const float* const corner = tile + (s * kSide + threadIdx.y) * kSide + threadIdx.x;
#pragma unroll
      for (int tap = 0; tap < 9; ++tap) sum += corner[tap / 3 * kSide + tap % 3] * filter.at(tap);
    }
  }
  if (column < side && row < side)
    to[blockIdx.z * plane + row * side + column] = finished(sum, relu);
}
