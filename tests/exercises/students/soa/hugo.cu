// tests/exercises/students/soa/hugo.cu: by an author who knew only the text.
// Why write the formula again?
#pragma push_macro("__global__")
#undef __global__
#define __global__ __device__
#define double float
#include "reference.cu"
#undef double
#pragma pop_macro("__global__")

extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) work[i] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  exact(work, result, n);
}
