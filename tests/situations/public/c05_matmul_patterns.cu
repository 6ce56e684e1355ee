// tests/situations/public/c05_matmul_patterns.cu: which of three ways to walk two matrices has the fewest sectors per request?
#include <cuda_runtime.h>
#include <iostream>
const int N = 256;

__global__ void walk_rows_and_columns(int* a, int* b, int* c) {
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int v = 0;
  if (row < N && col < N) {
    for (int k = 0; k < N; ++k)
      v += a[row * N + k] * b[k * N + col];
    c[row * N + col] = v;
  }
}
__global__ void walk_rows(int* a, int* b, int* c) {
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int v = 0;
  if (row < N && col < N) {
    for (int k = 0; k < N; ++k)
      v += a[row * N + k] * b[row * N + k];
    c[row * N + col] = v;
  }
}
__global__ void walk_columns(int* a, int* b, int* c) {
  int row = threadIdx.y + blockIdx.y * blockDim.y;
  int col = threadIdx.x + blockIdx.x * blockDim.x;
  int v = 0;
  if (row < N && col < N) {
    for (int k = 0; k < N; ++k)
      v += a[k * N + col] * b[k * N + col];
    c[row * N + col] = v;
  }
}
int main() {
  int *a, *b, *c;
  cudaMallocManaged(&a, N * N * sizeof(int));
  cudaMallocManaged(&b, N * N * sizeof(int));
  cudaMallocManaged(&c, N * N * sizeof(int));
  dim3 block(32, 16, 1), grid(N / 32, N / 16, 1);
  walk_rows_and_columns<<<grid, block>>>(a, b, c);
  walk_rows<<<grid, block>>>(a, b, c);
  walk_columns<<<grid, block>>>(a, b, c);
  cudaDeviceSynchronize();
  std::cout << c[0] << std::endl;
}
