// kernels/autoencoder/packed_weights.cuh: weights as a product's tiles read them: a row for every
// tap and source channel, target channels side by side.
//
// What a row's taps are, by kind:
//
//   forward        nine of 3×3
//   dgrad          the same, turned by half a circle, channels changed over
//   folded         of a layer after an upsampling, on the small map: 2×2, for each of four phases
//   folded_dgrad   from the large map's gradient to the small map's: 4×4 at every second pixel
//   three_outputs  of three outputs, folded, as three_outputs.cu reads them: [in, phase, out, 2, 2]
//   winograd_2     one, for each of the sixteen numbers of F(2×2, 3×3): winograd.cu
//   winograd_2_dgrad  the same of the turned filter, channels changed over
//   winograd_4, winograd_4_dgrad  of the 36 numbers of F(4×4, 3×3)
//   winograd_2_up to winograd_4_up_dgrad  after an upsampling: of the 9, or 25, that are left
//
// The four filters of a phase are those of upsample_folded.cu: 2·(odd row) + (odd column).
#pragma once

enum PackKind {
  kForward,
  kDgrad,
  kFolded,
  kFoldedDgrad,
  kThreeOutputs,
  kWinograd,  // and seven more: back, of 4×4 outputs, after an upsampling
  kKinds = kWinograd + 8
};
__device__ constexpr bool is_winograd(int kind) { return kind >= kWinograd; }
__device__ constexpr int winograd_outputs_of(int kind) { return (kind - kWinograd) & 2 ? 4 : 2; }
__device__ constexpr bool is_upsampled(int kind) { return (kind - kWinograd) & 4; }
__device__ constexpr int winograd_numbers_of(int kind) {
  return winograd_outputs_of(kind) + (is_upsampled(kind) ? 1 : 2);  // of a side
}

__device__ constexpr int taps_of(int kind) {
  return kind == kFolded ? 4 : kind == kFoldedDgrad ? 16 : is_winograd(kind) ? 1 : 9;
}
__device__ constexpr int phases_of(int kind) {
  return kind == kFolded     ? 4
         : is_winograd(kind) ? winograd_numbers_of(kind) * winograd_numbers_of(kind)
                             : 1;
}
// Whether its sources are the layer's outputs.
__device__ constexpr bool goes_back(int kind) {
  return kind == kDgrad || kind == kFoldedDgrad || (is_winograd(kind) && (kind - kWinograd) & 1);
}

// Which of a phase's two taps takes `tap`, one of three along a side: for an even output the row
// above lies in another pixel; its own and the one below lie in one.
__device__ constexpr int folded_tap(int tap, int odd) { return tap < (odd ? 2 : 1) ? 0 : 1; }

// The sum of the taps that meet in one weight of a phase's 2×2 filter.
__device__ inline float folded_weight(const float* filter, int odd_row, int odd_column, int row,
                                      int column) {
  float sum = 0;
  for (int tap = 0; tap < 9; ++tap) {
    if (folded_tap(tap / 3, odd_row) == row && folded_tap(tap % 3, odd_column) == column)
      sum += filter[tap];
  }
  return sum;
}

// G g of winograd.cuh: of three weights of a filter's side, number `i` of those that are kept.
__device__ inline float winograd_side(int kind, int i, float first, float middle, float last) {
  const int number = is_upsampled(kind) && i > 1 ? i + 1 : i;
  const float ends = first + last;
  if (winograd_outputs_of(kind) == 2) {
    if (number == 0) return first;
    if (number == 3) return last;
    return 0.5f * (number == 1 ? ends + middle : ends - middle);
  }
  if (number == 0) return 0.25f * first;
  if (number == 5) return last;
  if (number < 3) return (number == 1 ? ends + middle : ends - middle) * (-1 / 6.0f);
  const float far = first * (1 / 24.0f) + last * (1 / 6.0f), of_middle = middle * (1 / 12.0f);
  return number == 3 ? far + of_middle : far - of_middle;
}
__device__ inline float winograd_weight(int kind, const float* filter, int number) {
  const bool turned = goes_back(kind);
  const int of_side = winograd_numbers_of(kind);
  float columns[3];
  for (int q = 0; q < 3; ++q) {
    const int at = turned ? 8 - q : q, down = turned ? -3 : 3;
    columns[q] =
        winograd_side(kind, number / of_side, filter[at], filter[at + down], filter[at + 2 * down]);
  }
  return winograd_side(kind, number % of_side, columns[0], columns[1], columns[2]);
}

// What stands between two channels at one tap, of their nine weights.
__device__ inline float packed_weight(int kind, const float* filter, int phase, int tap) {
  if (kind == kForward) return filter[tap];
  if (kind == kDgrad) return filter[8 - tap];
  if (kind == kFolded) return folded_weight(filter, phase / 2, phase % 2, tap / 2, tap % 2);
  if (is_winograd(kind)) return winograd_weight(kind, filter, phase);
  // Row u of the window lies u − 1 rows from twice the pixel's: outputs of odd rows are there where
  // u is even, and took the pixel by the lower of their two rows where u is below 2.
  const int u = tap / 4, v = tap % 4;
  return folded_weight(filter, u % 2 == 0, v % 2 == 0, u < 2, v < 2);
}

// Number `i` of [in, phase, out, 2, 2].
__device__ inline float three_outputs_weight(const float* __restrict__ w,  // [3, in, 3, 3]
                                             int in, int i) {
  const int tap = i % 4, out = i / 4 % 3, phase = i / 12 % 4;
  return folded_weight(w + (static_cast<long long>(out) * in + i / 48) * 9, phase / 2, phase % 2,
                       tap / 2, tap % 2);
}
