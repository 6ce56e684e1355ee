// kernels/autoencoder/register_tiles.cu: the product of im2col, with columns that are never
// there.
//
// Against implicit_gemm_fp32: a thread has 64 sums in place of sixteen, so that four loads of 16
// bytes serve 64 products where eight words served sixteen; tiles come by asynchronous copies, some
// stages ahead, and weights are packed before. Rows are ordered tap by tap, so that a stage has one
// tap: its border is tested once, what lies outside is copied as zero, and addresses are a plane
// apart. Look at the share of multiply-adds among the instructions, and at the bytes, which are
// those of the maps. A layer of three outputs fills three rows of a tile: look at its instructions.
//
//   SOURCES, TARGETS, SIDE     channels, and the side of the pixels that are counted
//   TAPS_WIDTH, STRIDE, FIRST  pixel (r, q) sees TAPS_WIDTH² of a map of STRIDE·SIDE, from
//                              (STRIDE·r + FIRST, STRIDE·q + FIRST) on
//   PHASES                     4: grid z is the phase, which moves the first tap by its odd row and
//                              column and writes every second pixel of a map of 2·SIDE
//   SPLITS                     grid z is a share of the rows, and sums are left as they are
//   EPILOGUE                   what becomes of sums: see below
#include "autoencoder/register_tile.cuh"

constexpr int kFinish = 0;  // bias, where there is one, and ReLU
constexpr int kMask = 1;    // zero where `other` is not positive: a ReLU's gradient
constexpr int kPool = 2;    // bias, ReLU, and of a 2×2 window the first maximum and its place
constexpr int kShares = 3;

constexpr int kPlane = SIDE * SIDE, kSourceSide = STRIDE * SIDE;
constexpr int kSourcePlane = kSourceSide * kSourceSide;
constexpr int kRows = TAPS_WIDTH * TAPS_WIDTH * SOURCES, kStages = (kRows + DEPTH - 1) / DEPTH;
constexpr int kColumns = (TARGETS + kTileM - 1) / kTileM * kTileM;  // of packed weights
// A thread's columns, and the rows between those that it copies of one column.
constexpr int kCopied = kTileN > kThreads ? kTileN / kThreads : 1;
constexpr int kRowStep = kThreads > kTileN ? kThreads / kTileN : 1;

struct Pixel {
  int image, row, column;
};

// The pixel that a column of the tile counts. Phases write every second word of a row: there lanes,
// and not a thread's sums, are neighbours among 32 pixels, so that a request writes half of a
// sector and not an eighth.
__device__ __forceinline__ int pixel_of(int column) {
  return PHASES > 1 ? column / 32 * 32 + column % kPiece * 8 + column / kPiece % 8 : column;
}

// Pools count window by window, so that a thread's four neighbours are a window.
__device__ __forceinline__ Pixel pixel_at(int i) {
  if (EPILOGUE != kPool) return {i / kPlane, i / SIDE % SIDE, i % SIDE};
  constexpr int kHalf = SIDE > 1 ? SIDE / 2 : 1;
  const int window = i / 4;
  return {window / (kHalf * kHalf), window / kHalf % kHalf * 2 + i / 2 % 2,
          window % kHalf * 2 + i % 2};
}

