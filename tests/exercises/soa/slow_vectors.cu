// tests/exercises/soa/slow_vectors.cu: still an array of structures, read as float4.
extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < 8 * n) work[i] = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  const float4 a = reinterpret_cast<const float4*>(work)[2 * i];
  const float4 b = reinterpret_cast<const float4*>(work)[2 * i + 1];
  result[i] = 0.5f * a.w * (b.x * b.x + b.y * b.y + b.z * b.z);
}
