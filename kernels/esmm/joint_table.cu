// kernels/esmm/joint_table.cu: the joined bytes of all k are made before the loop, in shared
// memory.
//
// Against joint: the loop reads one byte of shared memory instead of bytes of both patterns from
// global memory, and a table of their union says which loads the whole block can leave out. Look at
// the bytes from L2: a block of eight warps needs nearly every k, however little each warp takes.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh; WM, WN are multiples of 32, BK is
//   8 TABLE  bytes a warp has: 128, 256, 512 or 1024, not below K / 8
#include "esmm/pattern_steps.cuh"

constexpr int kGroup = 32;  // rows of A, and columns of B, that share a byte
constexpr int kWarps = kThreads / 32;
// What a block does between its barriers is short, and waits for loads: as many warps as possible
// have to be there. 32 sums per lane fit 64 registers: 1024 threads per multiprocessor.
constexpr int kResident = TM == 1 && kDown * kAcross * TN <= 32 ? 1024 / kThreads : 1;

extern "C" __global__ void __launch_bounds__(kThreads, kResident)
    joint_table(const float* __restrict__ a,                  // [M, K]
                const float* __restrict__ b,                  // [K, N]
                const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
                const unsigned char* __restrict__ b_pattern,  // [N / 32][K / 8]
                float* __restrict__ c,                        // [M, N]
                long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  __shared__ unsigned char joints[kWarps][TABLE], all[TABLE];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const int k_blocks = static_cast<int>(depth / 8), warp = threadIdx.x / 32;
  const long long own_a = row / kGroup + place.warp_down * (WM / kGroup);
  const long long own_b = column / kGroup + place.warp_across * (WN / kGroup);
  for (int block = threadIdx.x % 32; block < k_blocks; block += 32) {
    joints[warp][block] =
        static_cast<unsigned char>(groups_or<WM / kGroup>(a_pattern, own_a, k_blocks, block) &
                                   groups_or<WN / kGroup>(b_pattern, own_b, k_blocks, block));
  }
  __syncthreads();
  for (int block = threadIdx.x; block < k_blocks; block += kThreads) {
    unsigned char any = 0;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) any |= joints[w][block];
    all[block] = any;
  }
  __syncthreads();
  const float* from_a = a + row * depth;
  const float* from_b = b + column;
  Sums sums = {};
  for (int block = 0; block < k_blocks; ++block, from_a += 8, from_b += 8 * n) {
    if (all[block] == 0) continue;
    // In this order both loads are under way before either is waited for.
    load_columns(bs, from_b, n);
    load_rows<BM>(as, from_a, depth);
    __syncthreads();
    switch_steps(as, bs, place, joints[warp][block], sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
