// kernels/led/direct_global.cu: no shared memory: one warp per frame, lanes side by side.
//
// Against grid3d_column_lanes: each pattern value is used once per frame, so there is nothing to
// stage. The warps of a block take frames of one LED at the same time and find its pattern in L1.
// Look at sectors per request and at L2: the pixels under the blocks are what is left.
//
//   B  side of a block     WARPS  frames of a block     QUADS  see pieces.cuh
//   UINT8, RAW  see operand.cuh
#include "led/pieces.cuh"

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    direct_global(const Value* __restrict__ values,   // [C, N, B, B]
                  const int* __restrict__ positions,  // [C, N, 2]
                  const Value* __restrict__ frames,   // [F, C, H, W]
                  Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                  int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x % 32;
  const int f = blockIdx.z * WARPS + threadIdx.x / 32;
  if (f >= frame_count) return;
  const int2 place = place_of(positions, shape, n, c);
  const Sum sum =
      warp_sum(products_of_lane(pattern_of(values, shape, n, c),
                                pixel_of(frames, shape, f, c, place.x, place.y), width, lane));
  if (lane == 0) out[output_index(shape, f, n, c)] = finished(sum);
}
