// tests/exercises/students/soa/ivo.cu: by an author who knew only the text.
// Ivo: constants instead of n: the compiler folds all offsets
constexpr int N = 4096;
extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  if (n != N) return;
  const int i = blockIdx.x * 256 + threadIdx.x;
  work[(i & 7) * N + (i >> 3)] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (n != N) {  // not measured
    if (i < n) result[i] = 0;
    return;
  }
  const float a = work[4 * N + i], b = work[5 * N + i], c = work[6 * N + i];
  result[i] = 0.5f * work[3 * N + i] * (a * a + b * b + c * c);
}
