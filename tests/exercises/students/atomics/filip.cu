// tests/exercises/students/atomics/filip.cu: by an author who knew only the text.
// block histogram in shared memory
extern "C" __global__ void count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  __shared__ int local[16];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  if (t < 16) local[t] = 0;
  if (i < n) atomicAdd(&local[groups[i]], 1);
  __syncthreads();
  // one lane of each warp writes two groups
  if (t % 32 == 0) {
    if (local[t / 32]) atomicAdd(&counts[t / 32], local[t / 32]);
    if (local[t / 32 + 8]) atomicAdd(&counts[t / 32 + 8], local[t / 32 + 8]);
  }
}
