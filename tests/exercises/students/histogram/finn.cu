// tests/exercises/students/histogram/finn.cu: by an author who knew only the text.
extern "C" __global__ void histogram(const int* __restrict__ keys,  // [n]
                                     int* __restrict__ counts,      // [64]
                                     int n) {
  __shared__ int local_counts[64];

  // clear
  if (threadIdx.x < 64) local_counts[threadIdx.x] = 0;
  __syncthreads();

  // count
  for (int k = 0; k < 8; ++k) {
    const int i = blockIdx.x * 2048 + k * 256 + threadIdx.x;
    if (i < n) atomicAdd(&local_counts[keys[i]], 1);
  }

  // add to global
  if (threadIdx.x < 64) atomicAdd(&counts[threadIdx.x], local_counts[threadIdx.x]);
}
