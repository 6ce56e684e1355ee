// kernels/autoencoder/wgrad_register_tiles.cu: gradients of weights as a product over all pixels of
// a batch, whose long sum is shared out among blocks and added up at the end.
//
// Against wgrad_split_k, where a thread has nine sums and reads two numbers of memory for each
// product: a tile of outputs by a tile of taps and inputs, 64 sums a thread. Few tiles are there,
// as weights are few, and the sum has a row for every pixel: so a layer of the grid takes a share
// of the pixels, and a second kernel adds up the shares in one order, so that two runs give the
// same bits. Look at the blocks, at the bytes of the shares, and at the copies: eight pixels side
// by side are a sector, and four channels of them a request.
//
//   IN, OUT, SIDE      channels, and the side of the pixels that are counted
//   TAPS_WIDTH         pixel (r, q) of the gradient took TAPS_WIDTH² of x, from (r − 1, q − 1) on
//   PHASES             4: of a layer after an upsampling, whose gradient has every second pixel of
//                      a map of 2·SIDE; the phase's odd row and column move the first tap
//   SPLITS             shares
#include "autoencoder/packed_weights.cuh"
#include "autoencoder/register_tile.cuh"

constexpr int kTaps = TAPS_WIDTH * TAPS_WIDTH, kAcross = kTaps * IN;
constexpr int kPlane = SIDE * SIDE, kStride = PHASES > 1 ? 2 : 1;
constexpr int kGradientSide = kStride * SIDE, kGradientPlane = kGradientSide * kGradientSide;
constexpr int kStep = kThreads / DEPTH;  // channels between those a thread copies
constexpr int kPadding = 4;
constexpr bool kOneTap = IN % kTileN == 0;  // of all columns of a tile

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS) wgrad_register_tiles(
    const float* __restrict__ x,   // [images, in, side, side]
    const float* __restrict__ dy,  // [images, out, side, side]
    // [PHASES·SPLITS, out, taps, in], and after them [PHASES·SPLITS, out] of biases
    float* __restrict__ shares, int images) {
  __shared__ StageRows<kPadding> stages[STAGES];
  const int thread = threadIdx.x;
  const unsigned pixels = images * kPlane, all = (pixels + DEPTH - 1) / DEPTH;
  const int first_out = blockIdx.y * kTileM, first_across = blockIdx.x * kTileN;
  const int phase = blockIdx.z / SPLITS, share = blockIdx.z % SPLITS;
  const int odd_row = phase / 2, odd_column = phase % 2;
  const int begin = static_cast<int>(static_cast<long long>(share) * all / SPLITS);
  const int end = static_cast<int>((share + 1LL) * all / SPLITS);
  // A thread copies one pixel of a stage, in every kStep-th channel.
  const int channel = thread / DEPTH;
  unsigned pixel = begin * DEPTH + thread % DEPTH;
  const unsigned to_m = shared_address(&stages[0].m[thread % DEPTH][channel]);
  const unsigned to_n = shared_address(&stages[0].n[thread % DEPTH][channel]);
  // Inputs of a part have at most 2³⁰ numbers, and maps of a step as many: offsets of 32 bits.
  const int first_of_m =
      (first_out + channel) * kGradientPlane + odd_row * kGradientSide + odd_column;
  const auto moved = [&](int tap) {
    return (tap / TAPS_WIDTH - 1 + odd_row) * SIDE + tap % TAPS_WIDTH - 1 + odd_column;
  };
  const int its_tap = first_across / IN;
  const int first_of_n = (first_across % IN + channel) * kPlane + moved(its_tap);
  const auto copy = [&](unsigned bytes) {
    const int image = pixel / kPlane, row = pixel / SIDE % SIDE, column = pixel % SIDE;
    const bool there = pixel < pixels;
    const auto inside = [&](int tap) {
      return there && static_cast<unsigned>(row + tap / TAPS_WIDTH - 1 + odd_row) < SIDE &&
             static_cast<unsigned>(column + tap % TAPS_WIDTH - 1 + odd_column) < SIDE;
    };
    const float* const gradient = dy + (image * (OUT * kGradientPlane) + first_of_m +
                                        kStride * (row * kGradientSide + column));
#pragma unroll
    for (int m = 0; m < kTileM; m += kStep)
      copy_word(to_m + bytes + m * 4, gradient + m * kGradientPlane,
                there && (OUT % kTileM == 0 || first_out + channel + m < OUT));
    const int of_image = image * (IN * kPlane) + row * SIDE + column;
    if constexpr (kOneTap) {
      const float* const from = x + (of_image + first_of_n);
      const bool its = inside(its_tap);
#pragma unroll
      for (int n = 0; n < kTileN; n += kStep)
        copy_word(to_n + bytes + n * 4, from + n * kPlane, its);
    } else {
#pragma unroll
      for (int n = 0; n < kTileN; n += kStep) {
        const int across = first_across + channel + n, tap = across / IN;
        copy_word(to_n + bytes + n * 4, x + (of_image + across % IN * kPlane + moved(tap)),
                  across < kAcross && inside(tap));
      }
    }
    pixel += DEPTH;
  };
  float bias = 0;
  const auto behind = [&](const StageRows<kPadding>& stage) {
    if (blockIdx.x > 0 || thread >= kTileM) return;
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) bias += stage.m[k][thread];
  };
  float sums[kSums][kSums] = {};
  multiply(sums, stages, end - begin, copy, behind);

  if (blockIdx.x == 0 && thread < kTileM && first_out + thread < OUT)
    shares[static_cast<long long>(PHASES * SPLITS) * OUT * kAcross + blockIdx.z * OUT + first_out +
           thread] = bias;
  const TilePlace place = tile_place();
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const int out = first_out + place.row(i);
    if (out >= OUT) continue;
    float* const to = shares + (static_cast<long long>(blockIdx.z) * OUT + out) * kAcross;
