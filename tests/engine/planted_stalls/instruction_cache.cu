// tests/engine/planted_stalls/instruction_cache.cu: a loop whose body is larger than the
// instruction caches.
// One line per statement, since a test names the line.
// clang-format off
extern "C" __global__ void __launch_bounds__(128)
    instruction_cache(float* __restrict__ y, int n, float a) {
  float s0 = threadIdx.x, s1 = 1, s2 = 2, s3 = 3;
#pragma unroll 1
  for (int j = 0; j < 8; ++j) {
#pragma unroll
    for (int q = 0; q < 2560; ++q) { s0 = s0 * a + q; s1 = s1 * a + q; s2 = s2 * a + q; s3 = s3 * a + q; }
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = s0 + s1 + s2 + s3;
}
