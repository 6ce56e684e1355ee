// kernels/led/window_strips.cu: neighbouring LEDs share a window of pixels, streamed in strips of
// rows.
//
// Against leds_per_block: the window of a group need not fit in shared memory. Strips of STRIP rows
// of all frames of the tile pass through a ring of STAGES buffers, copied asynchronously while the
// strip before is used, and a warp an LED reads each row of its pattern once, straight to
// registers, one strip ahead. So every pattern value crosses L2 once, and a pixel once a group. The
// copies are those of 16 bytes a lane (sm_80): bulk tensor copies would save instructions, not
// bytes. Look at DRAM, L2 and shared memory: they meet.
//
// A window wider than PITCH is taken in passes of PITCH columns; a row of the pattern is then read
// in parts, and still once.
//
//   B  side of a block, a multiple of 4     GROUP  LEDs and warps of a block
//   FRAME_TILE  frames whose sums a lane holds     STRIP  rows     STAGES  buffers of the ring
//   PITCH  columns of a buffer: rows of it are whole 16-byte pieces
//   COPY_BYTES  16, or 4 where the frame's rows are no whole 16-byte pieces
//   BLOCKS  that a multiprocessor is to hold: it bounds the registers
//   UINT8, RAW  see operand.cuh
#define WINDOW_COLUMNS PITCH
#include "led/async_copy.cuh"
#include "led/strip.cuh"

constexpr int kPixelsOfPiece = COPY_BYTES / sizeof(Value);
// Rows of bytes that a warp reads at once begin kQuads banks apart, so they meet in no bank; f32 is
// served in quarter-warps of 128 bytes, which need no such step. source: CUDA C++ Programming
// Guide, "Shared Memory"; 16-byte requests as counted on an H200.
constexpr int kTileWords = FRAME_TILE * PITCH * static_cast<int>(sizeof(Value)) / 4;
constexpr int kPadWords = UINT8 ? ((kQuads + 32 - kTileWords % 32) % 32 + 3) / 4 * 4 : 0;
constexpr int kRowStride = FRAME_TILE * PITCH + kPadWords * 4 / static_cast<int>(sizeof(Value));

// Uses up the pattern's rows of this strip; each step's registers are filled for the next strip as
// soon as they are free, so those loads are under way through the wait between the strips.
__device__ __forceinline__ void add_products(Sum (&sum)[FRAME_TILE],
                                             Quad (&pattern)[kSteps][kQuadsOfLane],
                                             const Value* led, const Value* buffer,
                                             const Strip& strip, const Strip& next, int led_row,
                                             int left, int lane) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int row = row_of(strip, step, lane);
    const Value* const pixels = buffer + (led_row + row - strip.row) * kRowStride;
#pragma unroll
    for (int q = 0; q < kQuadsOfLane; ++q) {
      const int column = column_of(left, lane, q);
      if (row < strip.last && column >= 0) {
#pragma unroll
        for (int f = 0; f < FRAME_TILE; ++f) {
          sum[f] =
              multiply_add(pattern[step][q],
                           *reinterpret_cast<const Quad*>(pixels + f * PITCH + column), sum[f]);
        }
      }
    }
    load_step(pattern[step], led, next, step, left, lane);
  }
}

extern "C" __global__ void __launch_bounds__(32 * GROUP, BLOCKS)
    window_strips(const Value* __restrict__ values,   // [C, N, B, B]
                  const int* __restrict__ positions,  // [C, N, 2]
                  const Value* __restrict__ frames,   // [F, C, H, W]
                  const int* __restrict__ order,      // [C, N]
                  const int4* __restrict__ windows,   // [C, groups]
                  Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                  int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(16) unsigned char bytes[];  // [STAGES][STRIP][FRAME_TILE][PITCH]
  Value* const ring = reinterpret_cast<Value*>(bytes);
  const int c = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int4 window = windows[static_cast<long long>(c) * gridDim.x + blockIdx.x];
  const int bottom = window.x + window.z;
  const int strips = (window.z + STRIP - 1) / STRIP;
  const int place_in_order = blockIdx.x * GROUP + warp;
  const bool has_led = place_in_order < leds;  // the last group may have fewer
  const int n = has_led ? order[static_cast<long long>(c) * leds + place_in_order] : 0;
  const int2 place = place_of(positions, shape, n, c);
  const Value* const led = pattern_of(values, shape, n, c);

  for (int tile = 0; tile < frame_count; tile += FRAME_TILE) {
    Sum sum[FRAME_TILE] = {};
    for (int first_column = 0; first_column < window.w; first_column += PITCH) {
      const int left = window.y + first_column;  // of this pass, in the frame
      const int pieces =
          (min(window.w - first_column, PITCH) + kPixelsOfPiece - 1) / kPixelsOfPiece;
      // A warp copies whole lines: a row of one frame. Frames beyond the last repeat it.
      const auto copy_strip = [&](int strip) {
        Value* const buffer = ring + (strip % STAGES) * (STRIP * kRowStride);
#pragma unroll
        for (int line = warp; line < STRIP * FRAME_TILE; line += GROUP) {
          const int row = line / FRAME_TILE, f = line % FRAME_TILE;
          if (window.x + strip * STRIP + row >= bottom) break;
          const Value* const from = pixel_of(frames, shape, min(tile + f, frame_count - 1), c,
                                             window.x + strip * STRIP + row, left);
          Value* const to = buffer + row * kRowStride + f * PITCH;
          for (int piece = lane; piece < pieces; piece += 32) {
            copy_async<COPY_BYTES>(to + piece * kPixelsOfPiece, from + piece * kPixelsOfPiece);
          }
        }
      };
      // Copies of STAGES − 1 strips are under way before the first is waited for.
      __syncthreads();
      for (int strip = 0; strip < STAGES - 1; ++strip) {
        if (strip < strips) copy_strip(strip);
        commit_copies();
      }
      const auto strip_of = [&](int strip) {
        return strip_at(window.x + strip * STRIP, place.x, has_led);
      };
      Quad pattern[kSteps][kQuadsOfLane];
      const int left_of_led = place.y - left;
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        load_step(pattern[step], led, strip_of(0), step, left_of_led, lane);
      }
#pragma unroll 1
      for (int strip = 0; strip < strips; ++strip) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();  // the strip has arrived for all, and the one before is used up by all
        if (strip + STAGES - 1 < strips) copy_strip(strip + STAGES - 1);
        commit_copies();
        add_products(sum, pattern, led, ring + (strip % STAGES) * (STRIP * kRowStride),
                     strip_of(strip), strip_of(strip + 1), place.x, left_of_led, lane);
      }
    }
    Sum mine = 0;
#pragma unroll
    for (int f = 0; f < FRAME_TILE; ++f) {
      const Sum total = __shfl_sync(kAllLanes, warp_sum(sum[f]), 0);
      if (lane == f) mine = total;
    }
    if (has_led && lane < FRAME_TILE && tile + lane < frame_count) {
      out[output_index(shape, tile + lane, n, c)] = finished(mine);
    }
  }
}
