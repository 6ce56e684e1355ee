// tests/exercises/soa/wrong_order.cu: pack and energy disagree about the order.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) work[i % 8 * n + i / 8] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float* p = work + 8 * i;
  result[i] = 0.5f * p[3] * (p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
}
