// kernels/patterns/reduction_strided.cu: the same additions, given to the first lanes.
//
// Against reduction_interleaved: lane t takes the pair at 2s·t, so whole warps drop out instead of
// lanes within warps. But lanes of a warp are now 2, 4, 8 … words apart: two, four, up to eight
// of them want one bank. Look at bank conflicts.

extern "C" __global__ void __launch_bounds__(256)
    reduction_strided(const float* __restrict__ x,  // [n]
                      float* __restrict__ y,        // [ceil(n / 256)], the sum of each 256 elements
                      long long n) {
  constexpr int kThreads = 256;
  __shared__ float part[kThreads];
  const int t = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = 1; s < kThreads; s *= 2) {
    const int at = 2 * s * t;
    if (at < kThreads) part[at] += part[at + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
