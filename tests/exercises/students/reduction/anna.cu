// tests/exercises/students/reduction/anna.cu: by an author who knew only the text.
// Anna: shuffles within warps, then the first warp adds up the eight sums.
__device__ float warp_sum(float v) {
  for (int step = 16; step > 0; step /= 2) v += __shfl_down_sync(~0u, v, step);
  return v;
}

extern "C" __global__ void sum_blocks(const float* __restrict__ x, float* __restrict__ sums,
                                      int n) {
  __shared__ float part[8];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  sum = warp_sum(sum);
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < 8 ? part[lane] : 0.0f);
    if (lane == 0) sums[blockIdx.x] = sum;
  }
}
