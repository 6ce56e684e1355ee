// tests/exercises/reduction/wrong_index.cu: adds neighbours of the wrong distance.
extern "C" __global__ void sum_blocks(const float* __restrict__ x,  // [n]
                                      float* __restrict__ sums,     // [ceil(n / 1024)]
                                      int n) {
  __shared__ float part[256];
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) sum += x[i];
  }
  part[threadIdx.x] = sum;
  for (int step = 128; step > 1; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
