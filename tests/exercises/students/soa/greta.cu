// tests/exercises/students/soa/greta.cu: by an author who knew only the text.
// soa.cu (Greta)
#define AT(field, particle) work[(field)*n + (particle)]

extern "C" __global__ void pack(const float* __restrict__ particles,  // [n, 8]
                                float* __restrict__ work,             // [8 n], in your order
                                int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= 8 * n) return;
  AT(i % 8, i / 8) = particles[i];
}
extern "C" __global__ void energy(const float* __restrict__ work,  // [8 n], as pack stores it
                                  float* __restrict__ result,      // [n]
                                  int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i > n) return;
  const float mass = AT(3, i);
  float square = 0;
  for (int f = 4; f <= 6; ++f) square += AT(f, i) * AT(f, i);
  result[i] = 0.5f * mass * square;
}
