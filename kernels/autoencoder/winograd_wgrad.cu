// kernels/autoencoder/winograd_wgrad.cu: gradients of a 3×3 convolution's weights by the transpose
// of Winograd's F(2×2, 3×3) or F(4×4, 3×3): sixteen products of a window for the nine weights in
// place of 36, or 36 in place of 144.
//
// Windows of x have the numbers that winograd_windows of winograd.cu writes, and a step keeps them
// from its forward pass. Here each window's 2×2 or 4×4 gradients become as many numbers,
// products number by number over all windows of a batch are shared out among blocks as in
// wgrad_register_tiles, and where the shares are added up, their sums become nine weights. After a
// nearest upsampling 9 of the 16 products are left, or 25 of the 36.
// Against wgrad_register_tiles: 2.25 or 4 times fewer multiply-adds, no border in the product's
// copies, and the bytes of both sides' numbers. The gradient of a bias is what one of the numbers
// sums up.
//
//   IN, OUT  channels
//   SIDE, OUTPUTS, UPSAMPLED  see winograd.cuh
//   ROWS     rows of windows: inputs, with zeros at their end
//   SPLITS   shares
#include "autoencoder/register_tile.cuh"
#include "autoencoder/winograd.cuh"

constexpr int kPlane = SIDE * SIDE;
constexpr int kSumOfAll = kOfSide + 1;   // the number that is the sum of a window's gradients
constexpr int kStep = kThreads / DEPTH;  // channels between those a thread copies
constexpr int kPadding = 4;
constexpr int kLanes = 32, kGroups = (IN + kLanes - 1) / kLanes;  // inputs of a block that adds up

extern "C" __global__ void __launch_bounds__(256)
    winograd_gradients(const float* __restrict__ dy,  // [images, out, side, side]
                       float* __restrict__ m,         // [numbers, out, windows], zeros at their end
                       int images, int across) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= OUT * across) return;
  const int window = i % across, out = i / across;
  const int row = window % kWindows / kAcross * OUTPUTS, column = window % kAcross * OUTPUTS;
  const bool there = window < images * kWindows;
  const float* const plane =
      dy + (there ? static_cast<long long>(window / kWindows) * OUT + out : 0) * kPlane;
  float sides[OUTPUTS][kOfSide];
#pragma unroll
  for (int r = 0; r < OUTPUTS; ++r) {
    const bool inside = there && row + r < SIDE;
    const float* const at = plane + (row + r) * SIDE + column;
    float y[OUTPUTS] = {};
    if constexpr (SIDE % OUTPUTS == 0) {
      if (inside) load_neighbours(y, at);
    } else {
#pragma unroll
      for (int q = 0; q < OUTPUTS; ++q) {
        if (inside && column + q < SIDE) y[q] = at[q];
      }
    }
    numbers_of_gradients(sides[r], y);
  }
#pragma unroll
  for (int q = 0; q < kOfSide; ++q) {
    float down[OUTPUTS], numbers[kOfSide];
#pragma unroll
    for (int r = 0; r < OUTPUTS; ++r) down[r] = sides[r][q];
    numbers_of_gradients(numbers, down);
#pragma unroll
    for (int r = 0; r < kOfSide; ++r)
      m[static_cast<long long>(kOfSide * r + q) * OUT * across + i] = numbers[r];
  }
}

