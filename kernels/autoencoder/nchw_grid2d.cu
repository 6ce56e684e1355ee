// kernels/autoencoder/nchw_grid2d.cu: planes of pixels: a block is a 16×16 tile of one output
// plane.
//
// Against naive_nhwc: lanes are neighbouring pixels, so inputs and outputs are read and written
// side by side and the weight is the broadcast; the nine taps are unrolled and the ReLU is taken in
// passing. Look at the lines of a load request, and at maps smaller than a tile: at 8×8 three
// quarters of every block have nothing to do, and half of each warp that has.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

extern "C" __global__ void __launch_bounds__(256)
    nchw_grid2d(const float* __restrict__ from,  // [images, sources, side, side]
                const float* __restrict__ w,     // [out, in, 3, 3]
                const float* __restrict__ b,     // [targets], of a forward pass
                float* __restrict__ to,          // [images, targets, side, side]
                int sources, int targets, int side, int relu) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (column >= side || row >= side) return;
  convolve_pixel(from, w, b, to, row, column, sources, targets, side, relu);
}
