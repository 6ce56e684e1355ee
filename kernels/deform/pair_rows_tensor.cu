// kernels/deform/pair_rows_tensor.cu: what the lanes of a pair must know of a sample comes to them
// through tensor cores.
//
// Against pair_row_gather: shuffles pass the same pipe as L1's data, two a sample, and make the
// gather wait. Here a product of two small matrices hands metadata round: A has what each lane of
// four has made, B picks one of them, and every lane of the four holds the result. That product
// does the address arithmetic too: A's row is (x, y), B's column (1, columns of the level), C is
// 2^23, so that the result's bits are the cell's number. A lane makes eight points, all of one
// level of one query (its slot); four lanes have four slots, a round. Loads of the next four
// samples are asked for while four are added up. Blocks keep to neighbouring queries, so that an L1
// holds one image.
//
// With PASSES = 2 a block goes over its queries twice: first with the largest level and the
// smallest ones, then with the two between, and adds what it has stored. What a pass looks into is
// less for L1 to hold than all levels together; locations, weights and sums pass in both.
//
// Look at L1's hit rate and wavefronts, and at tensor instructions in a kernel that multiplies no
// matrices.
//
//   LEVELS, POINTS (at most 8, or a multiple of 8)  see levels.cuh; CHANNELS is 32, HEADS is 1
//   HEIGHT0, WIDTH0 to HEIGHT4, WIDTH4  sizes of the levels without rings, 0 where there is none
//   PASSES   1 or 2                     THREADS  of a block
#include "deform/levels.cuh"
#include "deform/pair_rows.cuh"
#include "deform/points.cuh"

static_assert(CHANNELS == 32 && HEADS == 1, "two corners of a row are 128 bytes side by side");
static_assert(POINTS <= 8 || POINTS % 8 == 0, "a slot has at most eight points of a level");

__device__ constexpr int kHeights[] = {HEIGHT0, HEIGHT1, HEIGHT2, HEIGHT3, HEIGHT4};
__device__ constexpr int kWidths[] = {WIDTH0, WIDTH1, WIDTH2, WIDTH3, WIDTH4};
__device__ constexpr int kColumns[] = {WIDTH0 + 2, WIDTH1 + 2, WIDTH2 + 2, WIDTH3 + 2, WIDTH4 + 2};
constexpr int kRow1 = (HEIGHT0 + 2) * (WIDTH0 + 2), kRow2 = kRow1 + (HEIGHT1 + 2) * (WIDTH1 + 2);
constexpr int kRow3 = kRow2 + (HEIGHT2 + 2) * (WIDTH2 + 2);
constexpr int kRow4 = kRow3 + (HEIGHT3 + 2) * (WIDTH3 + 2);
__device__ constexpr int kFirstRows[] = {0, kRow1, kRow2, kRow3, kRow4};

constexpr int kSlots = 4;  // of a round: a lane of four makes each
constexpr int kSlotPoints = POINTS < 8 ? POINTS : 8;
constexpr int kLevelSlots = (POINTS + 7) / 8;      // that hold a query's points of one level
constexpr int kQuads = (kSlotPoints + 3) / 4;      // of samples that are asked for together
constexpr int kPieces = CHANNELS / kLaneChannels;  // of 16 bytes, of a pixel
constexpr unsigned kFloatBits = 0x4b000000;  // of 2^23, as a float: n more are those of 2^23 + n

// The levels of a pass, and what its rounds are made of.
template <int PASS>
struct Pass {
  static constexpr int kBetween = LEVELS - 1 < 2 ? LEVELS - 1 : 2;
  static constexpr int kLevels = PASSES == 1 ? LEVELS : PASS == 0 ? LEVELS - kBetween : kBetween;
  __device__ static constexpr int level(int i) {
    return PASSES == 1 ? i : PASS == 1 ? 1 + i : i ? 2 + i : 0;
  }
  static constexpr int kQuerySlots = kLevels * kLevelSlots;
  static constexpr int kQueries = kQuerySlots == 1 ? 4 : kQuerySlots == 2 ? 2 : 1;  // of a round
  static constexpr int kRounds = (kQuerySlots + kSlots - 1) / kSlots;               // of a query
  // The query of a slot of a round, and the slot's number among those of the query.
  __device__ static constexpr int query(int slot) { return kQueries == 1 ? 0 : slot / kQuerySlots; }
  __device__ static constexpr int number(int round, int slot) {
    return kQueries == 1 ? round * kSlots + slot : slot % kQuerySlots;
  }
  __device__ static constexpr int used(int round) {
    const int left = kQuerySlots - round * kSlots;
    return kQueries > 1 || left > kSlots ? kSlots : left;
  }
};

