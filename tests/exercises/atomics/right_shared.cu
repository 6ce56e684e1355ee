// tests/exercises/atomics/right_shared.cu: a block counts in shared memory, and adds 16 counts.
extern "C" __global__ void count(const int* __restrict__ groups,  // [n], 0 … 15
                                 int* __restrict__ counts,        // [16]
                                 int n) {
  __shared__ int own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&own[groups[i]], 1);
  __syncthreads();
  if (threadIdx.x < 16 && own[threadIdx.x] > 0) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
