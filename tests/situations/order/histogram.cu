// tests/situations/order/histogram.cu: threads of all blocks count in the same bins without atomics.
#include <cuda_runtime.h>
#include <vector>

__global__ void histogram(const unsigned char* data, unsigned int* bins, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    bins[data[i]]++;
}

int main() {
  const int n = 1 << 15;
  std::vector<unsigned char> host(n);
  for (int i = 0; i < n; ++i) host[i] = i % 256;
  unsigned char* data;
  unsigned int* bins;
  cudaMalloc(&data, n);
  cudaMalloc(&bins, 256 * sizeof(unsigned int));
  cudaMemcpy(data, host.data(), n, cudaMemcpyHostToDevice);
  cudaMemset(bins, 0, 256 * sizeof(unsigned int));
  histogram<<<32, 128>>>(data, bins, n);
  cudaDeviceSynchronize();
}
