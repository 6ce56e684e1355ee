// kernels/autoencoder/block_shape.cu: tiles of any width and height.
//
// Against nchw_grid2d: the block is as wide and as high as two axes say. Look at occupancy beside
// time, which do not move together: rows of 32 lanes fill whole lines, tall blocks share lines of
// their rows in L1, and blocks larger than the map have lanes with nothing to do.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

extern "C" __global__ void block_shape(const float* __restrict__ from,  // [images, sources, S, S]
                                       const float* __restrict__ w,     // [out, in, 3, 3]
                                       const float* __restrict__ b,  // [targets], of a forward pass
                                       float* __restrict__ to,       // [images, targets, S, S]
                                       int sources, int targets, int side, int relu) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= side || row >= side) return;
  convolve_pixel(from, w, b, to, row, column, sources, targets, side, relu);
}
