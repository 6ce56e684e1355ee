// kernels/patterns/copy.cu: one lane copies one vector; neighbouring lanes read `stride` apart.
//
// The first thing to know of a memory access is how many 32-byte sectors the 32 addresses of a warp
// fall into. With stride 1 and 4-byte lanes they fill 4 sectors of one 128-byte line; with stride 8
// each lane has a sector of its own and an eighth of what is fetched is used. An offset that is not
// a multiple of 8 elements makes the warp straddle one sector more.
//
//   WIDTH  bytes per lane: 4, 8 or 16
#include "patterns/lane_vector.cuh"

extern "C" __global__ void __launch_bounds__(256) copy(const float* __restrict__ x,  // [n]
                                                       Vector* __restrict__ y,       // [vectors]
                                                       long long vectors, int offset, int stride) {
  const Vector* const from = reinterpret_cast<const Vector*>(x + offset);
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < vectors) y[i] = from[i * stride];
}
