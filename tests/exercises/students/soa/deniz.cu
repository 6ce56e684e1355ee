// tests/exercises/students/soa/deniz.cu: by an author who knew only the text.
// soa.cu: thread i of pack fills work[i]: it looks for the particle and the field that belong
// there.
extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) {
    const int field = i / n;
    const int particle = i % n;
    work[i] = particles[8 * particle + field];
  }
}
extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float *m = work + 3 * n, *vx = m + n, *vy = vx + n, *vz = vy + n;
  result[i] = 0.5f * m[i] * (vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
}
