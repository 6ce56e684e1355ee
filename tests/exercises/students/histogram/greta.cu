// tests/exercises/students/histogram/greta.cu: by an author who knew only the text.
extern "C" __global__ void histogram(const int* __restrict__ keys, int* __restrict__ counts,
                                     int n) {
  __shared__ int bins[64];
  int t = threadIdx.x;
  if (t < 64) bins[t] = 0;
  __syncthreads();
  // 2048 / 256 = 8 rounds
  for (int k = 0; k <= 8; ++k) {
    int i = blockIdx.x * 2048 + k * 256 + t;
    if (i < n) atomicAdd(&bins[keys[i]], 1);
  }
  __syncthreads();
  if (t < 64) atomicAdd(&counts[t], bins[t]);
}
