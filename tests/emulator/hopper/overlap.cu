// tests/emulator/hopper/overlap.cu: C = A · Bᵀ of bf16 with two tiles of each: one is filled while
// the product of the other goes on, which wgmma.wait_group 1 leaves under way.
#include "../tests/emulator/hopper/wgmma.cuh"

__device__ void load(unsigned char* tile, const unsigned char* from, int row_bytes) {
  for (int p = threadIdx.x; p < 64 * 8; p += 128) {
    *reinterpret_cast<uint4*>(tile + swizzled(p * 16, 128)) =
        *reinterpret_cast<const uint4*>(from + p / 8 * row_bytes + p % 8 * 16);
  }
}

extern "C" __global__ void __launch_bounds__(128)
    overlap(const unsigned char* __restrict__ a,  // m × k
            const unsigned char* __restrict__ b,  // n × k
            float* __restrict__ c, int n, int k_bytes) {
  __shared__ __align__(1024) unsigned char tile_a[2][64 * 128], tile_b[2][64 * 128];
  const unsigned char* const rows_a = a + static_cast<long long>(blockIdx.y) * 64 * k_bytes;
  const unsigned char* const rows_b = b + static_cast<long long>(blockIdx.x) * 64 * k_bytes;
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  hold(d);
  for (int k = 0; k < k_bytes; k += 128) {
    const int at = k / 128 % 2;
    // The product of the round before is under way in the other tiles.
    load(tile_a[at], rows_a + k, k_bytes);
    load(tile_b[at], rows_b + k, k_bytes);
    proxy_fence();
    __syncthreads();
    warpgroup_fence();
    for (int step = 0; step < 128; step += 32) {
      PRODUCT_SHARED("+f", "m64n64k16.f32.bf16.bf16", ", 1, 1, 0, 0", d,
                     descriptor(shared_address(tile_a[at]) + step, 16, 1024, 128),
                     descriptor(shared_address(tile_b[at]) + step, 16, 1024, 128), k + step);
    }
    warpgroup_commit();
    warpgroup_wait<1>();
    __syncthreads();  // the product before is over for all
  }
  warpgroup_wait<0>();
  hold(d);
  store_tile(c, n, blockIdx.y * 64, blockIdx.x * 64, threadIdx.x, d);
}
