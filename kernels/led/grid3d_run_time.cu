// kernels/led/grid3d_run_time.cu: grid3d_shared_pattern.cu with the side of a block as an argument
// and the static array of the published kernel.
//
// Against grid3d_shared_pattern: shared memory is an array of 64×64 values whatever the side is, so
// that small blocks leave most of it unused and take as much room on a multiprocessor; a larger
// side would be written past its end. Look at occupancy with blocks of 32.
//
//   UINT8, RAW  see operand.cuh     LOAD_WIDTH  4 or 16
#include "led/run_time_rows.cuh"

constexpr int kSideOfArray = 64;

extern "C" __global__ void __launch_bounds__(32)
    grid3d_run_time(const Value* __restrict__ values,   // [C, N, block, block]
                    const int* __restrict__ positions,  // [C, N, 2]
                    const Value* __restrict__ frames,   // [F, C, H, W]
                    Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                    int leds, int channels, int height, int width, int frame_count, int planar,
                    int block) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  __shared__ __align__(16) Value staged[kSideOfArray * kSideOfArray];
  const int n = blockIdx.x, c = blockIdx.y, f = blockIdx.z, lane = threadIdx.x;
  const Value* const pattern = pattern_at(values, shape, n, c, block);
  const int run_length = block * block / 32;
  // Volatile, as where the side is known: the compiler must not merge stores of a lane.
  volatile Value* const run = staged + lane * run_length;
#pragma unroll 1
  for (int i = 0; i < run_length; ++i) run[i] = pattern[lane * run_length + i];
  __syncthreads();
  const int2 place = place_of(positions, shape, n, c);
  float sum = run_time_rows(staged, pixel_of(frames, shape, f, c, place.x, place.y), shape.width,
                            block, lane);
  sum = warp_sum(sum);
#if UINT8
  sum /= 65025.0f;
#endif
  if (lane == 0) out[output_index(shape, f, n, c)] = sum;
}
