// kernels/esmm/class_lists_tensor.cu: chunks of active k as dense products on tensor cores.
//
// Against class_lists: sixteen k of one class are one step of m16n8k16 or two of m16n8k8, dense
// although most products are skipped. FORM 0 rounds both operands to TF32, 2 to bfloat16. FORM 1
// splits each into two TF32 numbers and adds three products, which keeps what single precision
// keeps. Look at the instructions: 8 192 products take eight of them, and the loads stay.
#include "esmm/active_lists.cuh"

#ifndef FORM
#define FORM 0
#endif
#ifndef BLOCKS
#define BLOCKS 4  // of a multiprocessor
#endif

namespace {
constexpr bool kSplits = FORM == 1, kBrain = FORM == 2;
constexpr int kSteps = kBrain ? 16 : 8;  // k of an instruction
// A slot's units and 32 bytes more, or 16 where a lane's k are two apart: the four slots and two
// pieces that eight lanes read share no bank.
constexpr int kPitch = esmm::kUnits * 128 + (kBrain ? 16 : 32);
constexpr int kTiles = esmm::kGroups * 2;  // of 32 × 32
static_assert(esmm::kSlots % kSteps == 0);

__device__ float4 load(unsigned address) {
  float4 v;
  asm volatile("ld.shared.v4.f32 {%0,%1,%2,%3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "r"(address));
  return v;
}

// What an instruction takes of four rows, or columns, of a lane: [k 0 … 7, k 8 … 15 or 4 … 7][row].
struct Quads {
  unsigned high[2][4], low[2][4];  // x = high + low up to 2^-22 of it

  __device__ void take(int half, int row, float x, [[maybe_unused]] float next) {
    if constexpr (kBrain) {
      asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(high[half][row]) : "f"(next), "f"(x));
    } else {
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(high[half][row]) : "f"(x));
      // The tensor core drops what is too much of it.
      if constexpr (kSplits) low[half][row] = __float_as_uint(x - __uint_as_float(high[half][row]));
    }
  }
  __device__ void read(unsigned address) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned at = address + half * kSteps / 2 * kPitch;
      const float4 x = load(at), next = kBrain ? load(at + kPitch) : x;
      take(half, 0, x.x, next.x);
      take(half, 1, x.y, next.y);
      take(half, 2, x.z, next.z);
      take(half, 3, x.w, next.w);
    }
  }
};

__device__ void multiply(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                         unsigned b0, unsigned b1) {
  if constexpr (kBrain)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// 32 × 32 of C: a product's rows are every fourth and its columns too, so that a lane's four come
// with one load.
__device__ void multiply(float (&c)[8][4], const unsigned (&a)[2][4], const unsigned (&b)[2][4]) {
#pragma unroll
  for (int rows = 0; rows < 2; ++rows)
#pragma unroll
    for (int columns = 0; columns < 4; ++columns)
      multiply(c[rows * 4 + columns], a[0][2 * rows], a[0][2 * rows + 1], a[1][2 * rows],
               a[1][2 * rows + 1], b[0][columns], b[1][columns]);
}

struct Chunk {
  float (&c)[kTiles][8][4];
  unsigned at;  // this lane's part of its slot
  int count;
  template <int ROWS, int COLUMNS>
  __device__ void run() {
#pragma unroll 1
    for (; count > 0; count -= kSteps, at += kSteps * kPitch) {
      Quads y[2];
#pragma unroll
      for (int h = 0; h < 2; ++h)
        if (COLUMNS >> h & 1) y[h].read(at + (esmm::kGroups + h) * 128);
#pragma unroll
      for (int g = 0; g < esmm::kGroups; ++g)
        if (ROWS >> g & 1) {
          Quads x;
          x.read(at + g * 128);
#pragma unroll
          for (int h = 0; h < 2; ++h)
            if (COLUMNS >> h & 1) {
              if constexpr (kSplits) {
                multiply(c[2 * g + h], x.low, y[h].high);
                multiply(c[2 * g + h], x.high, y[h].low);
              }
              multiply(c[2 * g + h], x.high, y[h].high);
            }
        }
    }
  }
};

// The slots of a last chunk that no k fills multiply as zeros.
__device__ void clear_rest(unsigned chunk, int count) {
  if (count == esmm::kSlots) return;
  for (int s = count; s < esmm::kSlots && threadIdx.x % 32 < 8 * esmm::kUnits; ++s)
    asm volatile(
        "st.shared.v4.u32 [%0], {%1,%1,%1,%1};" ::"r"(chunk + s * kPitch + threadIdx.x % 32 * 16),
        "r"(0)
        : "memory");
  __syncwarp();
}
}  // namespace

extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    class_lists_tensor(const float* __restrict__ a_columns,     // [⌈m/32⌉][32·⌈k/32⌉][32]
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
  const Patterns patterns = tile_patterns(a_pattern, b_pattern, m, n, k);
  float sum[kTiles][8][4] = {};
  for_each_chunk<kPitch>(
      lists, patterns, tile_source(a_columns, b, n, patterns.words),
      shared_address(shared) + warp * kRing, [&](unsigned kind, unsigned at) {
        const int count = static_cast<int>(kind >> 4) + 1;
        clear_rest(at, count);
        by_class(kind,
                 Chunk{sum, at + lane % 4 * (kBrain ? 2 : 1) * kPitch + lane / 4 * 16, count});
      });
  // Four columns of one row come from four products: sums are put in that order.
  float quads[kTiles * 32];
#pragma unroll
  for (int i = 0; i < kTiles * 32; ++i) quads[i] = sum[i / 32][i / 16 % 2 * 4 + i % 4][i / 4 % 4];
  add_warps(quads, reinterpret_cast<float*>(shared), [&](int i, float4 v) {
    const int tile = i / 32, rows = i / 16 % 2, part = i / 4 % 4;
    const long long at = (blockIdx.y * static_cast<long long>(kGroups) + tile / 2) * 32 +
                         lane / 4 * 4 + 2 * rows + part / 2;
    const long long column = blockIdx.x * 64LL + tile % 2 * 32 + lane % 4 * 8 + part % 2 * 4;
    if (at < m && column < n) *reinterpret_cast<float4*>(c + at * n + column) = v;
  });
}
