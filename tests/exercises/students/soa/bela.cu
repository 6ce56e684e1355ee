// tests/exercises/students/soa/bela.cu: by an author who knew only the text.
/* transposes 32 particles x 8 fields through shared memory */
enum Field { X, Y, Z, MASS, VX, VY, VZ, CHARGE, FIELDS };

extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  __shared__ float tile[FIELDS][32 + 1]; /* +1 against bank conflicts */
  int t = threadIdx.x;
  int first = blockIdx.x * 32; /* first particle of the block */

  int i = first * FIELDS + t;
  if (i < FIELDS * n) tile[t % FIELDS][t / FIELDS] = particles[i];
  __syncthreads();

  int field = t / 32, p = t % 32; /* a warp per field */
  if (first + p < n) work[field * n + first + p] = tile[field][p];
}

static __device__ __forceinline__ float get(const float* __restrict__ work, Field f, int i, int n) {
  return __ldg(work + f * n + i);
}

extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float vx = get(work, VX, i, n), vy = get(work, VY, i, n), vz = get(work, VZ, i, n);
    result[i] = get(work, MASS, i, n) / 2 * (vx * vx + vy * vy + vz * vz);
  }
}