// NaN stays NaN.
__device__ __forceinline__ float finished(float sum, int relu) { return relu && sum < 0 ? 0 : sum; }

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    register_tiles(const float* __restrict__ from,      // [images, sources, side, side]
                   const float* __restrict__ packed,    // [phases, rows, columns]
                   const float* __restrict__ other,     // [targets]: bias; as `to`: a mask
                   float* __restrict__ to,              // [images, targets, side, side]
                   unsigned char* __restrict__ places,  // as `to`, of pools
                   int images, int relu) {
  __shared__ StageRows<0> stages[STAGES];
  const int thread = threadIdx.x, pixels = images * kPlane;
  const int first_pixel = blockIdx.x * kTileN, first_target = blockIdx.y * kTileM;
  const int phase = PHASES > 1 ? blockIdx.z : 0;
  const int odd_row = phase / 2, odd_column = phase % 2;
  const int share = SPLITS > 1 ? blockIdx.z : 0;
  const int begin = share * kStages / SPLITS, end = (share + 1) * kStages / SPLITS;
  // The first tap of this thread's columns, and where they stand in the first channel.
  int row_of[kCopied], column_of[kCopied];
  const float* corner[kCopied];
#pragma unroll
  for (int c = 0; c < kCopied; ++c) {
    const int i = pixel_of(first_pixel + thread % kTileN + c * kThreads);
    const Pixel at = pixel_at(i);
    // Beyond the last pixel every tap is outside.
    row_of[c] = i < pixels ? STRIDE * at.row + FIRST + odd_row : -TAPS_WIDTH;
    column_of[c] = STRIDE * at.column + FIRST + odd_column;
    const long long image = i < pixels ? at.image : 0;
    corner[c] = from + image * SOURCES * kSourcePlane + row_of[c] * kSourceSide + column_of[c];
  }
  const auto inside = [&](int c, int tap) {
    return static_cast<unsigned>(row_of[c] + tap / TAPS_WIDTH) < kSourceSide &&
           static_cast<unsigned>(column_of[c] + tap % TAPS_WIDTH) < kSourceSide;
  };
  const auto behind_tap = [](int tap) { return tap / TAPS_WIDTH * kSourceSide + tap % TAPS_WIDTH; };

  // Walks over the stages. Every thread has pieces of weights that are a stage's rows apart.
  constexpr int kPieces = DEPTH * kTileM / kPiece, kOfRow = kTileM / kPiece;
  const float* weights = packed +
                         static_cast<long long>(phase * kStages + begin) * DEPTH * kColumns +
                         thread / kOfRow * kColumns + first_target + thread % kOfRow * kPiece;
  const unsigned to_weights =
      shared_address(&stages[0].m[thread / kOfRow][thread % kOfRow * kPiece]);
  const unsigned to_pixels = shared_address(&stages[0].n[thread / kTileN][thread % kTileN]);
  constexpr int kOfTap = SOURCES % DEPTH == 0 ? SOURCES / DEPTH : 1;  // stages
  const float* at[kCopied];
  unsigned there = 0;  // a bit a column
  int tap = begin / kOfTap, left_of_tap = 0, row = begin * DEPTH + thread / kTileN;
  const auto next_tap = [&](int skipped) {
    there = 0;
#pragma unroll
    for (int c = 0; c < kCopied; ++c) {
      there |= inside(c, tap) ? 1u << c : 0u;
      at[c] = corner[c] + behind_tap(tap) + (thread / kTileN + skipped * DEPTH) * kSourcePlane;
    }
    ++tap, left_of_tap = kOfTap - skipped;
  };
  if (SOURCES % DEPTH == 0) next_tap(begin % kOfTap);
  const auto copy = [&](unsigned bytes) {
#pragma unroll
    for (int p = 0; p < kPieces; p += kThreads) {
      if (kPieces % kThreads == 0 || p + thread < kPieces)
        copy_piece(to_weights + bytes + p / kOfRow * kTileM * 4, weights + p / kOfRow * kColumns);
    }
    weights += DEPTH * kColumns;
    if constexpr (SOURCES % DEPTH == 0) {
      if (left_of_tap == 0) next_tap(0);
      --left_of_tap;
#pragma unroll
      for (int c = 0; c < kCopied; ++c) {
#pragma unroll
        for (int k = 0; k < DEPTH; k += kRowStep)
          copy_word(to_pixels + bytes + (k * kTileN + c * kThreads) * 4, at[c] + k * kSourcePlane,
                    there & 1u << c);
        at[c] += DEPTH * kSourcePlane;
      }
    } else {
#pragma unroll
      for (int k = 0; k < DEPTH; k += kRowStep) {
        const int its_tap = (row + k) / SOURCES, source = (row + k) % SOURCES;
#pragma unroll
        for (int c = 0; c < kCopied; ++c)
          copy_word(to_pixels + bytes + (k * kTileN + c * kThreads) * 4,
                    corner[c] + source * kSourcePlane + behind_tap(its_tap),
                    row + k < kRows && inside(c, its_tap));
      }
      row += DEPTH;
    }
  };
  float sums[kSums][kSums] = {};
  multiply(sums, stages, end - begin, copy, [](const StageRows<0>&) {});

  const TilePlace place = tile_place();
  constexpr int kToSide = PHASES > 1 ? 2 * SIDE : SIDE, kToPlane = kToSide * kToSide;
  // Whether the four pixels of a thread need one address, beside which the others lie.
  constexpr bool kInOne = PHASES > 1 ? (SIDE >= 8 && 32 % SIDE == 0) || (SIDE > 0 && SIDE % 32 == 0)
                                     : kPlane % kPiece == 0;
#pragma unroll
  for (int half = 0; half < kSums; half += kPiece) {
    const int column_of_tile = first_pixel + place.column(half), i = pixel_of(column_of_tile);
    if (i >= pixels) continue;
    // In the plane of this thread's first target.
    const auto index_of = [&](int pixel) {
      const Pixel at = pixel_at(pixel);
      const int row = PHASES > 1 ? 2 * at.row + odd_row : at.row;
      const int column = PHASES > 1 ? 2 * at.column + odd_column : at.column;
      return ((static_cast<long long>(share) * images + at.image) * TARGETS + first_target +
              place.m) *
                 kToPlane +
             row * kToSide + column;
    };
    const long long first =
        EPILOGUE == kPool
            ? ((static_cast<long long>(pixel_at(i).image) * TARGETS + first_target + place.m) *
                   (kPlane / 4) +
               i / 4 % (kPlane / 4))
            : index_of(i);
#pragma unroll
    for (int r = 0; r < kSums; ++r) {
      const int down = place.row(r) - place.m, target = first_target + place.m + down;
      if (target >= TARGETS) continue;
      if constexpr (EPILOGUE == kPool) {
        float best = -1e38f;
        int won = 0;
#pragma unroll
        for (int j = 0; j < kPiece; ++j) {
          const float value = finished(sums[r][half + j] + other[target], 1);
          if (value > best) best = value, won = j;  // which no NaN is
        }
        to[first + down * (kPlane / 4)] = best;
        places[first + down * (kPlane / 4)] = static_cast<unsigned char>(won);
        continue;
      }
      const auto value = [&](int j, long long index) {
        float sum = sums[r][half + j];
        if constexpr (EPILOGUE == kFinish)
          sum = finished(sum + (other != nullptr ? other[target] : 0.0f), relu);
        if constexpr (EPILOGUE == kMask) sum = other[index] > 0 ? sum : 0.0f;
        return sum;
      };
      const long long index = first + down * kToPlane;
      if constexpr (!kInOne) {
#pragma unroll
        for (int j = 0; j < kPiece; ++j) {
          const int pixel = pixel_of(column_of_tile + j);
          const long long its = index_of(pixel) + down * kToPlane;
          if (pixel < pixels) to[its] = value(j, its);
        }
      } else if constexpr (PHASES > 1) {
#pragma unroll
        for (int j = 0; j < kPiece; ++j) {
          constexpr int kRow = SIDE > 0 ? SIDE : 1;
          const long long its = index + 8 * j / kRow * 2 * kToSide + 8 * j % kRow * 2;
          to[its] = value(j, its);
        }
      } else {
        *reinterpret_cast<float4*>(to + index) = make_float4(
            value(0, index), value(1, index + 1), value(2, index + 2), value(3, index + 3));
      }
    }
  }
}
