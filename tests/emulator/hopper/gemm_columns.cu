// tests/emulator/hopper/gemm_columns.cu: C = −Aᵀ · B of f16, whose tiles lie along m and n.
// A row of a tile is one k; ROW_BYTES of m or n lie side by side (16: no swizzle).
#include "../tests/emulator/hopper/wgmma.cuh"

constexpr int kDepth = 32;  // of k, in a tile of 64 m or n
constexpr int kPieces = ROW_BYTES / 16;
constexpr int kStride = ROW_BYTES == 16 ? 128 : 8 * ROW_BYTES;
constexpr int kLeading = ROW_BYTES == 16 ? 1024 : kDepth * ROW_BYTES;
constexpr int kStep = 2 * (ROW_BYTES == 16 ? kLeading : kStride);  // 16 of k

__device__ void load(unsigned char* tile, const unsigned char* from, int row_bytes) {
  for (int p = threadIdx.x; p < kDepth * 8; p += 128) {
    const int k = p / 8, piece = p % 8;
    const int at = ROW_BYTES == 16 ? k / 8 * kLeading + piece * kStride + k % 8 * 16
                                   : swizzled(piece / kPieces * kLeading + k / 8 * kStride +
                                                  k % 8 * ROW_BYTES + piece % kPieces * 16,
                                              ROW_BYTES);
    *reinterpret_cast<uint4*>(tile + at) =
        *reinterpret_cast<const uint4*>(from + static_cast<long long>(k) * row_bytes + piece * 16);
  }
}

extern "C" __global__ void __launch_bounds__(128)
    gemm_columns(const unsigned char* __restrict__ a,  // k × m halves
                 const unsigned char* __restrict__ b,  // k × n halves
                 float* __restrict__ c, int m, int n, int k) {
  __shared__ __align__(1024) unsigned char tile_a[kDepth * 128], tile_b[kDepth * 128];
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (int first = 0; first < k; first += kDepth) {
    __syncthreads();
    load(tile_a, a + (static_cast<long long>(first) * m + blockIdx.y * 64) * 2, m * 2);
    load(tile_b, b + (static_cast<long long>(first) * n + blockIdx.x * 64) * 2, n * 2);
    proxy_fence();
    __syncthreads();
    begin_products(d);
    for (int step = 0; step < kDepth / 16; ++step) {
      PRODUCT_SHARED(
          "+f", "m64n64k16.f32.f16.f16", ", -1, 1, 1, 1", d,
          descriptor(shared_address(tile_a) + step * kStep, kLeading, kStride, ROW_BYTES),
          descriptor(shared_address(tile_b) + step * kStep, kLeading, kStride, ROW_BYTES),
          first + step);
    }
    end_products(d);
  }
  store_tile(c, n, blockIdx.y * 64, blockIdx.x * 64, threadIdx.x, d);
}
