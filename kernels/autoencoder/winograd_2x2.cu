// kernels/autoencoder/winograd_2x2.cu: a 3×3 convolution by Winograd's F(2×2, 3×3): sixteen
// products for four outputs in place of 36.
//
// Windows of 4×4 pixels that overlap by two are brought to sixteen numbers each by sums, filters by
// pack_weights.cu; there the convolution is a product number by number, so that all windows and
// channels are sixteen products of matrices; what they give is brought back by sums to 2×2 outputs.
// Against register_tiles: 2.25 times fewer multiply-adds, for three more passes over arrays of four
// numbers a pixel, and sums that cancel: look at the error, and at the bytes beside the flops.
// source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, section 4.1.
//
//   SOURCES, TARGETS, SIDE  channels, side
//   FINISH                  what becomes of sums: see below
#include "autoencoder/register_tile.cuh"

constexpr int kBias = 0;    // bias, where there is one, and ReLU
constexpr int kMask = 1;    // zero where `other` is not positive
constexpr int kPool = 2;    // bias, ReLU, and the first maximum of the four outputs with its place
constexpr int kUnpool = 3;  // masked, and put to its place in a window of zeros of twice the side

constexpr int kNumbers = 16, kHalf = (SIDE + 1) / 2, kWindows = kHalf * kHalf;
constexpr int kPlane = SIDE * SIDE;
constexpr int kRows = (SOURCES + DEPTH - 1) / DEPTH * DEPTH;        // with zeros at their end
constexpr int kColumns = (TARGETS + kTileM - 1) / kTileM * kTileM;  // likewise

__device__ inline int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
// Windows of a batch, with zeros up to a whole tile.
__device__ inline int padded(int windows) { return (windows + kTileN - 1) / kTileN * kTileN; }

// Four numbers to four: of a window along one of its sides.
__device__ inline void to_window(float (&d)[4]) {
  const float first = d[0] - d[2], second = d[1] + d[2], third = d[2] - d[1], last = d[1] - d[3];
  d[0] = first, d[1] = second, d[2] = third, d[3] = last;
}

extern "C" __global__ void __launch_bounds__(256)
    winograd_windows(const float* __restrict__ from,  // [images, sources, side, side]
                     float* __restrict__ v,           // [16, rows, padded windows]
                     int images) {
  const int windows = images * kWindows, across = padded(windows), i = thread_index();
  if (i >= kRows * across) return;
  const int window = i % across, source = i / across;
  const int row = window % kWindows / kHalf * 2 - 1, column = window % kHalf * 2 - 1;
  const bool there = window < windows && source < SOURCES;
  const float* const plane =
      from + (there ? static_cast<long long>(window / kWindows) * SOURCES + source : 0) * kPlane;
  float d[4][4];
#pragma unroll
  for (int p = 0; p < 16; ++p) {
    const int r = row + p / 4, q = column + p % 4;
    const bool inside = there && static_cast<unsigned>(r) < SIDE && static_cast<unsigned>(q) < SIDE;
    d[p / 4][p % 4] = inside ? plane[r * SIDE + q] : 0.0f;
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) to_window(d[r]);
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    float down[4] = {d[0][q], d[1][q], d[2][q], d[3][q]};
    to_window(down);
#pragma unroll
    for (int r = 0; r < 4; ++r) v[static_cast<long long>(4 * r + q) * kRows * across + i] = down[r];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    winograd_multiply(const float* __restrict__ u,  // [16, rows, columns]
                      const float* __restrict__ v,  // [16, rows, padded windows]
                      float* __restrict__ sums_of,  // [16, columns, padded windows]
                      int images) {
  __shared__ StageRows<0> stages[STAGES];
  const int thread = threadIdx.x, across = padded(images * kWindows);
  constexpr int kOfM = kTileM / kPiece, kOfN = kTileN / kPiece;  // pieces of a row
  const float* from_u = u + static_cast<long long>(blockIdx.z) * kRows * kColumns +
                        blockIdx.y * kTileM + thread / kOfM * kColumns + thread % kOfM * kPiece;
  const float* from_v = v + static_cast<long long>(blockIdx.z) * kRows * across +
                        blockIdx.x * kTileN + thread / kOfN * across + thread % kOfN * kPiece;
  const unsigned to_m = shared_address(&stages[0].m[thread / kOfM][thread % kOfM * kPiece]);
  const unsigned to_n = shared_address(&stages[0].n[thread / kOfN][thread % kOfN * kPiece]);
  const auto copy = [&](unsigned bytes) {
#pragma unroll
    for (int p = 0; p < DEPTH * kOfM; p += kThreads) {
      if (DEPTH * kOfM % kThreads == 0 || p + thread < DEPTH * kOfM)
        copy_piece(to_m + bytes + p / kOfM * kTileM * 4, from_u + p / kOfM * kColumns);
    }
#pragma unroll
    for (int p = 0; p < DEPTH * kOfN; p += kThreads)
      copy_piece(to_n + bytes + p / kOfN * kTileN * 4, from_v + p / kOfN * across);
    from_u += DEPTH * kColumns;
    from_v += static_cast<long long>(DEPTH) * across;
  };
  float sums[kSums][kSums] = {};
  multiply(sums, stages, kRows / DEPTH, copy, [](const StageRows<0>&) {});
  const TilePlace place = tile_place();
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const long long row =
        static_cast<long long>(blockIdx.z) * kColumns + blockIdx.y * kTileM + place.row(i);
#pragma unroll
    for (int j = 0; j < kSums; j += kPiece)
      *reinterpret_cast<float4*>(sums_of + row * across + blockIdx.x * kTileN + place.column(j)) =
          make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
  }
}

