// tests/exercises/students/scan/anna.cu: by an author who knew only the text.
// Anna: scan within warps by shuffles, then scan the eight sums.
extern "C" __global__ void scan(const int* __restrict__ x, int* __restrict__ y, int n) {
  __shared__ int totals[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int sum = i < n ? x[i] : 0;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int other = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int t = lane < 8 ? totals[lane] : 0;
#pragma unroll
    for (int d = 1; d < 8; d *= 2) {
      const int other = __shfl_up_sync(~0u, t, d);
      if (lane >= d) t += other;
    }
    if (lane < 8) totals[lane] = t;
  }
  __syncthreads();
  if (warp > 0) sum += totals[warp - 1];
  if (i < n) y[i] = sum;
}
