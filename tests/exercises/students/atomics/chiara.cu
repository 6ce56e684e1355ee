// tests/exercises/students/atomics/chiara.cu: by an author who knew only the text.
// Counts of the block in shared memory; one lane per warp carries two of them to global memory.
extern "C" __global__ void __launch_bounds__(256)
    count(const int* __restrict__ groups, int* __restrict__ counts, int n) {
  __shared__ int histogram[16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < 16) histogram[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&histogram[groups[i]], 1);
  __syncthreads();
  if (lane == 0) {
    for (int g = warp; g < 16; g += 8) {
      const int c = histogram[g];
      if (c) atomicAdd(&counts[g], c);
    }
  }
}
