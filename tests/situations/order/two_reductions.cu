// tests/situations/order/two_reductions.cu: two reductions of CUB share their storage without a barrier.
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>

template <int THREADS>
__global__ void mean_and_square(const float* x, float* out, int n) {
  using Reduce = cub::BlockReduce<float, THREADS>;
  __shared__ typename Reduce::TempStorage storage;
  int i = blockIdx.x * THREADS + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  float sum = Reduce(storage).Sum(v);
  float squares = Reduce(storage).Sum(v * v);
  if (threadIdx.x == 0) {
    out[2 * blockIdx.x] = sum / n;
    out[2 * blockIdx.x + 1] = squares / n;
  }
}

int main() {
  const int n = 1024;
  float *x, *out;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&out, 8 * 2 * sizeof(float));
  mean_and_square<128><<<8, 128>>>(x, out, n);
  cudaDeviceSynchronize();
}
