// tests/exercises/students/soa/filip.cu: by an author who knew only the text.
// pack through shared memory: coalesced reads AND coalesced writes
extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  __shared__ float tile[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i < 8 * n) tile[t % 8 * 32 + t / 8] = particles[i];
  const int particle = blockIdx.x * 32 + t % 32;
  if (particle < n) work[t / 32 * n + particle] = tile[t];
}
extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float vx = work[4 * n + i];
  const float vy = work[5 * n + i];
  const float vz = work[6 * n + i];
  result[i] = 0.5f * work[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}
