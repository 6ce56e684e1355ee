// tests/situations/memory/walk_columns.cu: lanes that follow each other read elements that are a row apart.
#include <cuda_runtime.h>
#define N 512

__global__ void column_to_row(const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * N + x] = in[x * N + y];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, N * N * sizeof(float));
  cudaMalloc(&out, N * N * sizeof(float));
  dim3 threads(32, 8);
  dim3 blocks(N / threads.x, N / threads.y);
  column_to_row<<<blocks, threads>>>(in, out);
  cudaDeviceSynchronize();
}
