// tests/emulator/hopper/gemm.cu: C = A · Bᵀ of any type, its tiles swizzled as they are stored.
// A row of a tile has ROW_BYTES of k (16: no swizzle, two core matrices side by side). RESULT is
// the type of C, SHAPE the product's shape and types, SIGNS the operands after scale-d.
#include "../tests/emulator/hopper/wgmma.cuh"

constexpr int kRow = ROW_BYTES == 16 ? 32 : ROW_BYTES;
constexpr int kLeading = ROW_BYTES == 16 ? 128 : 16;
constexpr int kStride = ROW_BYTES == 16 ? 256 : 8 * ROW_BYTES;

// Where a piece of 16 bytes of a tile of 64 rows stands.
__device__ int place(int row, int piece) {
  if (ROW_BYTES == 16) return row / 8 * 256 + piece * 128 + row % 8 * 16;
  return swizzled(row * ROW_BYTES + piece * 16, ROW_BYTES);
}

__device__ void load(unsigned char* tile, const unsigned char* from, int row_bytes) {
  for (int p = threadIdx.x; p < 64 * kRow / 16; p += 128) {
    const int row = p / (kRow / 16), piece = p % (kRow / 16);
    *reinterpret_cast<uint4*>(tile + place(row, piece)) =
        *reinterpret_cast<const uint4*>(from + row * row_bytes + piece * 16);
  }
}

extern "C" __global__ void __launch_bounds__(128)
    gemm(const unsigned char* __restrict__ a,  // m × k
         const unsigned char* __restrict__ b,  // n × k
         RESULT* __restrict__ c, int n, int k_bytes) {
  __shared__ __align__(1024) unsigned char tile_a[64 * kRow], tile_b[64 * kRow];
  const unsigned char* const rows_a = a + static_cast<long long>(blockIdx.y) * 64 * k_bytes;
  const unsigned char* const rows_b = b + static_cast<long long>(blockIdx.x) * 64 * k_bytes;
  RESULT d[32];
  for (int i = 0; i < 32; ++i) d[i] = 0;
  for (int k = 0; k < k_bytes; k += kRow) {
    __syncthreads();
    load(tile_a, rows_a + k, k_bytes);
    load(tile_b, rows_b + k, k_bytes);
    proxy_fence();
    __syncthreads();
    begin_products(d);
    for (int step = 0; step < kRow; step += 32) {
      PRODUCT_SHARED(CONSTRAINT, SHAPE, SIGNS, d,
                     descriptor(shared_address(tile_a) + step, kLeading, kStride, ROW_BYTES),
                     descriptor(shared_address(tile_b) + step, kLeading, kStride, ROW_BYTES), 1);
    }
    end_products(d);
  }
  store_tile(c, n, blockIdx.y * 64, blockIdx.x * 64, threadIdx.x, d);
}
