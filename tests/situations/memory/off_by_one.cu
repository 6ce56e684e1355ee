// tests/situations/memory/off_by_one.cu: the last index is compared with <= and one element is too many.
#include <cstdio>
#include <vector>

__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = factor * x[i];
}

int main() {
  const int n = 1000;
  std::vector<float> host(n, 1.5f);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(x, y, 2.0f, n);
  cudaMemcpy(host.data(), y, n * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%f\n", host[n - 1]);
}
