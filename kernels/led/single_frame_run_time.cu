// kernels/led/single_frame_run_time.cu: single_frame_repeated.cu with the side of a block as an
// argument, as the published kernel has it.
//
// Against single_frame_repeated: the compiler knows no side, so loops keep their tests and rows
// their products. Compare instructions and registers; the bytes are the same.
//
//   UINT8, RAW  see operand.cuh     LOAD_WIDTH  4 or 16
#include "led/run_time_rows.cuh"

extern "C" __global__ void __launch_bounds__(32)
    single_frame_run_time(const Value* __restrict__ values,   // [C, N, block, block]
                          const int* __restrict__ positions,  // [C, N, 2]
                          const Value* __restrict__ frames,   // [F, C, H, W]
                          Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                          int leds, int channels, int height, int width, int frame_count,
                          int planar, int block, int frame) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x;
  const int2 place = place_of(positions, shape, n, c);
  const LaneSum sum = warp_sum(run_time_rows(pattern_at(values, shape, n, c, block),
                                             pixel_of(frames, shape, frame, c, place.x, place.y),
                                             shape.width, block, lane));
  if (lane == 0) out[output_index(shape, frame, n, c)] = finished(sum);
}
