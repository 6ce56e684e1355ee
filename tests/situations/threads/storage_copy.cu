// tests/situations/threads/storage_copy.cu: each thread reduces in a copy of the shared storage.
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

__global__ void total(const int* x, int* sum) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ alignas(16) char bytes[sizeof(Reduce::TempStorage)];
  auto storage = *reinterpret_cast<Reduce::TempStorage*>(bytes);
  int all = Reduce(storage).Sum(x[threadIdx.x]);
  if (threadIdx.x == 0) *sum = all;
}

int main() {
  int *x, *sum;
  cudaMalloc(&x, 64 * sizeof(int));
  cudaMalloc(&sum, sizeof(int));
  total<<<1, 64>>>(x, sum);
  cudaDeviceSynchronize();
}
