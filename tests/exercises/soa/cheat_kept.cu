// tests/exercises/soa/cheat_kept.cu: keeps the first energies for the next run.
__device__ float kept[4096];
__device__ int filled[4096];
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
  const float vx = work[4 * n + i], vy = work[5 * n + i], vz = work[6 * n + i];
  if (i >= 4096) return;
  if (!filled[i]) kept[i] = 0.5f * work[3 * n + i] * (vx * vx + vy * vy + vz * vz);
  filled[i] = 1;
  result[i] = kept[i];
}
