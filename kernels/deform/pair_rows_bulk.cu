// kernels/deform/pair_rows_bulk.cu: locations and weights of a warp's queries come by bulk copy.
//
// Against pair_rows_two_passes, which it is but for the way of its metadata: there each lane of
// four loads 48 bytes of its slot, from four lines a quarter of a warp, and every sector of them
// misses in L1, between the gather's own requests. Here a warp's queries are neighbours, so that
// their locations and weights are two plain pieces of memory: one lane asks for copies of the next
// ones to shared memory while these are sampled, and L1 sees the gather alone. Look at L1's
// requests and at what misses there.
//
//   LEVELS, POINTS, HEIGHT0 … WIDTH4, PASSES, THREADS  see pair_rows_tensor.cu; POINTS is a
//   multiple of 8, so that a query's weights are whole pieces of 16 bytes
#include "deform/pair_rows_tensor.cu"
#include "tensor_copy.cuh"

static_assert(POINTS % 8 == 0, "a query's weights are whole pieces of 16 bytes");

constexpr int kWarps = THREADS / 32;
constexpr int kGroupsOfWarp = 32 / kPairLanes;
constexpr int kMostQueries =
    PASSES == 2 && Pass<1>::kQueries > Pass<0>::kQueries ? Pass<1>::kQueries : Pass<0>::kQueries;

// Metadata of the queries that a warp samples together, whose number is that of a pass.
struct alignas(128) Staged {
  __half2 location[kGroupsOfWarp * kMostQueries * kSamples];
  __half weight[kGroupsOfWarp * kMostQueries * kSamples];
};

// Asks for the metadata of queries from `start` on; called by one lane.
template <int PASS>
__device__ __forceinline__ void fetch_metadata(const Arrays& a, int start, int last,
                                               const Staged& staged, unsigned barrier) {
  const int count = min(kGroupsOfWarp * Pass<PASS>::kQueries, last - start);
  const unsigned bytes = count * kSamples * static_cast<unsigned>(sizeof(__half));
  const long long first = static_cast<long long>(start) * kSamples;
  barrier_arrive_expecting(barrier, 3 * bytes);
  copy_bytes(shared_address(staged.location), a.loc + 2 * first, 2 * bytes, barrier);
  copy_bytes(shared_address(staged.weight), a.weight + first, bytes, barrier);
}

// What a lane makes its slot of; `query` is one of the warp's.
template <int PASS>
__device__ __forceinline__ Points<kSlotPoints> staged_points(const Staged& staged, int query,
                                                             int round, int slot) {
  using P = Pass<PASS>;
  int place = query * kSamples;
#pragma unroll
  for (int s = 0; s < P::used(round); ++s) {
    const int number = P::number(round, s);
    if (slot == s)
      place += P::level(number / kLevelSlots) * POINTS + number % kLevelSlots * kSlotPoints;
  }
  // Neighbouring queries are 128 bytes apart at the published shape, in the same banks: lanes of
  // odd ones read their second piece first.
  const bool swap = P::kQueries > 1 && query % 2 != 0;
  const uint4* const at = reinterpret_cast<const uint4*>(staged.location + place);
  const uint4 early = at[swap ? 1 : 0], late = at[swap ? 0 : 1];
  const uint4 pieces[2] = {swap ? late : early, swap ? early : late};
  const uint4 weights = *reinterpret_cast<const uint4*>(staged.weight + place);
  Points<kSlotPoints> points;
  memcpy(points.location, pieces, sizeof pieces);
  memcpy(points.weight, &weights, sizeof weights);
  return points;
}

template <int PASS, int ROUND>
__device__ __forceinline__ void add_staged_rounds(Octet (&sum)[Pass<PASS>::kQueries],
                                                  const Arrays& a, const Staged& staged, int query,
                                                  const unsigned (&image)[Pass<PASS>::kQueries],
                                                  int next, int last, unsigned barrier) {
  if constexpr (ROUND < Pass<PASS>::kRounds) {
    const Points<kSlotPoints> points =
        staged_points<PASS>(staged, query, ROUND, threadIdx.x % kCornerLanes);
    if constexpr (ROUND + 1 == Pass<PASS>::kRounds) {
      __syncwarp();  // all lanes have read what the next copies overwrite
      if (threadIdx.x % 32 == 0 && next < last)
        fetch_metadata<PASS>(a, next, last, staged, barrier);
    }
    add_round<PASS, ROUND>(sum, a, points, image);
    add_staged_rounds<PASS, ROUND + 1>(sum, a, staged, query, image, next, last, barrier);
  }
}

