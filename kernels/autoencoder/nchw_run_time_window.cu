// kernels/autoencoder/nchw_run_time_window.cu: nchw_grid2d without its special case for windows of
// 3×3.
//
// Against nchw_grid2d: the size of the window is known at run time, so that neither loop over it is
// unrolled. Look at the instructions executed and at the branches: what unrolling alone is worth.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

extern "C" __global__ void __launch_bounds__(256)
    nchw_run_time_window(const float* __restrict__ from,  // [images, sources, side, side]
                         const float* __restrict__ w,     // [out, in, window, window]
                         const float* __restrict__ b,     // [targets], of a forward pass
                         float* __restrict__ to,          // [images, targets, side, side]
                         int sources, int targets, int side, int relu, int window) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (column >= side || row >= side) return;
  const int image = blockIdx.z / targets, target = blockIdx.z % targets;
  const long long plane = static_cast<long long>(side) * side;
  float sum = first_of(b, target);
  for (int source = 0; source < sources; ++source) {
    const float* const pixels = from + (static_cast<long long>(image) * sources + source) * plane;
    const Filter filter = filter_of(w, source, sources, target, targets);
    for (int down = 0; down < window; ++down) {
      for (int across = 0; across < window; ++across) {
        const int r = row + down - window / 2, q = column + across - window / 2;
        if (r >= 0 && r < side && q >= 0 && q < side)
          sum += pixels[r * side + q] * filter.at(down * window + across);
      }
    }
  }
  to[blockIdx.z * plane + row * side + column] = finished(sum, relu);
}