// As copy_word, and what else lies on its line comes to L2: the following stages read it.
__device__ __forceinline__ void copy_word_of_line(unsigned to, const float* from, bool there) {
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 4, %2;" ::"r"(to), "l"(from),
               "r"(there ? 4 : 0)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    winograd_wgrad_multiply(const float* __restrict__ m,  // [numbers, out, windows]
                            const float* __restrict__ v,  // [numbers, rows, windows]
                            // [numbers, SPLITS, out, in], and after them [SPLITS, out] of biases
                            float* __restrict__ shares, int across) {
  __shared__ StageRows<kPadding> stages[STAGES];
  const int thread = threadIdx.x, number = blockIdx.z / SPLITS, share = blockIdx.z % SPLITS;
  const int first_out = blockIdx.y * kTileM, first_in = blockIdx.x * kTileN;
  const int all = across / DEPTH;
  const int begin = static_cast<int>(static_cast<long long>(share) * all / SPLITS);
  const int end = static_cast<int>((share + 1LL) * all / SPLITS);
  // A thread copies one window of a stage, in every kStep-th channel: eight windows side by side
  // are a sector, and four channels of them a request.
  const int channel = thread / DEPTH, window = begin * DEPTH + thread % DEPTH;
  const float* from_m =
      m + (static_cast<long long>(number) * OUT + first_out + channel) * across + window;
  const float* from_v =
      v + (static_cast<long long>(number) * ROWS + first_in + channel) * across + window;
  const unsigned to_m = shared_address(&stages[0].m[thread % DEPTH][channel]);
  const unsigned to_n = shared_address(&stages[0].n[thread % DEPTH][channel]);
  const auto copy = [&](unsigned bytes) {
#pragma unroll
    for (int i = 0; i < kTileM; i += kStep) {
      const bool there = OUT % kTileM == 0 || first_out + channel + i < OUT;
      copy_word_of_line(to_m + bytes + i * 4,
                        there ? from_m + static_cast<long long>(i) * across : m, there);
    }
#pragma unroll
    for (int i = 0; i < kTileN; i += kStep) {
      const bool there = IN % kTileN == 0 || first_in + channel + i < IN;
      copy_word_of_line(to_n + bytes + i * 4,
                        there ? from_v + static_cast<long long>(i) * across : v, there);
    }
    from_m += DEPTH;
    from_v += DEPTH;
  };
  float bias = 0;
  const bool sums_bias = number == kSumOfAll && blockIdx.x == 0 && thread < kTileM;
  const auto behind = [&](const StageRows<kPadding>& stage) {
    if (!sums_bias) return;
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) bias += stage.m[k][thread];
  };
  float sums[kSums][kSums] = {};
  multiply(sums, stages, end - begin, copy, behind);

  if (sums_bias && first_out + thread < OUT)
    shares[static_cast<long long>(kNumbers * SPLITS) * OUT * IN + share * OUT + first_out +
           thread] = bias;
  const TilePlace place = tile_place();
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const int out = first_out + place.row(i);
    if (out >= OUT) continue;
    float* const to = shares + (static_cast<long long>(blockIdx.z) * OUT + out) * IN;
#pragma unroll
    for (int j = 0; j < kSums; j += kPiece) {
      const int in = first_in + place.column(j);
      if constexpr (IN % kPiece == 0) {
        if (in < IN)
          *reinterpret_cast<float4*>(to + in) =
              make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      } else {
#pragma unroll
        for (int k = 0; k < kPiece; ++k) {
          if (in + k < IN) to[in + k] = sums[i][j + k];
        }
      }
    }
  }
}

// A block adds up the shares of an output and 32 inputs, a warp every eighth of the numbers.
extern "C" __global__ void __launch_bounds__(256)
    add_winograd_shares(const float* __restrict__ shares,
                        float* __restrict__ dw,    // [out, in, 3, 3]
                        float* __restrict__ db) {  // [out]
  __shared__ float numbers[kNumbers][kLanes + 1];
  const int thread = threadIdx.x, lane = thread % kLanes;
  const int out = blockIdx.x / kGroups, first_in = blockIdx.x % kGroups * kLanes;
  const bool there = first_in + lane < IN;
#pragma unroll
  for (int number = thread / kLanes; number < kNumbers; number += 256 / kLanes) {
    const float* const first =
        shares + (static_cast<long long>(number) * SPLITS * OUT + out) * IN + first_in + lane;
    float sum = 0;
#pragma unroll 8
    for (int s = 0; s < SPLITS; ++s)
      sum += there ? first[static_cast<long long>(s) * OUT * IN] : 0.0f;
    numbers[number][lane] = sum;
  }
  __syncthreads();
  for (int i = thread; i < 9 * kLanes && first_in + i / 9 < IN; i += 256) {
    const int in = i / 9, tap = i % 9;
    float rows[kOfSide];
#pragma unroll
    for (int r = 0; r < kOfSide; ++r) {
      float across[kOfSide];
#pragma unroll
      for (int q = 0; q < kOfSide; ++q) across[q] = numbers[kOfSide * r + q][in];
      rows[r] = of_tap(tap % 3, across);
    }
    dw[(static_cast<long long>(out) * IN + first_in) * 9 + i] = of_tap(tap / 3, rows);
  }
  if (first_in > 0 || thread > 0) return;
  const float* const of_biases = shares + static_cast<long long>(kNumbers * SPLITS) * OUT * IN;
  float bias = 0;
#pragma unroll 8
  for (int s = 0; s < SPLITS; ++s) bias += of_biases[s * OUT + out];
  db[out] = bias;
}
