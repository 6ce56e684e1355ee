// tests/exercises/soa/right_tile.cu: a block turns its 32 particles in shared memory, and work has
// tiles of 32 particles.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  __shared__ float tile[8][33];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) tile[threadIdx.x % 8][threadIdx.x / 8] = particles[i];
  __syncthreads();
  const int field = threadIdx.x / 32, particle = blockIdx.x * 32 + threadIdx.x % 32;
  if (particle < n) work[field * n + particle] = tile[field][threadIdx.x % 32];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float vx = work[4 * n + i], vy = work[5 * n + i], vz = work[6 * n + i];
  result[i] = 0.5f * work[3 * n + i] * (vx * vx + vy * vy + vz * vz);
}
