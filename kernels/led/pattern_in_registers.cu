// kernels/led/pattern_in_registers.cu: the threads of a block hold the pattern while frames pass
// by.
//
// Against grid2d_frame_loop: a pattern value goes from memory to the one thread that uses it, for
// all frames; shared memory only joins the warps' sums. The sums of a tile of frames are carried
// together, so as many loads of pixels are in flight. Bytes take four-byte dot products into u32.
// Look at L2: pixels under every block are all that is left.
//
//   B  side of a block, a multiple of 4     THREADS  of a block     FRAME_TILE  frames together
//   UINT8, RAW  see operand.cuh
#define QUADS 1
#include "led/pieces.cuh"

// At most 128 registers per thread: else the compiler holds the loads of all frames at once.
constexpr int kPiecesOfThread = (kPiecesOfBlock + THREADS - 1) / THREADS;

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
    pattern_in_registers(const Value* __restrict__ values,   // [C, N, B, B]
                         const int* __restrict__ positions,  // [C, N, 2]
                         const Value* __restrict__ frames,   // [F, C, H, W]
                         Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                         int leds, int channels, int height, int width, int frame_count,
                         int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  constexpr int kWarps = THREADS / 32;
  __shared__ Sum part[kWarps][FRAME_TILE];
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Value* const pattern = pattern_of(values, shape, n, c);
  Quad held[kPiecesOfThread];
#pragma unroll
  for (int k = 0; k < kPiecesOfThread; ++k) {
    const int i = threadIdx.x + k * THREADS;
    if (i < kPiecesOfBlock) held[k] = __ldg(reinterpret_cast<const Quad*>(pattern) + i);
  }
  const int2 place = place_of(positions, shape, n, c);
  const long long frame_pixels = static_cast<long long>(channels) * height * width;
  for (int tile = 0; tile < frame_count; tile += FRAME_TILE) {
    Sum sum[FRAME_TILE] = {};
#pragma unroll
    for (int k = 0; k < kPiecesOfThread; ++k) {
      const int i = threadIdx.x + k * THREADS;
      if (i >= kPiecesOfBlock) continue;
      const Value* const image = pixel_of(frames, shape, tile, c, place.x + i / kPiecesOfRow,
                                          place.y + i % kPiecesOfRow * kPixelsOfPiece);
#pragma unroll
      for (int f = 0; f < FRAME_TILE; ++f) {
        if (tile + f < frame_count)
          sum[f] = multiply_add(held[k], piece_at(image + f * frame_pixels), sum[f]);
      }
    }
    if (tile != 0) __syncthreads();  // the tile before is added up
#pragma unroll
    for (int f = 0; f < FRAME_TILE; ++f) {
      const Sum total = warp_sum(sum[f]);
      if (lane == 0) part[warp][f] = total;
    }
    __syncthreads();
    const int f = threadIdx.x;
    if (f < FRAME_TILE && tile + f < frame_count) {
      Sum total = 0;
#pragma unroll
      for (int w = 0; w < kWarps; ++w) total += part[w][f];
      out[output_index(shape, tile + f, n, c)] = finished(total);
    }
  }
}
