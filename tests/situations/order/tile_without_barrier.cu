// tests/situations/order/tile_without_barrier.cu: a tile of a matrix product is overwritten while others still read it.
#include <cuda_runtime.h>
#define TILE 16

__global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    a[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
    b[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
  }
  C[row * n + col] = sum;
}

int main() {
  int n = 64;
  size_t size = n * n * sizeof(float);
  float *A, *B, *C;
  cudaMalloc(&A, size);
  cudaMalloc(&B, size);
  cudaMalloc(&C, size);
  matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(A, B, C, n);
  cudaDeviceSynchronize();
}
