// kernels/patterns/reduction_shuffle.cu: lanes of a warp add by shuffles; shared memory joins
// warps.
//
// Against reduction_sequential: five shuffles replace five steps through shared memory, and one
// barrier stands where eight were. Look at the stall on barriers and at shared wavefronts.

__device__ __forceinline__ float warp_sum(float value) {
  constexpr unsigned kAllLanes = 0xffffffffu;
#pragma unroll
  for (int s = 16; s > 0; s /= 2) value += __shfl_down_sync(kAllLanes, value, s);
  return value;  // in lane 0
}

extern "C" __global__ void __launch_bounds__(256)
    reduction_shuffle(const float* __restrict__ x,  // [n]
                      float* __restrict__ y,        // [ceil(n / 256)], sums of 256 elements
                      long long n) {
  constexpr int kThreads = 256, kWarps = kThreads / 32;
  __shared__ float part[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const float sum = warp_sum(i < n ? x[i] : 0.0f);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    const float total = warp_sum(lane < kWarps ? part[lane] : 0.0f);
    if (lane == 0) y[blockIdx.x] = total;
  }
}
