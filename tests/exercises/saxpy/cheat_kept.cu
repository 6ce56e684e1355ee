// tests/exercises/saxpy/cheat_kept.cu: keeps the first result, and stores it again in the next run.
__device__ float kept[1 << 16];
__device__ int filled[1 << 16];
extern "C" __global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n,
                                 float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i >= n) continue;
    if (!filled[i]) kept[i] = a * x[i] + y[i];
    filled[i] = 1;
    y[i] = kept[i];
  }
}
