// kernels/led/single_frame_repeated.cu: one frame per launch; a warp per LED, whole rows per lane.
//
// The first rung, launched once per frame. Lanes read 16 bytes of 32 different rows at once: 32
// sectors in 32 lines per request, where 16 in 4 would do; a line is passed over eight times before
// it is used up. Every launch reads every pattern again.
//
//   B  side of a block, a multiple of 32     UINT8, RAW  see operand.cuh     LOAD_WIDTH  4 or 16
#include "led/rows_of_a_lane.cuh"

extern "C" __global__ void __launch_bounds__(32)
    single_frame_repeated(const Value* __restrict__ values,   // [C, N, B, B]
                          const int* __restrict__ positions,  // [C, N, 2]
                          const Value* __restrict__ frames,   // [F, C, H, W]
                          Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                          int leds, int channels, int height, int width, int frame_count,
                          int planar, int frame) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x;
  const int2 place = place_of(positions, shape, n, c);
  const LaneSum sum = warp_sum(rows_of_a_lane(pattern_of(values, shape, n, c),
                                              pixel_of(frames, shape, frame, c, place.x, place.y),
                                              shape.width, lane));
  if (lane == 0) out[output_index(shape, frame, n, c)] = finished(sum);
}
