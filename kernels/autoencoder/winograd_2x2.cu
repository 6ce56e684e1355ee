// kernels/autoencoder/winograd_2x2.cu: a 3×3 convolution by Winograd's F(2×2, 3×3): sixteen
// products for four outputs in place of 36.
//
// Windows of 4×4 pixels that overlap by two, and filters, are brought to sixteen numbers each by
// sums; there the convolution is a product number by number, so that all windows and channels are
// sixteen products of matrices; what they give is brought back by sums to 2×2 outputs. Against
// register_tiles: 2.25 times fewer multiply-adds, for three more passes over arrays of four
// numbers a pixel, and sums that cancel: look at the error, and at the bytes beside the flops.
// source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, section 4.1.
//
//   SOURCES, TARGETS, SIDE, DGRAD  channels, side; filters are turned and channels changed over
//   FINISH                         what becomes of sums: see below
#include "autoencoder/register_tile.cuh"

constexpr int kBias = 0;  // bias, where there is one, and ReLU
constexpr int kMask = 1;  // zero where `other` is not positive
constexpr int kPool = 2;  // bias, ReLU, and the first maximum of the four outputs with its place

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
    winograd_weights(const float* __restrict__ w,  // [out, in, 3, 3]
                     float* __restrict__ u) {      // [16, rows, columns]
  const int i = thread_index();
  if (i >= kRows * kColumns) return;
  const int target = i % kColumns, source = i / kColumns;
  float filter[9] = {};
  if (source < SOURCES && target < TARGETS) {
    const float* const from =
        w + 9LL * (DGRAD ? source * TARGETS + target : target * SOURCES + source);
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) filter[tap] = from[DGRAD ? 8 - tap : tap];
  }
  float rows[4][3];
#pragma unroll
  for (int q = 0; q < 3; ++q) {
    const float ends = filter[q] + filter[6 + q];
    rows[0][q] = filter[q], rows[3][q] = filter[6 + q];
    rows[1][q] = 0.5f * (ends + filter[3 + q]), rows[2][q] = 0.5f * (ends - filter[3 + q]);
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float ends = rows[r][0] + rows[r][2];
    const float numbers[4] = {rows[r][0], 0.5f * (ends + rows[r][1]), 0.5f * (ends - rows[r][1]),
                              rows[r][2]};
#pragma unroll
    for (int q = 0; q < 4; ++q) u[(4 * r + q) * kRows * kColumns + i] = numbers[q];
  }
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
                     const float* __restrict__ other,     // [targets]: bias; as `to`: a mask
                     float* __restrict__ to,              // [images, targets, side, side]
                     unsigned char* __restrict__ places,  // as `to`, of pools
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
  const float bias = FINISH != kMask && other != nullptr ? other[target] : 0.0f;
  float best = -1e38f;
  int won = 0;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float* const m = rows[p / 2];
    const float sum = p % 2 == 0 ? m[0] + m[1] + m[2] : m[1] - m[2] - m[3];
    if constexpr (FINISH == kPool) {
      const float value = finished(sum + bias, 1);
      if (value > best) best = value, won = p;  // which no NaN is
    } else {
      const int r = row + p / 2, q = column + p % 2;
      if (r >= SIDE || q >= SIDE) continue;
      const long long at = plane * kPlane + r * SIDE + q;
      to[at] = FINISH == kMask ? (other[at] > 0 ? sum : 0.0f) : finished(sum + bias, relu);
    }
  }
  if constexpr (FINISH == kPool) {
    to[plane * kWindows + window % kWindows] = best;
    places[plane * kWindows + window % kWindows] = static_cast<unsigned char>(won);
  }
}
