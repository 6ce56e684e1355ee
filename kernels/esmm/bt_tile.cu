// kernels/esmm/bt_tile.cu: a warp takes only those k at which its columns of B carry a nonzero,
// with B turned in memory and in shared memory.
//
// Against a_skip: a lane is a column, and the tile of B is Bs[column][BK]. All lanes read one word
// of A at a time, a broadcast; of B they read at a stride of eight words, so that eight lanes want
// the same bank. Look at wavefronts per request of shared memory, at the 64 stores of a word, and
// at the registers: 64 sums and 65 operands per lane.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WN is a multiple of 32
//   BLOCKS  blocks that must find registers on a multiprocessor: 0 says nothing; 2 keeps a block of
//           256 threads to 128 registers per thread
#include "esmm/pattern_steps.cuh"
#include "esmm/turned_tile.cuh"

constexpr int kGroup = 32;  // columns of B that share a byte

__device__ __forceinline__ void add_turned_step(const float* as, const float* bs,
                                                const Place& place, int k, Sums& sums) {
  float a[kDown * TM], b[kAcross * TN];
  rows_at(as, place, k, a);
#pragma unroll
  for (int j = 0; j < kAcross * TN; ++j)
    b[j] = bs[(place.column + j / TN * kSubColumns + j % TN) * BK + k];
  multiply(a, b, sums);
}

template <int COUNT>
__device__ __forceinline__ void turned_steps(const float* as, const float* bs, const Place& place,
                                             const Offsets& offsets, int first, Sums& sums) {
#pragma unroll
  for (int i = 0; i < COUNT; ++i) add_turned_step(as, bs, place, first + offsets.k[i], sums);
}

// With a number of blocks, even 1, the compiler takes what that number leaves: 151 registers and
// not 134 on an sm_90.
#if BLOCKS > 0
#define BOUNDS __launch_bounds__(kThreads, BLOCKS)
#else
#define BOUNDS __launch_bounds__(kThreads)
#endif

extern "C" __global__ void BOUNDS
bt_tile(const float* __restrict__ a,                  // [M, K]
        const float* __restrict__ bt,                 // [N, K]
        const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
        float* __restrict__ c,                        // [M, N]
        long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BN * BK];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8, group = column / kGroup;
  const long long own_group = group + place.warp_across * (WN / kGroup);
  Sums sums = {};
  for (long long k = 0; k < depth; k += BK) {
    unsigned all = 0;
#pragma unroll
    for (int part = 0; part < BK / 8; ++part)
      all |= groups_or<BN / kGroup>(b_pattern, group, k_blocks, k / 8 + part);
    if (all == 0) continue;
    load_rows<BM>(as, a + row * depth + k, depth);
    load_turned(bs, bt + column * depth + k, depth);
    __syncthreads();
#pragma unroll
    for (int part = 0; part < BK / 8; ++part) {
      const unsigned byte = groups_or<WN / kGroup>(b_pattern, own_group, k_blocks, k / 8 + part);
      const Offsets& offsets = kOffsets.of[byte];
      switch (offsets.count) {
        case 1:
          turned_steps<1>(as, bs, place, offsets, part * 8, sums);
          break;
        case 2:
          turned_steps<2>(as, bs, place, offsets, part * 8, sums);
          break;
        case 3:
          turned_steps<3>(as, bs, place, offsets, part * 8, sums);
          break;
        case 4:
          turned_steps<4>(as, bs, place, offsets, part * 8, sums);
          break;
        case 5:
          turned_steps<5>(as, bs, place, offsets, part * 8, sums);
          break;
        case 6:
          turned_steps<6>(as, bs, place, offsets, part * 8, sums);
          break;
        case 7:
          turned_steps<7>(as, bs, place, offsets, part * 8, sums);
          break;
        case 8:
          turned_steps<8>(as, bs, place, offsets, part * 8, sums);
          break;
        default:
          break;
      }
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
