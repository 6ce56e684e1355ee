// tests/benchmarks/captures/programs/launch_loop.cu: launches of a tiny kernel, as many as the
// first argument says, so many per second as the second says (0: as fast as can be).
#include <chrono>
#include <cstdio>
#include <cstdlib>

__global__ void tiny(float* x) {
  if (threadIdx.x == 0) x[blockIdx.x] += 1;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  const long launches = std::atol(words[1]), rate = std::atol(words[2]);
  float* x;
  cudaMalloc(&x, 4096);
  cudaMemset(x, 0, 4096);
  tiny<<<1, 32>>>(x);
  cudaDeviceSynchronize();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  for (long i = 0; i < launches; ++i) {
    if (rate > 0) {
      while (Clock::now() < begin + std::chrono::nanoseconds(i * 1000000000L / rate)) {
      }
    }
    tiny<<<1, 32>>>(x);
  }
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  cudaDeviceSynchronize();
  std::printf("%ld launches %.4f s\n", launches, seconds.count());
  return 0;
}
