// kernels/autoencoder/winograd.cu: a 3×3 convolution by Winograd's F(2×2, 3×3) or F(4×4, 3×3):
// sixteen products for four outputs in place of 36, or 36 for sixteen in place of 144.
//
// Windows of pixels that overlap by two are brought to as many numbers by sums, filters by
// pack_weights.cu; there the convolution is a product number by number, so that all windows and
// channels are 16 or 36 products of matrices; what they give is brought back by sums to 2×2 or 4×4
// outputs. After a nearest upsampling the windows are taken from the small map, and the way back
// ends there; then 9 of the 16 products are left, or 25 of the 36.
// Against register_tiles: 2.25 or 4 times fewer multiply-adds, for three more passes over arrays of
// 4 or 2.25 numbers a pixel, and sums that cancel: look at the error, and at the bytes beside the
// flops.
//
//   SOURCES, TARGETS  channels
//   SIDE, OUTPUTS, UPSAMPLED  see winograd.cuh
//   BACK              1: from gradients of outputs to those of inputs
//   FINISH            what becomes of sums: see below
#include "autoencoder/register_tile.cuh"
#include "autoencoder/winograd.cuh"

constexpr int kBias = 0;    // bias, where there is one, and ReLU
constexpr int kMask = 1;    // zero where `other` is not positive
constexpr int kPool = 2;    // bias, ReLU, and the first maximum of each 2×2 outputs with its place
constexpr int kUnpool = 3;  // masked, and put to its place in a window of zeros of twice the side

constexpr int kRows = (SOURCES + DEPTH - 1) / DEPTH * DEPTH;        // with zeros at their end
constexpr int kColumns = (TARGETS + kTileM - 1) / kTileM * kTileM;  // likewise

// What is read of a window, and what is written: of a small map a half.
constexpr bool kFromSmall = UPSAMPLED && !BACK, kToSmall = UPSAMPLED && BACK;
constexpr int kFromSide = kFromSmall ? SIDE / 2 : SIDE, kFromPlane = kFromSide * kFromSide;
constexpr int kFromStep = kFromSmall ? OUTPUTS / 2 : OUTPUTS, kRead = kFromStep + 2;
constexpr int kToSide = kToSmall ? SIDE / 2 : SIDE, kToPlane = kToSide * kToSide;
constexpr int kBlock = kToSmall ? OUTPUTS / 2 : OUTPUTS;

__device__ inline int thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
// Windows of a batch, with zeros up to a whole tile.
__device__ inline int padded(int windows) { return (windows + kTileN - 1) / kTileN * kTileN; }

// Numbers along one side, of what is read of it.
__device__ __forceinline__ void numbers_of_read(float (&numbers)[kOfSide],
                                                const float (&read)[kRead]) {
  float d[kAll];
#pragma unroll
  for (int p = 0; p < kAll; ++p) d[p] = read[kFromSmall ? (p + 1) / 2 : p];
  numbers_of_window(numbers, d);
}

