// tests/emulator/hopper/gemm_registers.cu: C = A · Bᵀ of any type, A straight from global memory to
// registers. A thread has of A four times four bytes: rows 8 apart, then 16 bytes of k further.
#include "../tests/emulator/hopper/wgmma.cuh"

extern "C" __global__ void __launch_bounds__(128)
    gemm_registers(const unsigned char* __restrict__ a,  // m × k
                   const unsigned char* __restrict__ b,  // n × k
                   RESULT* __restrict__ c, int n, int k_bytes) {
  __shared__ __align__(1024) unsigned char tile[64 * 128];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long first_row = blockIdx.y * 64 + 16 * warp + lane / 4;
  const unsigned char* const rows_b = b + static_cast<long long>(blockIdx.x) * 64 * k_bytes;
  RESULT d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (int k = 0; k < k_bytes; k += 128) {
    __syncthreads();
    for (int p = threadIdx.x; p < 64 * 8; p += 128) {
      *reinterpret_cast<uint4*>(tile + swizzled(p * 16, 128)) =
          *reinterpret_cast<const uint4*>(rows_b + p / 8 * k_bytes + k + p % 8 * 16);
    }
    unsigned f[4][4];
    for (int step = 0; step < 4; ++step) {
      for (int r = 0; r < 4; ++r) {
        f[step][r] = *reinterpret_cast<const unsigned*>(a + (first_row + r % 2 * 8) * k_bytes + k +
                                                        step * 32 + r / 2 * 16 + lane % 4 * 4);
      }
      hold(f[step]);
    }
    proxy_fence();
    __syncthreads();
    begin_products(d);
    for (int step = 0; step < 4; ++step) {
      PRODUCT_REGISTERS(CONSTRAINT, SHAPE, SIGNS, d, f[step],
                        descriptor(shared_address(tile) + step * 32, 16, 1024, 128), 1);
    }
    end_products(d);
  }
  for (int i = 0; i < 32; ++i) {
    const long long row = first_row + 8 * (i / 2 % 2);
    c[row * n + blockIdx.x * 64 + 8 * (i / 4) + 2 * (lane % 4) + i % 2] = d[i];
  }
}
