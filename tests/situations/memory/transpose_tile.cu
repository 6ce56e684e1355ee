// tests/situations/memory/transpose_tile.cu: columns of a 32 by 32 tile lie in one bank; with a padded tile they do not.
#include <cuda_runtime.h>
constexpr int kTile = 32;

template <int PAD>
__global__ void transpose(float* out, const float* in, int n) {
  __shared__ float tile[kTile][kTile + PAD];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int n = 256;
  float *in, *out;
  cudaMalloc(&in, n * n * sizeof(float));
  cudaMalloc(&out, n * n * sizeof(float));
  dim3 grid(n / kTile, n / kTile), block(kTile, 8);
  transpose<0><<<grid, block>>>(out, in, n);
  transpose<1><<<grid, block>>>(out, in, n);
  cudaDeviceSynchronize();
}
