// tests/situations/threads/row_products.cu: the lanes of a warp add their sums in shared memory and never wait.
#include <cuda_runtime.h>

__global__ void row_products(const double* m, const double* x, double* y, int rows, int columns) {
  __shared__ double part[256];
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  double sum = 0;
  for (int c = lane; c < columns; c += 32) sum += m[row * columns + c] * x[c];
  part[threadIdx.x] = sum;
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) part[threadIdx.x] += part[threadIdx.x + d];
  }
  if (lane == 0) y[row] = part[threadIdx.x];
}

int main() {
  const int rows = 128, columns = 96;
  double *m, *x, *y;
  cudaMalloc(&m, rows * columns * sizeof(double));
  cudaMalloc(&x, columns * sizeof(double));
  cudaMalloc(&y, rows * sizeof(double));
  row_products<<<rows / 8, 256>>>(m, x, y, rows, columns);
  cudaDeviceSynchronize();
}