// What a lane makes of its slot: of each point the cell's x and y, and the weights of the upper and
// the lower corner on the lane's side.
struct Slot {
  unsigned cell[8], weights[8];
};

__device__ __forceinline__ unsigned bits_of(__half2 x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}
__device__ __forceinline__ __half2 halves_of(unsigned bits) {
  __half2 x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

__device__ __forceinline__ Slot slot_of(const Points<kSlotPoints>& points, int height, int width,
                                        bool right) {
  const __half2 zero = __float2half2_rn(0.0f), one = __float2half2_rn(1.0f);
  const __half2 size = __floats2half2_rn(static_cast<float>(width), static_cast<float>(height));
  const __half2 end = __hadd2(size, one);
  const __half2 slope = right ? one : __hneg2(one), offset = right ? zero : one;
  Slot slot = {};
#pragma unroll
  for (int p = 0; p < kSlotPoints; ++p) {
    const __half2 at = __hfma2(points.location[p], size, __float2half2_rn(0.5f));
    const __half2 low = h2floor(at), from_low = __hsub2(at, low);
    const __half2 across = __hfma2(__low2half2(from_low), slope, offset);  // 1 − dx, or dx
    const __half2 down = __hfma2(__high2half2(from_low), __floats2half2_rn(-1.0f, 1.0f),
                                 __floats2half2_rn(1.0f, 0.0f));  // 1 − dy and dy
    const __half2 w = __hmul2(__hmul2(across, down), __half2half2(points.weight[p]));
    const bool inside = __hbgt2(at, zero) && __hblt2(at, end);
    slot.cell[p] = inside ? bits_of(low) : 0;
    slot.weights[p] = inside ? bits_of(w) : 0;
  }
  return slot;
}

// For each row of four lanes, the numbers of four cells of the lane that `step` is not 0 in:
// 2^23 + y · columns + x. source: PTX ISA, mma.m16n8k16: A's registers are rows lane / 4 and that
// plus 8, of columns 2·(lane % 4) and that plus 8; a lane of B has column lane / 4.
__device__ __forceinline__ void cells_of(float (&cells)[4], const unsigned* made, unsigned step,
                                         bool odd_column) {
  constexpr float kZero = 8388608.0f;
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};"
      : "=f"(cells[0]), "=f"(cells[2]), "=f"(cells[1]), "=f"(cells[3])
      : "r"(made[0]), "r"(made[1]), "r"(made[2]), "r"(made[3]), "r"(odd_column ? 0 : step),
        "r"(odd_column ? step : 0), "f"(kZero));
}
// The weights of two points of the lane that `pick` is not 0 in.
__device__ __forceinline__ void weights_of(unsigned& first, unsigned& second, const unsigned* made,
                                           unsigned pick) {
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %5};"
      : "=r"(first), "=r"(second)
      : "r"(made[0]), "r"(made[1]), "r"(pick), "r"(0));
}

struct Arrays {
  const uint4* value;  // pieces of 16 bytes
  const __half* loc;
  const __half* weight;
  uint4* out;
  int queries, rows;
};

template <int PASS>
__device__ __forceinline__ Points<kSlotPoints> points_of(const Arrays& a, int query, int round,
                                                         int slot) {
  using P = Pass<PASS>;
  int place = 0;  // among the query's samples
#pragma unroll
  for (int s = 0; s < P::used(round); ++s) {
    const int number = P::number(round, s);
    if (slot == s)
      place = P::level(number / kLevelSlots) * POINTS + number % kLevelSlots * kSlotPoints;
  }
  return load_points<kSlotPoints, true>(a.loc, a.weight,
                                        static_cast<long long>(query) * kSamples + place);
}