extern "C" __global__ void __launch_bounds__(256)
    winograd_windows(const float* __restrict__ from,  // [images, sources, side, side]
                     float* __restrict__ v,           // [numbers, rows, padded windows]
                     int images) {
  const int windows = images * kWindows, across = padded(windows), i = thread_index();
  if (i >= kRows * across) return;
  const int window = i % across, source = i / across;
  const int row = window % kWindows / kAcross * kFromStep;
  const int column = window % kAcross * kFromStep;
  const bool there = window < windows && source < SOURCES;
  const float* const plane =
      from +
      (there ? static_cast<long long>(window / kWindows) * SOURCES + source : 0) * kFromPlane;
  float d[kRead][kOfSide];
#pragma unroll
  for (int r = 0; r < kRead; ++r) {
    const bool inside = there && static_cast<unsigned>(row + r - 1) < kFromSide;
    const float* const at = plane + (row + r - 1) * kFromSide + column;
    float read[kRead] = {};
    if constexpr (kFromSide % kFromStep == 0) {
      float middle[kFromStep] = {};
      if (inside) load_neighbours(middle, at);
#pragma unroll
      for (int q = 0; q < kFromStep; ++q) read[q + 1] = middle[q];
      if (inside && column > 0) read[0] = at[-1];
      if (inside && column + kFromStep < kFromSide) read[kRead - 1] = at[kFromStep];
    } else {
#pragma unroll
      for (int q = 0; q < kRead; ++q) {
        if (inside && static_cast<unsigned>(column + q - 1) < kFromSide) read[q] = at[q - 1];
      }
    }
    numbers_of_read(d[r], read);
  }
#pragma unroll
  for (int q = 0; q < kOfSide; ++q) {
    float down[kRead], numbers[kOfSide];
#pragma unroll
    for (int r = 0; r < kRead; ++r) down[r] = d[r][q];
    numbers_of_read(numbers, down);
#pragma unroll
    for (int r = 0; r < kOfSide; ++r)
      v[static_cast<long long>(kOfSide * r + q) * kRows * across + i] = numbers[r];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    winograd_multiply(const float* __restrict__ u,  // [numbers, rows, columns]
                      const float* __restrict__ v,  // [numbers, rows, padded windows]
                      float* __restrict__ sums_of,  // [numbers, columns, padded windows]
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

// Outputs along one side: of a small map sums of pairs.
__device__ __forceinline__ void block_of_numbers(float (&block)[kBlock],
                                                 const float (&numbers)[kOfSide]) {
  float y[OUTPUTS];
  outputs_of_numbers(y, numbers);
#pragma unroll
  for (int p = 0; p < kBlock; ++p) block[p] = kToSmall ? y[2 * p] + y[2 * p + 1] : y[p];
}

__device__ inline float finished(float sum, int relu) { return relu && sum < 0 ? 0 : sum; }

// The first maximum of 2×2 outputs after bias and ReLU, and its place.
__device__ __forceinline__ float pooled(const float (&sums)[4], float bias, int& won) {
  float best = -1e38f;
  won = 0;
#pragma unroll
  for (int p = 0; p < 4; ++p) {
    const float value = finished(sums[p] + bias, 1);
    if (value > best) best = value, won = p;  // which no NaN is
  }
  return best;
}

// Places of neighbours at once.
template <int Count>
__device__ __forceinline__ void load_places(unsigned char (&to)[Count], const unsigned char* from) {
  if constexpr (Count == 4) {
    const uchar4 all = *reinterpret_cast<const uchar4*>(from);
    to[0] = all.x, to[1] = all.y, to[2] = all.z, to[3] = all.w;
  } else if constexpr (Count == 2) {
    const uchar2 all = *reinterpret_cast<const uchar2*>(from);
    to[0] = all.x, to[1] = all.y;
  } else {
    to[0] = *from;
  }
}

extern "C" __global__ void __launch_bounds__(256)
    winograd_outputs(const float* __restrict__ sums_of,   // [numbers, columns, padded windows]
                     const float* __restrict__ other,     // [targets]: bias; or a mask, a map
                     float* __restrict__ to,              // [images, targets, side, side]
                     unsigned char* __restrict__ places,  // of pools: written; or read, a map
                     int images, int relu) {
  const int windows = images * kWindows, across = padded(windows), i = thread_index();
  if (i >= TARGETS * across) return;
  const int window = i % across, target = i / across;
  if (window >= windows) return;
  float rows[kBlock][kOfSide];
#pragma unroll
  for (int q = 0; q < kOfSide; ++q) {
    float m[kOfSide], down[kBlock];
#pragma unroll
    for (int r = 0; r < kOfSide; ++r)
      m[r] =
          sums_of[(static_cast<long long>(kOfSide * r + q) * kColumns + target) * across + window];
    block_of_numbers(down, m);
#pragma unroll
    for (int r = 0; r < kBlock; ++r) rows[r][q] = down[r];
  }
  float sums[kBlock][kBlock];
#pragma unroll
  for (int r = 0; r < kBlock; ++r) block_of_numbers(sums[r], rows[r]);

  const long long plane = static_cast<long long>(window / kWindows) * TARGETS + target;
  const int row = window % kWindows / kAcross * kBlock, column = window % kAcross * kBlock;
  if constexpr (FINISH == kPool) {
    constexpr int kPooled = kToSide / 2;
    const float bias = other[target];
#pragma unroll
    for (int p = 0; p < kBlock * kBlock / 4; ++p) {
      const int r = p / (kBlock / 2) * 2, q = p % (kBlock / 2) * 2;
      if (row + r >= kToSide || column + q >= kToSide) continue;
      const float four[4] = {sums[r][q], sums[r][q + 1], sums[r + 1][q], sums[r + 1][q + 1]};
      int won;
      const float best = pooled(four, bias, won);
      const long long at = plane * kPooled * kPooled + (row + r) / 2 * kPooled + (column + q) / 2;
      to[at] = best;
      places[at] = static_cast<unsigned char>(won);
    }
    return;
  }
  // Neighbours of a row at once, where all rows begin at as many numbers' boundary.
  constexpr int kTogether = kToSide % kBlock == 0 ? kBlock : 1;
  const float bias = FINISH == kBias && other != nullptr ? other[target] : 0.0f;
#pragma unroll
  for (int p = 0; p < kBlock * kBlock / kTogether; ++p) {
    const int r = p * kTogether / kBlock, first = p * kTogether % kBlock;
    if (row + r >= kToSide || column + first >= kToSide) continue;
    const long long at = plane * kToPlane + (row + r) * kToSide + column + first;
    float mask[kTogether] = {}, values[kTogether];
    if constexpr (FINISH != kBias) load_neighbours(mask, other + at);
#pragma unroll
    for (int q = 0; q < kTogether; ++q) {
      const float sum = sums[r][first + q];
      values[q] = FINISH == kBias ? finished(sum + bias, relu) : mask[q] > 0 ? sum : 0.0f;
    }
    if constexpr (FINISH == kUnpool) {
      unsigned char won[kTogether];
      load_places(won, places + at);
      float above[2 * kTogether], below[2 * kTogether];  // windows of zeros but for one number
#pragma unroll
      for (int q = 0; q < 2 * kTogether; ++q) {
        above[q] = won[q / 2] == q % 2 ? values[q / 2] : 0.0f;
        below[q] = won[q / 2] == 2 + q % 2 ? values[q / 2] : 0.0f;
      }
      float* const corner =
          to + (plane * 2 * kToSide + 2 * (row + r)) * 2 * kToSide + 2 * (column + first);
      constexpr int kStored = kTogether == 1 ? 2 : 4;
#pragma unroll
      for (int q = 0; q < 2 * kTogether; q += kStored) {
        float upper[kStored], lower[kStored];
#pragma unroll
        for (int i = 0; i < kStored; ++i) upper[i] = above[q + i], lower[i] = below[q + i];
        store_neighbours(corner + q, upper);
        store_neighbours(corner + 2 * kToSide + q, lower);
      }
    } else {
      store_neighbours(to + at, values);
    }
  }
}