#pragma unroll
    for (int j = 0; j < kSums; j += kPiece) {
      const int across = first_across + place.column(j);
      if constexpr (kAcross % kPiece == 0) {
        if (across < kAcross)
          *reinterpret_cast<float4*>(to + across) =
              make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      } else {
#pragma unroll
        for (int k = 0; k < kPiece; ++k) {
          if (across + k < kAcross) to[across + k] = sums[i][j + k];
        }
      }
    }
  }
}

// A thread a weight, in the order of the shares, and then a thread a bias. What four phases'
// filters were made of takes the gradient of each weight that it stands in.
extern "C" __global__ void __launch_bounds__(256)
    add_weight_shares(const float* __restrict__ shares,
                      float* __restrict__ dw,    // [out, in, 3, 3]
                      float* __restrict__ db) {  // [out]
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int kWeights = OUT * 9 * IN;
  const float* const of_biases = shares + static_cast<long long>(PHASES * SPLITS) * OUT * kAcross;
  float sum = 0;
  if (i < kWeights) {
    const int in = i % IN, tap = i / IN % 9, out = i / (9 * IN);
    for (int phase = 0; phase < PHASES; ++phase) {
      const int its_tap =
          PHASES == 1 ? tap : 2 * folded_tap(tap / 3, phase / 2) + folded_tap(tap % 3, phase % 2);
      const float* const first = shares +
                                 (static_cast<long long>(phase) * SPLITS * OUT + out) * kAcross +
                                 its_tap * IN + in;
#pragma unroll 4
      for (int s = 0; s < SPLITS; ++s) sum += first[static_cast<long long>(s) * OUT * kAcross];
    }
    dw[(static_cast<long long>(out) * IN + in) * 9 + tap] = sum;
  } else if (i < kWeights + OUT) {
    for (int s = 0; s < PHASES * SPLITS; ++s) sum += of_biases[s * OUT + i - kWeights];
    db[i - kWeights] = sum;
  }
}
