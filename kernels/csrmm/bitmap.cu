// kernels/csrmm/bitmap.cu: A as one bit an entry, multiplied on tensor cores with B in bf16 parts.
//
// With one weight for all and no duplicates A is only a pattern: m·k bits (12.5 MB at 10000²),
// which become ones and zeros of bf16 in registers. B is split into TERMS parts of 8 bits each,
// largest first, so 1, 2 or 3 terms keep 8, 16 or 24 bits of it; every product is exact and sums
// are f32. The price is density: all m·k·n products are made, 98 of 100 with a zero, and once a
// term.
//
// mma.m16n8k16, for lane l with g = l / 4 and t = l % 4: A holds rows g and g + 8 at columns 2t,
// 2t + 1 and 8 further; B holds rows 2t, 2t + 1 and 8 further of column g; C rows g and g + 8 of
// columns 2t and 2t + 1. source: PTX ISA, matrix fragments for mma.m16n8k16.
//
//   TERMS  parts of B: 1, 2 or 3

// Prepare: the pattern of A, one warp per row.
extern "C" __global__ void set_bits(const int* __restrict__ indptr,   // [m + 1]
                                    const int* __restrict__ indices,  // [nnz]
                                    unsigned* __restrict__ bitmap,    // [m, words], zeroed
                                    int m, int words) {
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  if (row >= m) return;
  for (int j = indptr[row] + threadIdx.x; j < indptr[row + 1]; j += 32) {
    atomicOr(bitmap + row * words + indices[j] / 32, 1u << (indices[j] % 32));
  }
}

__device__ __forceinline__ unsigned bf16_bits(float value) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

// Every run: B in parts, in the order in which the lanes of mma hold them; beyond k and n zeros.
extern "C" __global__ void __launch_bounds__(256)
    split_b(const float* __restrict__ b,    // [k, n]
            uint2* __restrict__ fragments,  // [k tiles, n tiles, TERMS, 32]
            int k, int n, int n_tiles, long long tiles) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long tile = thread / 32;
  if (tile >= tiles) return;
  const int lane = threadIdx.x % 32;
  const long long first = tile / n_tiles * 16 + lane % 4 * 2;
  const int column = static_cast<int>(tile % n_tiles) * 8 + lane / 4;
  float rest[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const long long row = first + i / 2 * 8 + i % 2;
    rest[i] = row < k && column < n ? b[row * n + column] : 0.0f;
  }
#pragma unroll
  for (int term = 0; term < TERMS; ++term) {
    unsigned part[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      part[i] = bf16_bits(rest[i]);
      rest[i] -= __uint_as_float(part[i] << 16);  // exact
    }
    fragments[(tile * TERMS + term) * 32 + lane] =
        make_uint2(part[0] | part[1] << 16, part[2] | part[3] << 16);
  }
}

// Two bits as two ones or zeros of bf16.
__device__ __forceinline__ unsigned ones_of(unsigned word, int shift) {
  const unsigned two = word >> shift;
  return ((two & 1) | (two & 2) << 15) * 0x3f80u;
}

// A warp owns 32 rows and 64 columns of C; the four of a block have the same columns, so what one
// fetches of B the others find in L1.
extern "C" __global__ void __launch_bounds__(128)
    bitmap_mma(const unsigned* __restrict__ bitmap,  // [m, words]
               const uint2* __restrict__ fragments,  // [2 * words, n tiles, TERMS, 32]
               const float* __restrict__ weights,    // [1]
               float* __restrict__ c,                // [m, n]
               int m, int n, int words, int n_tiles) {
  constexpr int kRowTiles = 2, kColumnTiles = 8;
  const int lane = threadIdx.x, group = lane / 4, pair = lane % 4;
  const long long first_row = (static_cast<long long>(blockIdx.x) * 4 + threadIdx.y) * 32;
  const int first_tile = blockIdx.y * kColumnTiles;
  if (first_row >= m) return;
  float sum[kRowTiles][kColumnTiles][4] = {};
  for (int word = 0; word < words; ++word) {
    unsigned bits[2 * kRowTiles];
#pragma unroll
    for (int r = 0; r < 2 * kRowTiles; ++r) {
      const long long row = first_row + r * 8 + group;
      bits[r] = row < m ? bitmap[row * words + word] : 0u;
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint2* const of_rows =
          fragments + (static_cast<long long>(word) * 2 + half) * n_tiles * TERMS * 32 + lane;
      unsigned a[kRowTiles][4];
#pragma unroll
      for (int r = 0; r < kRowTiles; ++r) {
        const int shift = half * 16 + pair * 2;
        a[r][0] = ones_of(bits[2 * r], shift);
        a[r][1] = ones_of(bits[2 * r + 1], shift);
        a[r][2] = ones_of(bits[2 * r], shift + 8);
        a[r][3] = ones_of(bits[2 * r + 1], shift + 8);
      }
#pragma unroll
      for (int t = 0; t < kColumnTiles; ++t) {
        if (first_tile + t >= n_tiles) continue;
#pragma unroll
        for (int term = 0; term < TERMS; ++term) {
          const uint2 part = of_rows[((first_tile + t) * TERMS + term) * 32];
#pragma unroll
          for (int r = 0; r < kRowTiles; ++r) {
            float* const d = sum[r][t];
            asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
                "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                : "r"(a[r][0]), "r"(a[r][1]), "r"(a[r][2]), "r"(a[r][3]), "r"(part.x), "r"(part.y));
          }
        }
      }
    }
  }
  const float weight = weights[0];
#pragma unroll
  for (int r = 0; r < kRowTiles; ++r) {
#pragma unroll
    for (int t = 0; t < kColumnTiles; ++t) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const long long row = first_row + r * 16 + i / 2 * 8 + group;
        const int column = (first_tile + t) * 8 + pair * 2 + i % 2;
        if (row < m && column < n) c[row * n + column] = weight * sum[r][t][i];
      }
    }
  }
}
