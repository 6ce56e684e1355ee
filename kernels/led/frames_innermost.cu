// kernels/led/frames_innermost.cu: frames are laid out anew with the batch innermost, then lanes
// are frames.
//
// Against direct_global: the F values of a pixel lie side by side, so every request is whole lines
// whatever the block's place. The pixels that cross from L2 are as many as before, and the new
// layout costs a pass over all frames, there and back. Look at the two steps' times.
//
//   B  side of a block     FRAMES  lanes of a pixel, a power of two     UINT8, RAW  see operand.cuh
#include "led/operand.cuh"

constexpr int kThreads = 256;

// innermost[p, f] = frames[f, p] for all pixels p of all channels, eight frames at a time.
extern "C" __global__ void __launch_bounds__(kThreads)
    lay_frames_innermost(const Value* __restrict__ frames,  // [F, C·H·W]
                         Value* __restrict__ innermost,     // [C·H·W, F]
                         long long pixels, int frame_count) {
  constexpr int kFrames = 8;
  __shared__ Value tile[kFrames][kThreads + 4 / sizeof(Value)];
  const long long first = static_cast<long long>(blockIdx.x) * kThreads;
  const int f0 = blockIdx.y * kFrames, here = min(kFrames, frame_count - f0);
  for (int f = 0; f < here; ++f) {
    if (first + threadIdx.x < pixels)
      tile[f][threadIdx.x] = frames[(f0 + f) * pixels + first + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < here * kThreads; i += kThreads) {
    const int p = i / here, f = i % here;
    if (first + p < pixels) innermost[(first + p) * frame_count + f0 + f] = tile[f][p];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    frames_innermost(const Value* __restrict__ values,     // [C, N, B, B]
                     const int* __restrict__ positions,    // [C, N, 2]
                     const Value* __restrict__ innermost,  // [C, H, W, F]
                     Output* __restrict__ out,             // [F, N, C] or [F, C, N]
                     int leds, int channels, int height, int width, int frame_count, int planar) {
  const Shape shape = {leds, channels, height, width, frame_count, planar};
  constexpr int kPixels = kThreads / FRAMES;  // that the block takes at once
  __shared__ Sum part[kPixels][FRAMES];
  const int n = blockIdx.x, c = blockIdx.y;
  const int lane_frame = threadIdx.x % FRAMES, slot = threadIdx.x / FRAMES;
  const int f = blockIdx.z * FRAMES + lane_frame;
  const int2 place = place_of(positions, shape, n, c);
  const Value* const pattern = pattern_of(values, shape, n, c);
  const Value* const image =
      innermost + ((static_cast<long long>(c) * height + place.x) * width + place.y) * frame_count +
      f;
  Sum sum = 0;
  if (f < frame_count) {
#pragma unroll 4
    for (int p = slot; p < B * B; p += kPixels) {
      const long long pixel = static_cast<long long>(p / B) * width + p % B;
      sum = multiply_add(pattern[p], image[pixel * frame_count], sum);
    }
  }
  part[slot][lane_frame] = sum;
  __syncthreads();
  if (slot == 0 && f < frame_count) {
    Sum total = 0;
    for (int s = 0; s < kPixels; ++s) total += part[s][lane_frame];
    out[output_index(shape, f, n, c)] = finished(total);
  }
}