// sample_pass of pair_rows_tensor.cu with staged metadata.
template <int PASS>
__device__ __forceinline__ void sample_staged(const Arrays& a, int first, int last, Staged& staged,
                                              unsigned barrier, unsigned& parity) {
  using P = Pass<PASS>;
  constexpr int kWarpQueries = kGroupsOfWarp * P::kQueries, kStep = kWarps * kWarpQueries;
  const int own = threadIdx.x % kCornerLanes, part = threadIdx.x % kPairLanes;
  const bool right = part >= kCornerLanes;
  const int group = threadIdx.x % 32 / kPairLanes * P::kQueries;   // of the warp's queries
  const int within = P::kQueries == 1 ? 0 : own / P::kQuerySlots;  // the own slot's query
  int of_warp = first + threadIdx.x / 32 * kWarpQueries;
  if (threadIdx.x % 32 == 0 && of_warp < last)
    fetch_metadata<PASS>(a, of_warp, last, staged, barrier);
  for (; of_warp < last; of_warp += kStep) {
    const int start = of_warp + group;
    const auto there = [&](int query) { return min(query, last - 1); };
    Octet sum[P::kQueries];
    unsigned image[P::kQueries];
    uint4 stored[(P::kQueries + 1) / 2];  // by the pass before, of the queries the side keeps
#pragma unroll
    for (int k = 0; k < P::kQueries; ++k) {
      sum[k] = zero_octet();
      const unsigned number = static_cast<unsigned>(there(start + k)) / a.queries;
      image[k] = (number * a.rows - kFloatBits) * kPieces + part;  // wraps, and the cell back
      const int kept = there(start + (P::kQueries == 1 ? 0 : k + right));
      if (PASS > 0 && k % 2 == 0)
        stored[k / 2] = __ldcs(a.out + static_cast<long long>(kept) * kPieces + own);
    }
    barrier_wait(barrier, parity);
    parity ^= 1;
    add_staged_rounds<PASS, 0>(sum, a, staged, there(start + within) - of_warp, image,
                               of_warp + kStep, last, barrier);
    bool finite = true;
#pragma unroll
    for (int k = 0; k < P::kQueries; ++k) {
#pragma unroll
      for (int i = 0; i < 4; ++i)
        finite = finite && __hble2(__habs2(sum[k].pair[i]), __float2half2_rn(65504.0f));
    }
    if (!__all_sync(~0u, finite)) {
#pragma unroll
      for (int k = 0; k < P::kQueries; ++k) {
        const int query = there(start + k);
        sum[k] = sums_of<PASS>(a, query, query / a.queries * a.rows);
      }
    }
    finish_round<PASS>(a, sum, stored, start, last);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
    pair_rows_bulk(const uint4* __restrict__ value,    // [batch][rows][1][32]
                   const long long* __restrict__,      // shapes and starts: constants say them
                   const long long* __restrict__,      //
                   const __half* __restrict__ loc,     // [batch][queries][1][LEVELS][POINTS][2]
                   const __half* __restrict__ weight,  // [batch][queries][1][LEVELS][POINTS]
                   uint4* out,                         // [batch][queries][1][32]
                   int batch, int queries, int rows,
                   int share) {  // queries of a block at a time, of whole warps'
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  __shared__ Staged staged[kWarps];
  __shared__ unsigned long long arrived[kWarps];
  const Arrays arrays = {value, loc, weight, out, queries, rows};
  const int all = batch * queries, warp = threadIdx.x / 32;
  const unsigned barrier = shared_address(arrived + warp);
  if (threadIdx.x % 32 == 0) {
    barrier_init(barrier, 1);
    barrier_init_fence();
  }
  __syncwarp();
  unsigned parity = 0;
  for (int first = blockIdx.x * share; first < all; first += gridDim.x * share) {
    const int last = min(first + share, all);
    sample_staged<0>(arrays, first, last, staged[warp], barrier, parity);
    if constexpr (PASSES == 2) {
      __syncthreads();
      sample_staged<1>(arrays, first, last, staged[warp], barrier, parity);
      __syncthreads();
    }
  }
#endif
}
