// kernels/led/leds_per_block.cu: neighbouring LEDs share the window of pixels under their blocks.
//
// Against direct_global: the pixels under several blocks cross from L2 once a group. The
// whole window of a tile of frames stands in shared memory, a warp an LED walks its block in it.
// Where few frames fit, patterns are read again for every tile: the tile is as large as the window
// lets it be. Look at L2 bytes and at occupancy.
//
//   B  side of a block, a multiple of 4     GROUP  LEDs and warps of a block
//   FRAME_TILE  frames resident together     COPY_BYTES  of a lane's copy: 16 or 4
//   UINT8, RAW  see operand.cuh
#define QUADS 1
#include "led/async_copy.cuh"
#include "led/pieces.cuh"

constexpr int kPixelsOfCopy = COPY_BYTES / sizeof(Value);

extern "C" __global__ void __launch_bounds__(32 * GROUP)
    leds_per_block(const Value* __restrict__ values,   // [C, N, B, B]
                   const int* __restrict__ positions,  // [C, N, 2]
                   const Value* __restrict__ frames,   // [F, C, H, W]
                   const int* __restrict__ order,      // [C, N]
                   const int4* __restrict__ windows,   // [C, groups]
                   Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                   int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(16) unsigned char bytes[];  // [FRAME_TILE][rows][pitch]
  Value* const staged = reinterpret_cast<Value*>(bytes);
  const int c = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int4 window = windows[static_cast<long long>(c) * gridDim.x + blockIdx.x];
  const int copies = (window.w + kPixelsOfCopy - 1) / kPixelsOfCopy;  // of a row
  const int pitch = copies * kPixelsOfCopy, area = window.z * pitch;
  const int place_in_order = blockIdx.x * GROUP + warp;
  const bool has_led = place_in_order < leds;  // the last group may have fewer
  const int n = has_led ? order[static_cast<long long>(c) * leds + place_in_order] : 0;
  const int2 place = place_of(positions, shape, n, c);
  const Value* const pattern = pattern_of(values, shape, n, c);
  const Value* const image = staged + (place.x - window.x) * pitch + place.y - window.y;

  for (int tile = 0; tile < frame_count; tile += FRAME_TILE) {
    __syncthreads();  // the tile before is used up
    // Frames beyond the last repeat it.
    for (int f = 0; f < FRAME_TILE; ++f) {
      const Value* const first =
          pixel_of(frames, shape, min(tile + f, frame_count - 1), c, window.x, window.y);
      for (int row = warp; row < window.z; row += GROUP) {
        const unsigned to = shared_address(staged + f * area + row * pitch);
        for (int i = lane; i < copies; i += 32) {
          copy_async<COPY_BYTES>(to + i * COPY_BYTES, first + row * width + i * kPixelsOfCopy);
        }
      }
    }
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    if (!has_led) continue;
    Sum sum[FRAME_TILE] = {};
#pragma unroll 4
    for (int i = lane; i < kPiecesOfBlock; i += 32) {
      const int row = i / kPiecesOfRow, column = i % kPiecesOfRow * kPixelsOfPiece;
      const Quad value = piece_at(pattern + row * B + column);
#pragma unroll
      for (int f = 0; f < FRAME_TILE; ++f) {
        sum[f] = multiply_add(value, piece_at(image + f * area + row * pitch + column), sum[f]);
      }
    }
#pragma unroll
    for (int f = 0; f < FRAME_TILE; ++f) {
      const Sum total = warp_sum(sum[f]);
      if (lane == 0 && tile + f < frame_count)
        out[output_index(shape, tile + f, n, c)] = finished(total);
    }
  }
}
