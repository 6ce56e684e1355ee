// kernels/led/grid3d_listed_copy.cu: grid3d_run_time.cu with the copy of the pattern as it is
// listed.
//
// Against grid3d_run_time: the loop has the listing's bound check and neither volatile nor a
// pragma, so that the compiler may unroll it and load ahead of the stores. Look at how many loads
// are in flight, and at the bank conflicts of the stores.
//
//   UINT8, RAW  see operand.cuh     LOAD_WIDTH  4 or 16
#include "led/run_time_rows.cuh"

constexpr int kSideOfArray = 64;

extern "C" __global__ void __launch_bounds__(32)
    grid3d_listed_copy(const Value* __restrict__ values,   // [C, N, block, block]
                       const int* __restrict__ positions,  // [C, N, 2]
                       const Value* __restrict__ frames,   // [F, C, H, W]
                       Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                       int leds, int channels, int height, int width, int frame_count, int planar,
                       int block) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  __shared__ __align__(16) Value staged[kSideOfArray * kSideOfArray];
  const int n = blockIdx.x, c = blockIdx.y, f = blockIdx.z, lane = threadIdx.x;
  const Value* const pattern = pattern_at(values, shape, n, c, block);
  const int elements = block * block, elements_per_lane = (elements + 31) / 32;
  for (int i = 0; i < elements_per_lane; ++i) {
    const int element = lane * elements_per_lane + i;
    if (element < elements) staged[element] = pattern[element];
  }
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
