// tests/exercises/soa/slow_reversed.cu: fields are arrays, but particles are stored 8 apart in
// them.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int m = (n + 7) / 8 * 8;
  const int p = i / 8;
  if (i < 8 * n && n == m) work[i % 8 * n + p % (n / 8) * 8 + p / (n / 8)] = particles[i];
  if (i < 8 * n && n != m) work[i % 8 * n + p] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const int m = (n + 7) / 8 * 8;
  const int p = n == m ? i % (n / 8) * 8 + i / (n / 8) : i;
  const float vx = work[4 * n + p], vy = work[5 * n + p], vz = work[6 * n + p];
  result[i] = 0.5f * work[3 * n + p] * (vx * vx + vy * vy + vz * vz);
}
