// kernels/patterns/reduction_sequential.cu: the upper half is added to the lower half, until one is
// left.
//
// Against reduction_strided: lane t adds element t + s to element t, so lanes are neighbours in
// shared memory (no conflicts) and whole warps drop out (no divergence) down to the last five
// steps. Look at bank conflicts, then at the stall on barriers, which is what is left.

extern "C" __global__ void __launch_bounds__(256)
    reduction_sequential(const float* __restrict__ x,  // [n]
                         float* __restrict__ y,  // [ceil(n / 256)], the sum of each 256 elements
                         long long n) {
  constexpr int kThreads = 256;
  __shared__ float part[kThreads];
  const int t = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}