// Loads and sums of a round.
template <int PASS, int ROUND>
__device__ __forceinline__ void add_samples(Octet (&sum)[Pass<PASS>::kQueries], const Arrays& a,
                                            const Slot& slot,
                                            const unsigned (&image)[Pass<PASS>::kQueries]) {
  using P = Pass<PASS>;
  const int own = threadIdx.x % kCornerLanes;
  const bool right = threadIdx.x / kCornerLanes % 2;  // B's columns of these lanes are odd
  const unsigned pick_column =
      right ? 0x3c000000u : 0x3c00u;  // 1 for the lower corner, or the upper
  constexpr int kAsked = P::used(ROUND) * kQuads;
  uint4 upper[4], lower[4];
#pragma unroll
  for (int quad = 0; quad <= kAsked; ++quad) {
    const int asked = quad / kQuads, first_asked = quad % kQuads * 4;
    const int level = quad < kAsked ? P::level(P::number(ROUND, asked) / kLevelSlots) : 0;
    const int summed = (quad + kQuads - 1) / kQuads - 1, first_summed = (quad - 1) % kQuads * 4;
    float cells[4];
    unsigned weights[4];
    if (quad < kAsked) {
      const __half2 step = __floats2half2_rn(1.0f, static_cast<float>(kColumns[level]));
      cells_of(cells, slot.cell + first_asked, own == asked ? bits_of(step) : 0, right);
    }
    if (quad > 0) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (i % 2 == 0)
          weights_of(weights[i], weights[i + 1], slot.weights + first_summed + i,
                     own == summed ? pick_column : 0);
      }
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (quad > 0 && first_summed + i < kSlotPoints) {
        const __half2 w = halves_of(weights[i]);
        add_weighed(sum[P::query(summed)], __low2half2(w), octet_of(upper[i]));
        add_weighed(sum[P::query(summed)], __high2half2(w), octet_of(lower[i]));
      }
      if (quad < kAsked && first_asked + i < kSlotPoints) {
        const uint4* const pixel =
            a.value + (__float_as_uint(cells[i]) * kPieces +
                       (image[P::query(asked)] + kFirstRows[level] * kPieces));
        upper[i] = __ldg(pixel);
        lower[i] = __ldg(pixel + kColumns[level] * kPieces);
      }
    }
  }
}

// The side's sums of a query without tensor cores and without loads for samples that do not count:
// where a weight or a value is not finite, its product with a 0 is NaN. A call, and not part of the
// loop that it would slow.
template <int PASS>
__device__ __noinline__ Octet sums_of(const Arrays& a, int query, int rows_before) {
  using P = Pass<PASS>;
  const bool right = threadIdx.x / kCornerLanes % 2;
  const __half2* const loc = reinterpret_cast<const __half2*>(a.loc);
  Octet sum = zero_octet();
  for (int i = 0; i < P::kLevels; ++i) {
    const int level = P::level(i);
    for (int p = 0; p < POINTS; ++p) {
      const long long sample = static_cast<long long>(query) * kSamples + level * POINTS + p;
      const HalfSample s = half_sample(loc[sample], kHeights[level], kWidths[level]);
      if (!s.inside) continue;
      const CornerWeights corners = corner_weights(s.from_low);
      const __half weight = a.weight[sample];
      const uint4* const upper =
          a.value + static_cast<long long>(rows_before + kFirstRows[level] + s.row) * kPieces +
          threadIdx.x % kPairLanes;
      add_weighed(sum, __hmul(right ? corners.of[1] : corners.of[0], weight), octet_of(*upper));
      add_weighed(sum, __hmul(right ? corners.of[3] : corners.of[2], weight),
                  octet_of(upper[kColumns[level] * kPieces]));
    }
  }
  return sum;
}

// One round: four slots' samples, added to the sums of their queries.
template <int PASS, int ROUND>
__device__ __forceinline__ void add_round(Octet (&sum)[Pass<PASS>::kQueries], const Arrays& a,
                                          const Points<kSlotPoints>& points,
                                          const unsigned (&image)[Pass<PASS>::kQueries]) {
  using P = Pass<PASS>;
  const int own = threadIdx.x % kCornerLanes;
  int height = 1, width = 1;
#pragma unroll
  for (int s = 0; s < P::used(ROUND); ++s) {
    const int level = P::level(P::number(ROUND, s) / kLevelSlots);
    if (own == s) height = kHeights[level], width = kWidths[level];
  }
  const Slot slot = slot_of(points, height, width, threadIdx.x / kCornerLanes % 2);
  add_samples<PASS, ROUND>(sum, a, slot, image);
}

