// kernels/led/frames_per_warp_early_exit.cu: wrong on purpose: warps leave before they have loaded
// their share.
//
// Against direct_global: eight warps, a frame each, first stage the pattern together. A warp whose
// frame does not exist has left by then, and with it an eighth of the copy. Right where the frames
// are a multiple of eight, wrong elsewhere; the emulator names the values that nobody has written.
// The test belongs after the barrier.
//
//   B  side of a block     QUADS  see pieces.cuh     UINT8, RAW  see operand.cuh
#include "led/pieces.cuh"

extern "C" __global__ void __launch_bounds__(256)
    frames_per_warp_early_exit(const Value* __restrict__ values,   // [C, N, B, B]
                               const int* __restrict__ positions,  // [C, N, 2]
                               const Value* __restrict__ frames,   // [F, C, H, W]
                               Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                               int leds, int channels, int height, int width, int frame_count,
                               int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(16) unsigned char bytes[];  // [B, B] values
  Value* const staged = reinterpret_cast<Value*>(bytes);
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x % 32;
  const int f = blockIdx.z * 8 + threadIdx.x / 32;
  if (f >= frame_count) return;
  const Value* const pattern = pattern_of(values, shape, n, c);
  for (int i = threadIdx.x; i < kPiecesOfBlock; i += 256) {
    reinterpret_cast<Piece*>(staged)[i] = reinterpret_cast<const Piece*>(pattern)[i];
  }
  __syncthreads();
  const int2 place = place_of(positions, shape, n, c);
  const Sum sum = warp_sum(
      products_of_lane(staged, pixel_of(frames, shape, f, c, place.x, place.y), width, lane));
  if (lane == 0) out[output_index(shape, f, n, c)] = finished(sum);
}
