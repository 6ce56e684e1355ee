// tests/situations/public/c13_old_dot.cu: a dot product whose last warp goes on without any synchronisation, with a volatile array.
#include <cstdio>
#include <cuda_runtime.h>

template <typename Real>
struct Span {
  Real* at;
  int n;
};

template <typename Real>
__global__ void partial_dots(Span<const Real> x, Span<const Real> y, Real* sums) {
  constexpr int kThreads = 256;
  __shared__ volatile Real part[kThreads];
  Real mine = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < x.n; i += gridDim.x * kThreads) mine += x.at[i] * y.at[i];
  const int t = threadIdx.x;
  part[t] = mine;
  __syncthreads();
  for (int d = kThreads / 2; d >= 32; d /= 2) {
    if (t < d) part[t] = mine = mine + part[t + d];
    __syncthreads();
  }
  if (t < 16) part[t] = mine = mine + part[t + 16];
  if (t < 8) part[t] = mine = mine + part[t + 8];
  if (t < 4) part[t] = mine = mine + part[t + 4];
  if (t < 2) part[t] = mine = mine + part[t + 2];
  if (t == 0) sums[blockIdx.x] = mine + part[1];
}

int main() {
  const int n = 10000;
  double *x, *y, *sums;
  cudaMalloc(&x, n * sizeof(double));
  cudaMalloc(&y, n * sizeof(double));
  cudaMalloc(&sums, 8 * sizeof(double));
  partial_dots<double><<<8, 256>>>(Span<const double>{x, n}, Span<const double>{y, n}, sums);
  printf("%d\n", (int)cudaDeviceSynchronize());
}
