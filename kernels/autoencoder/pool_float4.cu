// kernels/autoencoder/pool_float4.cu: a thread owns two neighbouring windows: rows of 16 bytes.
//
// Against pool_windows: half of the requests for the same sectors. Look at the requests and at the
// instructions, and whether the time follows where the bytes stay.
#include "autoencoder/windows.cuh"

// The first of two windows: half is even, so that both lie in one row.
__device__ Window first_of_two(long long pair, int half) { return window_at(2 * pair, half); }

extern "C" __global__ void __launch_bounds__(256)
    pool_float4_forward(const float* __restrict__ x,    // [planes, 2·half, 2·half]
                        float* __restrict__ y,          // [planes, half, half]
                        unsigned* __restrict__ argmax,  // as y: 0 … 3
                        long long planes, int half) {
  const long long pair = thread_index();
  if (2 * pair >= planes * half * half) return;
  const Window at = first_of_two(pair, half);
  const float4 upper = *reinterpret_cast<const float4*>(x + at.first);
  const float4 lower = *reinterpret_cast<const float4*>(x + at.below);
  Best left, right;
  left.take(upper.x, 0);
  left.take(upper.y, 1);
  left.take(lower.x, 2);
  left.take(lower.y, 3);
  right.take(upper.z, 0);
  right.take(upper.w, 1);
  right.take(lower.z, 2);
  right.take(lower.w, 3);
  reinterpret_cast<float2*>(y)[pair] = {left.value, right.value};
  reinterpret_cast<uint2*>(argmax)[pair] = {left.place, right.place};
}

extern "C" __global__ void __launch_bounds__(256)
    pool_float4_backward(const float* __restrict__ dy,         // [planes, half, half]
                         const unsigned* __restrict__ argmax,  // as dy
                         float* __restrict__ dx,               // [planes, 2·half, 2·half]
                         long long planes, int half) {
  const long long pair = thread_index();
  if (2 * pair >= planes * half * half) return;
  const Window at = first_of_two(pair, half);
  const float2 d = reinterpret_cast<const float2*>(dy)[pair];
  const uint2 place = reinterpret_cast<const uint2*>(argmax)[pair];
  const float4 upper = make_float4(place.x == 0 ? d.x : 0.0f, place.x == 1 ? d.x : 0.0f,
                                   place.y == 0 ? d.y : 0.0f, place.y == 1 ? d.y : 0.0f);
  const float4 lower = make_float4(place.x == 2 ? d.x : 0.0f, place.x == 3 ? d.x : 0.0f,
                                   place.y == 2 ? d.y : 0.0f, place.y == 3 ? d.y : 0.0f);
  // Counted in fours: through two pointers into dx the second store would be split into words.
  float4* const rows = reinterpret_cast<float4*>(dx);
  rows[at.first / 4] = upper;
  rows[at.below / 4] = lower;
}