template <int PASS, int ROUND>
__device__ __forceinline__ void add_rounds(Octet (&sum)[Pass<PASS>::kQueries], const Arrays& a,
                                           Points<kSlotPoints>& points,
                                           const unsigned (&image)[Pass<PASS>::kQueries], int query,
                                           int next) {
  if constexpr (ROUND < Pass<PASS>::kRounds) {
    const Points<kSlotPoints> now = points;
    constexpr bool kLast = ROUND + 1 == Pass<PASS>::kRounds;
    points =
        points_of<PASS>(a, kLast ? next : query, kLast ? 0 : ROUND + 1, threadIdx.x % kCornerLanes);
    add_round<PASS, ROUND>(sum, a, now, image);
    add_rounds<PASS, ROUND + 1>(sum, a, points, image, query, next);
  }
}

// Joins the sides of a round's sums and stores them. With two queries each side keeps one and gives
// the other away; with one alone each keeps half of the channels.
template <int PASS>
__device__ __forceinline__ void finish_round(const Arrays& a,
                                             const Octet (&sum)[Pass<PASS>::kQueries],
                                             const uint4 (&stored)[(Pass<PASS>::kQueries + 1) / 2],
                                             int start, int last) {
  using P = Pass<PASS>;
  const int own = threadIdx.x % kCornerLanes;
  const bool right = threadIdx.x / kCornerLanes % 2;
#pragma unroll
  for (int k = 0; k + 1 < P::kQueries; k += 2) {
    Octet kept;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const __half2 given = right ? sum[k].pair[i] : sum[k + 1].pair[i];
      kept.pair[i] = __hadd2(right ? sum[k + 1].pair[i] : sum[k].pair[i],
                             __shfl_xor_sync(~0u, given, kCornerLanes));
    }
    if (PASS > 0) add_weighed(kept, __float2half(1.0f), octet_of(stored[k / 2]));
    const int query = start + k + right;
    if (query < last) __stcs(a.out + static_cast<long long>(query) * kPieces + own, bits_of(kept));
  }
  if (P::kQueries == 1) {
    const Octet was = octet_of(stored[0]);
    unsigned kept[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const __half2 given = right ? sum[0].pair[i] : sum[0].pair[2 + i];
      __half2 both = __hadd2(right ? sum[0].pair[2 + i] : sum[0].pair[i],
                             __shfl_xor_sync(~0u, given, kCornerLanes));
      if (PASS > 0) both = __hadd2(both, right ? was.pair[2 + i] : was.pair[i]);
      kept[i] = bits_of(both);
    }
    uint2* const to =
        reinterpret_cast<uint2*>(a.out + static_cast<long long>(start) * kPieces + own);
    if (start < last) __stcs(to + right, make_uint2(kept[0], kept[1]));
  }
}

// All queries from `first` to `last`, of the levels of a pass; a second pass adds to what is there.
template <int PASS>
__device__ __forceinline__ void sample_pass(const Arrays& a, int first, int last) {
  using P = Pass<PASS>;
  constexpr int kStep = THREADS / kPairLanes * P::kQueries;
  const int own = threadIdx.x % kCornerLanes, part = threadIdx.x % kPairLanes;
  const bool right = part >= kCornerLanes;
  const int before = threadIdx.x / kPairLanes * P::kQueries;       // of other lanes' queries
  const int within = P::kQueries == 1 ? 0 : own / P::kQuerySlots;  // the own slot's query
  const auto there = [&](int query) { return min(query, last - 1); };
  Points<kSlotPoints> points = points_of<PASS>(a, there(first + before + within), 0, own);
  for (int start = first + before; __any_sync(~0u, start < last); start += kStep) {
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
    add_rounds<PASS, 0>(sum, a, points, image, there(start + within),
                        there(start + kStep + within));
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
    pair_rows_tensor(const uint4* __restrict__ value,    // [batch][rows][1][32]
                     const long long* __restrict__,      // shapes and starts: constants say them
                     const long long* __restrict__,      //
                     const __half* __restrict__ loc,     // [batch][queries][1][LEVELS][POINTS][2]
                     const __half* __restrict__ weight,  // [batch][queries][1][LEVELS][POINTS]
                     uint4* out,                         // [batch][queries][1][32]
                     int batch, int queries, int rows,
                     int share) {  // queries of a block at a time
  const Arrays arrays = {value, loc, weight, out, queries, rows};
  const int all = batch * queries;
  for (int first = blockIdx.x * share; first < all; first += gridDim.x * share) {
    const int last = min(first + share, all);
    sample_pass<0>(arrays, first, last);
    if constexpr (PASSES == 2) {
      __syncthreads();
      sample_pass<1>(arrays, first, last);
      __syncthreads();
    }
  }
}
