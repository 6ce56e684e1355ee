// tests/exercises/students/soa/anna.cu: by an author who knew only the text.
// soa.cu: one array per field.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8, n]
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) work[i % 8 * n + i / 8] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8, n]
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float mass = work[3 * n + i];
  const float vx = work[4 * n + i], vy = work[5 * n + i], vz = work[6 * n + i];
  result[i] = 0.5f * mass * (vx * vx + vy * vy + vz * vz);
}
