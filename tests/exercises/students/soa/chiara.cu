// tests/exercises/students/soa/chiara.cu: by an author who knew only the text.
// Eight short arrays per 32 particles (AoSoA): a particle's fields stay near each other in memory.
// The last group may have fewer than 32 particles, and then its arrays are as short as that.
__device__ __forceinline__ int place(int particle, int field, int n) {
  const int group = particle & ~31;
  const int width = min(32, n - group);
  return 8 * group + field * width + (particle - group);
}

extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 8 * n; i += gridDim.x * blockDim.x)
    work[place(i >> 3, i & 7, n)] = particles[i];
}

extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float square = 0;
#pragma unroll
  for (int field = 4; field < 7; ++field) {
    const float v = work[place(i, field, n)];
    square = fmaf(v, v, square);
  }
  result[i] = .5f * work[place(i, 3, n)] * square;
}
