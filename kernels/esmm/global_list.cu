// kernels/esmm/global_list.cu: one list of active k for the whole matrix, taken from its first
// rows.
//
// Against dense_warp_tile: both the loads and the steps of k that are not in the list are left out,
// and no warp tests anything. It is right only where all row groups of A have the pattern of the
// first: elsewhere it drops nonzeros, quickly.
//
//   BM, BN, BK, WM, WN, TM, TN, WNITER, QUADS  see warp_tile.cuh
#include "esmm/warp_tile.cuh"

// One warp: the k whose bits the first group of A has, in order, and how many they are.
extern "C" __global__ void __launch_bounds__(32)
    list_active_steps(const unsigned char* __restrict__ a_pattern,  // [M / 32][K / 8]
                      int* __restrict__ list,                       // [K]
                      int* __restrict__ listed,                     // [1]
                      long long depth) {
  const int lane = threadIdx.x;
  int count = 0;
  for (long long first = 0; first < depth; first += 32) {
    const long long k = first + lane;
    const bool active = k < depth && (a_pattern[k / 8] >> k % 8 & 1) != 0;
    const unsigned those = __ballot_sync(0xFFFFFFFFu, active);
    if (active) list[count + __popc(those & ((1u << lane) - 1))] = static_cast<int>(k);
    count += __popc(those);
  }
  if (lane == 0) *listed = count;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    global_list(const float* __restrict__ a,     // [M, K]
                const float* __restrict__ b,     // [K, N]
                const int* __restrict__ list,    // [K], ascending
                const int* __restrict__ listed,  // [1]
                float* __restrict__ c,           // [M, N]
                long long n, long long depth) {
  __shared__ TILE_ALIGN float as[BK * BM], bs[BK * BN];
  const Place place = place_of_lane();
  const long long row = static_cast<long long>(blockIdx.y) * BM;
  const long long column = static_cast<long long>(blockIdx.x) * BN;
  const int count = *listed;
  Sums sums = {};
  for (int first = 0; first < count; first += BK) {
    const int steps = min(BK, count - first);
    for (int i = threadIdx.x; i < steps * BM; i += kThreads) {
      const int at = i / steps, step = i % steps;  // neighbours in a row of A
      as[step * BM + at] = a[(row + at) * depth + list[first + step]];
    }
    for (int i = threadIdx.x; i < steps * (BN / 4); i += kThreads) {
      const int step = i / (BN / 4), quad = i % (BN / 4) * 4;
      *reinterpret_cast<float4*>(bs + step * BN + quad) =
          *reinterpret_cast<const float4*>(b + list[first + step] * n + column + quad);
    }
    __syncthreads();
    for (int step = 0; step < steps; ++step) add_step(as, bs, place, step, sums);
    __syncthreads();
  }
  store_sums(c + row * n + column, n, place, sums);
}
