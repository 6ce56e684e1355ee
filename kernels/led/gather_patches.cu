// kernels/led/gather_patches.cu: the pixels under every block, copied out as a batched product asks
// for them.
//
// Patches are all of one size and one distance, which blocks of an image are not: a patch is B²
// rows of F frames. A pixel is written once for every block over it and read again by the product.
// Look at the DRAM bytes, written and read.
//
//   B  side of a block     UINT8, RAW  see operand.cuh
#include "led/operand.cuh"

constexpr int kThreads = 256, kFrames = 8;
// A warp reads 8 frames of 4 pixels, which then lie in 32 different banks.
constexpr int kPitch = kThreads + 4;

// A block of threads an LED, a channel and 8 frames.
extern "C" __global__ void __launch_bounds__(kThreads)
    gather_patches(const int* __restrict__ positions,  // [C, N, 2]
                   const Value* __restrict__ frames,   // [F, C, H, W]
                   Value* __restrict__ patches,        // [C·N, B², F]
                   int leds, int channels, int height, int width, int frame_count) {
  __shared__ Value tile[kFrames][kPitch];
  const Shape shape = {leds, channels, height, width, frame_count, 0};
  const int n = blockIdx.x, c = blockIdx.y, f0 = blockIdx.z * kFrames;
  const int here = min(kFrames, frame_count - f0);
  const int2 place = place_of(positions, shape, n, c);
  Value* const patch =
      patches + (static_cast<long long>(c) * leds + n) * (B * B) * frame_count + f0;
  for (int first = 0; first < B * B; first += kThreads) {
    const int p = first + threadIdx.x;
#pragma unroll
    for (int f = 0; f < kFrames; ++f) {
      if (f < here && p < B * B)
        tile[f][threadIdx.x] =
            *pixel_of(frames, shape, f0 + f, c, place.x + p / B, place.y + p % B);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < here * min(kThreads, B * B - first); i += kThreads) {
      const int pixel = i / here, f = i % here;
      patch[static_cast<long long>(first + pixel) * frame_count + f] = tile[f][pixel];
    }
    __syncthreads();
  }
}
