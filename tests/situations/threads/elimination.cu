// tests/situations/threads/elimination.cu: the row of the pivot and the other rows wait at two barriers.
#include <cuda_runtime.h>
#define N 8

__global__ void eliminate(float* system) {
  __shared__ float m[N][N + 1], pivot;
  int row = threadIdx.y, col = threadIdx.x;
  m[row][col] = system[row * (N + 1) + col];
  __syncthreads();
  for (int k = 0; k < N; ++k) {
    float factor = 0;
    if (row == k) {
      if (col == k) pivot = m[k][k];
      __syncthreads();
      m[k][col] /= pivot;
    } else {
      factor = m[row][k];
      __syncthreads();
    }
    __syncthreads();
    if (row != k) m[row][col] -= factor * m[k][col];
    __syncthreads();
  }
  system[row * (N + 1) + col] = m[row][col];
}

int main() {
  float* system;
  cudaMalloc(&system, N * (N + 1) * sizeof(float));
  eliminate<<<1, dim3(N + 1, N)>>>(system);
  cudaDeviceSynchronize();
}
