// tests/exercises/soa/slow_pack.cu: energy is coalesced, and pack has one lane per particle at
// work.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 8; ++k) work[k * n + i] = particles[8 * i + k];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float vx = work[4 * n + i], vy = work[5 * n + i], vz = work[6 * n + i];
  result[i] = 0.5f * work[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}
