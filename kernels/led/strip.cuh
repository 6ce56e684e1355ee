// kernels/led/strip.cuh: the rows of an LED's block that lie in one strip of a window.
#pragma once

// A warp an LED. WINDOW_COLUMNS columns of the window are resident; columns are counted from the
// left one of them.
//
//   B  side of a block, a multiple of 4     STRIP  rows of a strip
#include "led/operand.cuh"

constexpr int kQuads = B / 4;  // of a row
constexpr int kQuadsOfLane = kQuads > 32 ? 2 : 1;
constexpr int kRowsAtOnce = kQuads > 32 ? 1 : 32 / kQuads;
constexpr int kSteps = (STRIP + kRowsAtOnce - 1) / kRowsAtOnce;  // of a strip

// One strip of a pass: its place in the frame, and in the LED's block.
struct Strip {
  int row;          // first row in the frame
  int first, last;  // rows of the block that lie in it: [first, last), empty for no LED
};

__device__ __forceinline__ Strip strip_at(int row, int led_row, bool has_led) {
  return {row, max(row - led_row, 0), has_led ? min(row + STRIP - led_row, B) : 0};
}

// Column of the lane's quad `q` from the block's left edge `left`; −1: not resident.
__device__ __forceinline__ int column_of(int left, int lane, int q) {
  const int quad = kQuadsOfLane == 1 ? lane % kQuads : lane + 32 * q;
  const int column = left + 4 * quad;
  const bool used = kQuadsOfLane == 1 ? lane < kRowsAtOnce * kQuads : quad < kQuads;
  return used && column >= 0 && column < WINDOW_COLUMNS ? column : -1;
}

__device__ __forceinline__ int row_of(const Strip& strip, int step, int lane) {
  return strip.first + step * kRowsAtOnce + (kQuadsOfLane == 1 ? lane / kQuads : 0);
}

// The rows of one step of a strip, straight to registers.
__device__ __forceinline__ void load_step(Quad (&pattern)[kQuadsOfLane], const Value* led,
                                          const Strip& strip, int step, int left, int lane) {
  const int row = row_of(strip, step, lane);
#pragma unroll
  for (int q = 0; q < kQuadsOfLane; ++q) {
    const int column = column_of(left, lane, q);
    if (row < strip.last && column >= 0) {
      pattern[q] = __ldg(reinterpret_cast<const Quad*>(led + row * B + (column - left)));
    }
  }
}
