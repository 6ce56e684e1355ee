// kernels/patterns/reduction_interleaved.cu: each step adds a neighbour twice as far away; odd
// lanes drop out.
//
// Lane t works when t is a multiple of 2s. From the first step on half of a warp's lanes idle, then
// three quarters, yet all eight warps stay to the fifth step. Look at active lanes and at warp
// instructions.

extern "C" __global__ void __launch_bounds__(256)
    reduction_interleaved(const float* __restrict__ x,  // [n]
                          float* __restrict__ y,  // [ceil(n / 256)], the sum of each 256 elements
                          long long n) {
  constexpr int kThreads = 256;
  __shared__ float part[kThreads];
  const int t = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = 1; s < kThreads; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
