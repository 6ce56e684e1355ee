// kernels/led/grid3d_shared_pattern.cu: all frames in one launch, each block with its own copy of
// the pattern.
//
// Against single_frame_repeated: the grid has a third dimension, the frame, and a block copies its
// pattern to shared memory first. A block is still one frame, so the pattern is read as often as
// before and each staged value is used once. A lane copies B²/32 values in a row: its neighbours
// store B²/32 words further on, in the same bank. Look at shared wavefronts and at occupancy. The
// sum over the lanes is in float also for bytes: it rounds beyond 2²⁴.
//
//   B  side of a block, a multiple of 32     UINT8, RAW  see operand.cuh     LOAD_WIDTH  4 or 16
#include "led/rows_of_a_lane.cuh"

extern "C" __global__ void __launch_bounds__(32)
    grid3d_shared_pattern(const Value* __restrict__ values,   // [C, N, B, B]
                          const int* __restrict__ positions,  // [C, N, 2]
                          const Value* __restrict__ frames,   // [F, C, H, W]
                          Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                          int leds, int channels, int height, int width, int frame_count,
                          int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(16) unsigned char bytes[];  // [B, B] values
  Value* const staged = reinterpret_cast<Value*>(bytes);
  const int n = blockIdx.x, c = blockIdx.y, f = blockIdx.z, lane = threadIdx.x;
  const Value* const pattern = pattern_of(values, shape, n, c);
  constexpr int kRun = B * B / 32;
  // Volatile: else the compiler merges four stores of a lane, and three quarters of the conflicts
  // that were measured on the published kernel are gone.
  volatile Value* const run = staged + lane * kRun;
#pragma unroll 1
  for (int i = 0; i < kRun; ++i) run[i] = pattern[lane * kRun + i];
  __syncthreads();
  const int2 place = place_of(positions, shape, n, c);
  float sum =
      rows_of_a_lane(staged, pixel_of(frames, shape, f, c, place.x, place.y), shape.width, lane);
  sum = warp_sum(sum);
#if UINT8
  sum /= 65025.0f;
#endif
  if (lane == 0) out[output_index(shape, f, n, c)] = sum;
}
