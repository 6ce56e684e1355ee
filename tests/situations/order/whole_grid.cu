// tests/situations/order/whole_grid.cu: a cooperative launch whose blocks meet twice, and that prints its sum.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void sum_and_tell(const int* x, int* sums, int n) {
  cg::grid_group grid = cg::this_grid();
  int sum = 0;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
  atomicAdd(&sums[blockIdx.x], sum);
  grid.sync();
  if (grid.thread_rank() == 0) {
    for (int b = 1; b < gridDim.x; ++b) sums[0] += sums[b];
    printf("the sum is %d\n", sums[0]);
  }
}

int main() {
  int n = 1000, *x, *sums;
  cudaMallocManaged(&x, n * sizeof(int));
  cudaMalloc(&sums, 4 * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = 3;
  cudaMemset(sums, 0, 4 * sizeof(int));
  void* arguments[] = {&x, &sums, &n};
  cudaLaunchCooperativeKernel((void*)sum_and_tell, dim3(4), dim3(64), arguments);
  cudaDeviceSynchronize();
}
