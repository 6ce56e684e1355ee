// kernels/autoencoder/packed_weights.cuh: weights as a product's tiles read them: a row for every
// tap and source channel, target channels side by side.
//
// What a row's taps are, by kind:
//
//   forward        nine of 3×3
//   dgrad          the same, turned by half a circle, channels changed over
//   folded         of a layer behind an upsampling, on the small map: 2×2, for each of four phases
//   folded_dgrad   from the large map's gradient to the small map's: 4×4 at every second pixel
//   three_outputs  of three outputs, folded, as three_outputs.cu reads them: [in, phase, out, 2, 2]
//   winograd       one, for each of the sixteen numbers of F(2×2, 3×3): winograd_2x2.cu
//   winograd_dgrad  the same of the turned filter, channels changed over
//
// The four filters of a phase are those of upsample_folded.cu: 2·(odd row) + (odd column).
#pragma once

enum PackKind { kForward, kDgrad, kFolded, kFoldedDgrad, kThreeOutputs, kWinograd, kWinogradDgrad };

__device__ constexpr int taps_of(int kind) {
  return kind == kFolded ? 4 : kind == kFoldedDgrad ? 16 : kind >= kWinograd ? 1 : 9;
}
__device__ constexpr int phases_of(int kind) {
  return kind == kFolded ? 4 : kind >= kWinograd ? 16 : 1;
}
// Whether its sources are the layer's outputs.
__device__ constexpr bool goes_back(int kind) {
  return kind == kDgrad || kind == kFoldedDgrad || kind == kWinogradDgrad;
}

// Of three taps of a side, which of a phase's two takes it: of an even output the row above lies in
// another pixel, its own and the one below in one.
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

// Of three weights of a filter's side, one of four numbers.
__device__ inline float winograd_side(int number, float first, float middle, float last) {
  if (number == 0) return first;
  if (number == 3) return last;
  const float ends = first + last;
  return 0.5f * (number == 1 ? ends + middle : ends - middle);
}
__device__ inline float winograd_weight(const float* filter, int number, bool turned) {
  float columns[3];
  for (int q = 0; q < 3; ++q) {
    const int at = turned ? 8 - q : q, down = turned ? -3 : 3;
    columns[q] = winograd_side(number / 4, filter[at], filter[at + down], filter[at + 2 * down]);
  }
  return winograd_side(number % 4, columns[0], columns[1], columns[2]);
}

// What stands between two channels at one tap, of their nine weights.
__device__ inline float packed_weight(int kind, const float* filter, int phase, int tap) {
  if (kind == kForward) return filter[tap];
  if (kind == kDgrad) return filter[8 - tap];
  if (kind == kFolded) return folded_weight(filter, phase / 2, phase % 2, tap / 2, tap % 2);
  if (kind >= kWinograd) return winograd_weight(filter, phase, kind == kWinogradDgrad);
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
