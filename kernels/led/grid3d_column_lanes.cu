// kernels/led/grid3d_column_lanes.cu: the same grid and the same copy, with lanes side by side.
//
// Against grid3d_shared_pattern: lane, lane + 32 … instead of a run of its own, in the copy and in
// the product. No bank conflict is left and requests touch 4 sectors; what remains of the loss is
// that a block is one frame and reads its pattern anew.
//
//   B  side of a block     UINT8, RAW  see operand.cuh
#include "led/operand.cuh"

extern "C" __global__ void __launch_bounds__(32)
    grid3d_column_lanes(const Value* __restrict__ values,   // [C, N, B, B]
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
  for (int i = lane; i < B * B; i += 32) staged[i] = pattern[i];
  __syncthreads();
  const int2 place = place_of(positions, shape, n, c);
  const Value* const image = pixel_of(frames, shape, f, c, place.x, place.y);
  Sum sum = 0;
  for (int i = lane; i < B * B; i += 32) {
    sum = multiply_add(staged[i], image[i / B * width + i % B], sum);
  }
  sum = warp_sum(sum);
  if (lane == 0) out[output_index(shape, f, n, c)] = finished(sum);
}
