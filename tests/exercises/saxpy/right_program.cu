// tests/exercises/saxpy/right_program.cu: a whole program, whose host code does not run.
#include <cstdio>
#include <vector>
__global__ void saxpy(const float* __restrict__ x, float* __restrict__ y, int n, float a) {
  for (int k = 0; k < 4; ++k) {
    const int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
  }
}
int main() {
  std::vector<float> zeros(3);
  saxpy<<<1, 32>>>(zeros.data(), zeros.data(), 3, 1);
  std::printf("%g\n", zeros[0]);
}
