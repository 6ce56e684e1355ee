// kernels/esmm/block_list.cu: a block lists the eight-k blocks that any of its warps needs, and
// walks the list.
//
// Against joint_table: no test for blocks of k that are left out, but their numbers have to be
// written down in order first, a warp's ballot at a time, and a warp's own byte comes from global
// memory again. Look at what the list costs where nothing can be left out.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM, WN are multiples of 32, BK is
//   8
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;     // rows of A, and columns of B, that share a byte
constexpr int kListed = 1024;  // blocks of k in a part of the list

extern "C" __global__ void __launch_bounds__(kThreads)
    block_list(const float* __restrict__ a,                  // [M, K]
               const float* __restrict__ b,                  // [K, N]
               const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
               const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
               float* __restrict__ c,                        // [M, N]
               long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  __shared__ unsigned short list[kListed];
  __shared__ int listed;
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const long long k_blocks = depth / 8;
  const long long a_group = row / kGroup, b_group = column / kGroup;
  const long long own_a = a_group + place.warp_down * (WM / kGroup);
  const long long own_b = b_group + place.warp_across * (WN / kGroup);
  Sums sums = {};
  for (long long first = 0; first < k_blocks; first += kListed) {
    if (threadIdx.x < 32) {
      int count = 0;
      for (int from = 0; from < kListed && first + from < k_blocks; from += 32) {
        const long long block = first + from + threadIdx.x;
        const bool needed =
            block < k_blocks && (groups_or<BM / kGroup>(a_pattern, a_group, k_blocks, block) &
                                 groups_or<BN / kGroup>(b_pattern, b_group, k_blocks, block)) != 0;
        const unsigned those = __ballot_sync(0xFFFFFFFFu, needed);
        if (needed)
          list[count + __popc(those & ((1u << threadIdx.x) - 1))] =
              static_cast<unsigned short>(from + threadIdx.x);
        count += __popc(those);
      }
      if (threadIdx.x == 0) listed = count;
    }
    __syncthreads();
    const int count = listed;
    for (int i = 0; i < count; ++i) {
      const long long block = first + list[i];
      load_rows<BM>(as, a + row * depth + block * 8, depth);
      load_columns(bs, b + block * 8 * n + column, n);
      __syncthreads();
      switch_steps(as, bs, place,
                   groups_or<WM / kGroup>(a_pattern, own_a, k_blocks, block) &
                       groups_or<WN / kGroup>(b_pattern, own_b, k_blocks, block),
                   sums);
      __syncthreads();
    }
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
