// kernels/led/window_strips.cu: neighbouring LEDs share a window of pixels, streamed in strips of
// rows.
//
// Against leds_per_block: the window of a group need not fit in shared memory. Strips of STRIP rows
// of all frames of the tile pass through a ring of STAGES buffers, copied asynchronously while the
// strip before is used, and each LED has a warp, which reads each row of its pattern once, straight
// to registers, one strip ahead. So every pattern value crosses L2 once, and a pixel once per
// group. The copies are those of 16 bytes per lane (sm_80): bulk tensor copies would save
// instructions, not bytes. Look at DRAM, L2 and shared memory: they meet.
//
// A window wider than PITCH is taken in passes of PITCH columns; a row of the pattern is then read
// in parts, and still once.
//
//   B  side of a block, a multiple of 4     GROUP  LEDs and warps of a block
//   FRAME_TILE  frames whose sums a lane holds     STRIP  rows     STAGES  buffers of the ring
//   PITCH  columns of a buffer: rows of it are whole 16-byte pieces
//   COPY_BYTES  16, or 4 where the frame's rows are not whole 16-byte pieces
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

constexpr int kRowBytes = kRowStride * static_cast<int>(sizeof(Value));
constexpr int kThreads = 32 * GROUP;
constexpr int kPiecesOfRow = FRAME_TILE * PITCH / kPixelsOfPiece;  // of all frames, at most
constexpr int kPiecesOfThread = (kPiecesOfRow + kThreads - 1) / kThreads;

// Products of the rows of a block that lie in one strip. `pattern` holds them; each step's
// registers are filled with a row of the next strip as soon as they are free, so those loads are
// under way through the wait between the strips. `pixels` and `next` point at the lane's first row
// and quad; `rows` lie in the strip (all STRIP where Whole), `rows_left` beyond it.
template <bool Whole>
__device__ __forceinline__ void add_products(Sum (&sum)[FRAME_TILE], Quad (&pattern)[kSteps],
                                             const Value* pixels, const Value* next, int lane_row,
                                             int rows, int rows_left) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    const int row = step * kRowsAtOnce + lane_row;
    if (Whole || row < rows) {
#pragma unroll
      for (int f = 0; f < FRAME_TILE; ++f) {
        sum[f] = multiply_add(
            pattern[step],
            *reinterpret_cast<const Quad*>(pixels + step * kRowsAtOnce * kRowStride + f * PITCH),
            sum[f]);
      }
    }
    if (row < min(STRIP, rows_left)) {
      pattern[step] = __ldg(reinterpret_cast<const Quad*>(next + step * kRowsAtOnce * B));
    }
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
  const unsigned shared_ring = shared_address(bytes);
  const int c = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int4 window = windows[static_cast<long long>(c) * gridDim.x + blockIdx.x];
  const int strips = (window.z + STRIP - 1) / STRIP;
  const int place_in_order = blockIdx.x * GROUP + warp;
  const bool has_led = place_in_order < leds;  // the last group may have fewer
  const int n = has_led ? order[static_cast<long long>(c) * leds + place_in_order] : 0;
  const int2 place = place_of(positions, shape, n, c);
  const Value* const led = pattern_of(values, shape, n, c);

  const int rows_above = place.x - window.x;  // of the window, above the block
  const int lane_row = kQuadsOfLane == 1 ? lane / kQuads : 0;

  for (int tile = 0; tile < frame_count; tile += FRAME_TILE) {
    Sum sum[FRAME_TILE] = {};
    for (int first_column = 0; first_column < window.w; first_column += PITCH) {
      const int left = window.y + first_column;  // of this pass, in the frame
      const int pieces =
          (min(window.w - first_column, PITCH) + kPixelsOfPiece - 1) / kPixelsOfPiece;
      // A thread copies the same pieces of every row. Frames beyond the last repeat it.
      const Value* from[kPiecesOfThread];  // in the next row to be copied
      int to[kPiecesOfThread];             // byte of the buffer's row; −1: no such piece
#pragma unroll
      for (int k = 0; k < kPiecesOfThread; ++k) {
        const int i = threadIdx.x + k * kThreads;
        const int f = i / pieces, pixel = i % pieces * kPixelsOfPiece;
        from[k] =
            pixel_of(frames, shape, min(tile + f, frame_count - 1), c, window.x, left) + pixel;
        to[k] = f < FRAME_TILE ? (f * PITCH + pixel) * static_cast<int>(sizeof(Value)) : -1;
      }
      const auto copy_strip = [&](int strip) {
        const unsigned buffer = shared_ring + (strip % STAGES) * (STRIP * kRowBytes);
        const int rows = window.z - strip * STRIP;  // STRIP or more but for the last strip
#pragma unroll
        for (int k = 0; k < kPiecesOfThread; ++k) {
          if (to[k] < 0) continue;
          if (rows >= STRIP) {
#pragma unroll
            for (int row = 0; row < STRIP; ++row) {
              copy_async<COPY_BYTES>(buffer + to[k] + row * kRowBytes, from[k]);
              from[k] += width;
            }
          } else {
#pragma unroll 1
            for (int row = 0; row < rows; ++row) {
              copy_async<COPY_BYTES>(buffer + to[k] + row * kRowBytes, from[k]);
              from[k] += width;
            }
          }
        }
      };
      // Copies of STAGES − 1 strips are under way before the first is waited for.
      __syncthreads();
      for (int strip = 0; strip < STAGES - 1; ++strip) {
        if (strip < strips) copy_strip(strip);
        commit_copies();
      }
      // The rows of the block that lie in its first strip.
      Quad pattern[kQuadsOfLane][kSteps];
      int column[kQuadsOfLane];
#pragma unroll
      for (int q = 0; q < kQuadsOfLane; ++q) {
        column[q] = has_led ? column_of(place.y - left, lane, q) : -1;
#pragma unroll
        for (int step = 0; step < kSteps; ++step) {
          const int row = step * kRowsAtOnce + lane_row;
          if (column[q] >= 0 && row < min(STRIP - rows_above % STRIP, B)) {
            pattern[q][step] =
                __ldg(reinterpret_cast<const Quad*>(led + row * B + column[q] - (place.y - left)));
          }
        }
      }
#pragma unroll 1
      for (int strip = 0; strip < strips; ++strip) {
        wait_for_copies<STAGES - 2>();
        __syncthreads();  // the strip has arrived for all, and the one before is used up by all
        if (strip + STAGES - 1 < strips) copy_strip(strip + STAGES - 1);
        commit_copies();
        // Rows of the block in this strip: [first, last).
        const int first = max(strip * STRIP - rows_above, 0);
        const int last = min((strip + 1) * STRIP - rows_above, B);
        if (first >= last) continue;
        const Value* const line = ring + (strip % STAGES) * (STRIP * kRowStride) +
                                  (rows_above + first + lane_row - strip * STRIP) * kRowStride;
        const Value* const next = led + (last + lane_row) * B - (place.y - left);
#pragma unroll
        for (int q = 0; q < kQuadsOfLane; ++q) {
          if (column[q] < 0) continue;
          if (last - first == STRIP && STRIP % kRowsAtOnce == 0) {
            add_products<true>(sum, pattern[q], line + column[q], next + column[q], lane_row, STRIP,
                               B - last);
          } else {
            add_products<false>(sum, pattern[q], line + column[q], next + column[q], lane_row,
                                last - first, B - last);
          }
        }
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
