// kernels/esmm/class_lists.cu: a tile's active k ordered by class, so that nothing is asked inside.
//
// Against joint_table: which column groups need a k is decided once a chunk of k, not at every
// eight k by every warp, and of both operands only lines of 128 bytes that a product needs are
// fetched: a group's k of the k-major A, a group's k of B's row. A warp keeps 32 × 64 of C, a lane
// two pieces of 8 × 4, and the inner loop has no test. Look at the instructions beside the
// multiply-adds, and at the bytes from L2.
#include "esmm/active_lists.cuh"

#ifndef BLOCKS
#define BLOCKS 4  // of a multiprocessor
#endif
#ifndef UNROLL
#define UNROLL 8
#endif

namespace {
constexpr int kPitch = esmm::kUnits * 128;
constexpr int kTiles = esmm::kGroups * 2;  // of 32 × 32
constexpr int kUnroll = UNROLL;

__device__ float4 load(unsigned address) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address));
  return v;
}

// Rows back and forth: two products in a row share a or b, which spares a read of a register.
__device__ void multiply(float (&c)[32], float4 a0, float4 a1, float4 b) {
  const float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w}, q[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int column = i % 2 == 0 ? j : 3 - j;
      c[4 * i + column] += a[i] * q[column];
    }
}

struct Chunk {
  float (&c)[kTiles][32];  // of row group 0: column groups 0, 1; of row group 1: the same
  unsigned a, b;           // where this lane's rows and columns of the first slot are
  int count;
  template <int ROWS, int COLUMNS>
  __device__ void run() {
#pragma unroll kUnroll
    for (; count > 0; --count, a += kPitch, b += kPitch) {
      float4 x[esmm::kGroups][2], y[2];
#pragma unroll
      for (int g = 0; g < esmm::kGroups; ++g)
        if (ROWS >> g & 1) {
          x[g][0] = load(a + g * 128);
          x[g][1] = load(a + g * 128 + 64);
        }
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (COLUMNS >> h & 1) y[h] = load(b + h * 128);
#pragma unroll
      for (int g = 0; g < esmm::kGroups; ++g)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          if ((ROWS >> g & 1) && (COLUMNS >> h & 1)) multiply(c[2 * g + h], x[g][0], x[g][1], y[h]);
    }
  }
};
}  // namespace

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    class_lists(const float* __restrict__ a_columns,     // [⌈m/32⌉][32·⌈k/32⌉][32]
                const float* __restrict__ b,             // [k][n], n a multiple of 4
                const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
                const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
                float* __restrict__ c,                   // [m][n]
                long long m, long long n, long long k) {
  using namespace esmm;
  constexpr int kRing = kStages * kSlots * kPitch;
  extern __shared__ __align__(128) unsigned char shared[];
  Lists& lists = *reinterpret_cast<Lists*>(shared + kWarps * kRing);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  // Lanes of a pair read the same of B, lanes two apart the same of A: two wavefronts per request.
  const int r = lane % 2 + lane / 16 * 2, q = lane / 2 % 8;
  const Patterns patterns = tile_patterns(a_pattern, b_pattern, m, n, k);
  float sum[kTiles][32] = {};
  for_each_chunk<kPitch>(lists, patterns, tile_source(a_columns, b, n, patterns.words),
                         shared_address(shared) + warp * kRing, [&](unsigned kind, unsigned at) {
                           by_class(kind, Chunk{sum, at + r * 16, at + kGroups * 128 + q * 16,
                                                static_cast<int>(kind >> 4) + 1});
                         });
  add_warps(reinterpret_cast<float(&)[kTiles * 32]>(sum), reinterpret_cast<float*>(shared),
            [&](int i, float4 v) {
              const int tile = i / 32, row = i % 32 / 4;
              const long long at = (blockIdx.y * static_cast<long long>(kGroups) + tile / 2) * 32 +
                                   (row < 4 ? 0 : 12) + r * 4 + row;
              const long long column = blockIdx.x * 64LL + tile % 2 * 32 + q * 4;
              if (at < m && column < n) *reinterpret_cast<float4*>(c + at * n + column) = v;
            });
}
