// tests/benchmarks/captures/programs/host_memory.cu: kernels that read memory of the host:
// page-locked, mapped, managed, and pageable where the device can.
#include <cstdio>
#include <vector>

__global__ void sums(const float* x, float* out, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[i];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, lane);
  if (threadIdx.x == 0) *out = sum;
}

int main() {
  constexpr int n = 4096;
  float *locked, *managed, *out;
  cudaMallocHost(&locked, 4 * n);
  cudaMallocManaged(&managed, 4 * n);
  cudaMalloc(&out, 16);
  cudaMemset(out, 0, 16);
  std::vector<float> pageable(n);
  for (int i = 0; i < n; ++i) locked[i] = managed[i] = pageable[i] = float(i % 7);
  sums<<<1, 32>>>(locked, out, n);
  sums<<<1, 32>>>(managed, out + 1, n - 1);
  int can = 0;
  cudaDeviceGetAttribute(&can, cudaDevAttrPageableMemoryAccess, 0);
  if (can != 0) sums<<<1, 32>>>(pageable.data(), out + 2, n - 2);
  float result[4] = {};
  cudaMemcpy(result, out, 16, cudaMemcpyDeviceToHost);
  std::printf("sums %.0f %.0f %.0f %s\n", result[0], result[1], result[2],
              cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
