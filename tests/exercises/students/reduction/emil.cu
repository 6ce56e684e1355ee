// tests/exercises/students/reduction/emil.cu: by an author who knew only the text.
// Each warp gets a whole 128 byte line for its sum, so that the warps do not disturb
// each other (false sharing!)
struct Line {
  float sum;
  float unused[31];
};

extern "C" __global__ void sum_blocks(const float* __restrict__ x, float* __restrict__ sums,
                                      int n) {
  __shared__ Line lines[8];
  int lane = threadIdx.x & 31;
  int warp = threadIdx.x >> 5;
  float sum = 0.0f;
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  for (int d = 16; d >= 1; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
  if (lane == 0) lines[warp].sum = sum;
  __syncthreads();
  if (warp == 0) {
    sum = 0.0f;
    if (lane < 8) sum = lines[lane].sum;
    for (int d = 4; d >= 1; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) sums[blockIdx.x] = sum;
  }
}
