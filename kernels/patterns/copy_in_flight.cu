// kernels/patterns/copy_in_flight.cu: a lane loads four vectors before it stores the first.
//
// Against copy: the same addresses, the same sectors, but each warp has four loads under way at
// once, so fewer warps keep the memory busy. Look at the stall on memory and at DRAM busy.
//
//   WIDTH  bytes per lane: 4, 8 or 16
#include "patterns/lane_vector.cuh"

extern "C" __global__ void __launch_bounds__(256)
    copy_in_flight(const float* __restrict__ x,  // [n]
                   Vector* __restrict__ y,       // [vectors]
                   long long vectors, int offset, int stride) {
  constexpr int kInFlight = 4, kThreads = 256;
  const Vector* const from = reinterpret_cast<const Vector*>(x + offset);
  const long long first = static_cast<long long>(blockIdx.x) * (kInFlight * kThreads) + threadIdx.x;
  Vector value[kInFlight];
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) {
    const long long i = first + u * kThreads;
    if (i < vectors) value[u] = from[i * stride];
  }
#pragma unroll
  for (int u = 0; u < kInFlight; ++u) {
    const long long i = first + u * kThreads;
    if (i < vectors) y[i] = value[u];
  }
}
