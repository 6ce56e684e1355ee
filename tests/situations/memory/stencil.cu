// tests/situations/memory/stencil.cu: the first thread of the grid reads an element before the array.
#include <cuda_runtime.h>

__global__ void heat(const double* __restrict__ u, double* __restrict__ next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) next[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
}

int main() {
  constexpr int n = 1 << 12;
  double *u, *next;
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&next, n * sizeof(double));
  for (int step = 0; step < 10; ++step) {
    heat<<<n / 256, 256>>>(u, next, n);
    std::swap(u, next);
  }
  cudaDeviceSynchronize();
}
