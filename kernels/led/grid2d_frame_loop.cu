// kernels/led/grid2d_frame_loop.cu: the loop over frames moves into the block.
//
// Against grid3d_column_lanes: a block is an LED and channel, not a frame. Its pattern is loaded
// once, by neighbouring lanes, and stays in shared memory while eight warps take frames in turn.
// Look at DRAM: the pattern's bytes fall by the number of frames.
//
//   B  side of a block     QUADS  see pieces.cuh     UINT8, RAW  see operand.cuh
#include "led/pieces.cuh"

extern "C" __global__ void __launch_bounds__(256)
    grid2d_frame_loop(const Value* __restrict__ values,   // [C, N, B, B]
                      const int* __restrict__ positions,  // [C, N, 2]
                      const Value* __restrict__ frames,   // [F, C, H, W]
                      Output* __restrict__ out,           // [F, N, C] or [F, C, N]
                      int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  extern __shared__ __align__(16) unsigned char bytes[];  // [B, B] values
  Value* const staged = reinterpret_cast<Value*>(bytes);
  const int n = blockIdx.x, c = blockIdx.y, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const Value* const pattern = pattern_of(values, shape, n, c);
  for (int i = threadIdx.x; i < kPiecesOfBlock; i += 256) {
    reinterpret_cast<Piece*>(staged)[i] = reinterpret_cast<const Piece*>(pattern)[i];
  }
  __syncthreads();
  const int2 place = place_of(positions, shape, n, c);
  for (int f = warp; f < frame_count; f += 8) {
    const Sum sum = warp_sum(
        products_of_lane(staged, pixel_of(frames, shape, f, c, place.x, place.y), width, lane));
    if (lane == 0) out[output_index(shape, f, n, c)] = finished(sum);
  }
}
