// tests/exercises/soa/right_order.cu: fields in the reverse order.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) work[(7 - i % 8) * n + i / 8] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float vx = work[3 * n + i], vy = work[2 * n + i], vz = work[1 * n + i];
  result[i] = 0.5f * work[4 * n + i] * (vx * vx + vy * vy + vz * vz);
}