__device__ inline float finished(float sum, int relu) { return relu && sum < 0 ? 0 : sum; }

extern "C" __global__ void __launch_bounds__(256)
    winograd_outputs(const float* __restrict__ sums_of,   // [16, columns, padded windows]
                     const float* __restrict__ other,     // [targets]: bias; or a mask, a map
                     float* __restrict__ to,              // [images, targets, side, side]
                     unsigned char* __restrict__ places,  // of pools: written; or read, a map
                     int images, int relu) {
  const int windows = images * kWindows, across = padded(windows), i = thread_index();
  if (i >= TARGETS * across) return;
  const int window = i % across, target = i / across;
  if (window >= windows) return;
  float rows[2][4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    float m[4];
#pragma unroll
    for (int r = 0; r < 4; ++r)
      m[r] = sums_of[(static_cast<long long>(4 * r + q) * kColumns + target) * across + window];
    rows[0][q] = m[0] + m[1] + m[2];
    rows[1][q] = m[1] - m[2] - m[3];
  }
  const long long plane = static_cast<long long>(window / kWindows) * TARGETS + target;
  const int row = window % kWindows / kHalf * 2, column = window % kHalf * 2;
  float sums[4];
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float* const m = rows[p / 2];
    sums[p] = p % 2 == 0 ? m[0] + m[1] + m[2] : m[1] - m[2] - m[3];
  }
  if constexpr (FINISH == kPool) {
    const float bias = other[target];
    float best = -1e38f;
    int won = 0;
#pragma unroll
    for (int p = 0; p < 4; ++p) {
      const float value = finished(sums[p] + bias, 1);
      if (value > best) best = value, won = p;  // which no NaN is
    }
    to[plane * kWindows + window % kWindows] = best;
    places[plane * kWindows + window % kWindows] = static_cast<unsigned char>(won);
    return;
  }
  const float bias = FINISH == kBias && other != nullptr ? other[target] : 0.0f;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if (row + r >= SIDE) continue;
    // Both outputs of a row at once, where rows begin at eight bytes.
    const long long at = plane * kPlane + (row + r) * SIDE + column;
    const bool second = SIDE % 2 == 0 || column + 1 < SIDE;
    float mask[2] = {};
    if constexpr (FINISH != kBias && SIDE % 2 == 0) {
      const float2 both = *reinterpret_cast<const float2*>(other + at);
      mask[0] = both.x, mask[1] = both.y;
    } else if constexpr (FINISH != kBias) {
      mask[0] = other[at], mask[1] = second ? other[at + 1] : 0.0f;
    }
    float values[2];
#pragma unroll
    for (int q = 0; q < 2; ++q) {
      const float sum = sums[2 * r + q];
      values[q] = FINISH == kBias ? finished(sum + bias, relu) : mask[q] > 0 ? sum : 0.0f;
    }
    if constexpr (FINISH == kUnpool) {
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        if (q == 1 && !second) continue;
        const int won = places[at + q];
        float2* const corner =
            reinterpret_cast<float2*>(to) + (plane * 2 * SIDE + 2 * (row + r)) * SIDE + column + q;
        corner[0] = make_float2(won == 0 ? values[q] : 0.0f, won == 1 ? values[q] : 0.0f);
        corner[SIDE] = make_float2(won == 2 ? values[q] : 0.0f, won == 3 ? values[q] : 0.0f);
      }
    } else if constexpr (SIDE % 2 == 0) {
      *reinterpret_cast<float2*>(to + at) = make_float2(values[0], values[1]);
    } else {
      to[at] = values[0];
      if (second) to[at + 1] = values[1];
    }
  }
}
