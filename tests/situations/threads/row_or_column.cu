// tests/situations/threads/row_or_column.cu: two matrices are added by a thread per row and by a thread per column.
#include <cuda_runtime.h>

__global__ void thread_per_row(float* sum, const float* a, const float* b, unsigned n) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  for (unsigned col = 0; col < n; ++col) {
    unsigned i = row * n + col;
    sum[i] = a[i] + b[i];
  }
}

__global__ void thread_per_column(float* sum, const float* a, const float* b, unsigned n) {
  unsigned col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= n) return;
  for (unsigned row = 0; row < n; ++row) {
    unsigned i = row * n + col;
    sum[i] = a[i] + b[i];
  }
}

int main() {
  const unsigned n = 512;
  float *sum, *a, *b;
  cudaMalloc(&sum, n * n * sizeof(float));
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  thread_per_row<<<n / 128, 128>>>(sum, a, b, n);
  thread_per_column<<<n / 128, 128>>>(sum, a, b, n);
  cudaDeviceSynchronize();
}
