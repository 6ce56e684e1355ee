// tests/exercises/students/soa/emil.cu: by an author who knew only the text.
// hot part: float4 {mass, vx, vy, vz} per particle, cold part: float4 {x, y, z, charge} per
// particle
// -> energy needs ONE vector load
extern "C" __global__ void pack(const float* __restrict__ particles, float* __restrict__ work,
                                int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= 8 * n) return;
  int p = i / 8, f = i % 8;
  bool hot = f >= 3 && f <= 6;
  int where = hot ? 4 * p + (f - 3) : 4 * n + 4 * p + (f == 7 ? 3 : f);
  work[where] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work, float* __restrict__ result,
                                  int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float4 q = reinterpret_cast<const float4*>(work)[i];
  result[i] = 0.5f * q.x * (q.y * q.y + q.z * q.z + q.w * q.w);
}
