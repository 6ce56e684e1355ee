// kernels/autoencoder/float4_loads.cu: a thread makes four neighbouring outputs of a row from loads
// of 16 bytes.
//
// Against nchw_grid2d: a thread loads four pixels at once and one on either side from each of three
// rows, three loads for twelve products, and a weight serves four outputs. Threads are counted, not
// laid out in tiles, so that small maps leave none idle. Look at the load instructions and at the
// sectors, which are the same.
//
//   DGRAD  see conv.cuh
#include "autoencoder/conv.cuh"

extern "C" __global__ void __launch_bounds__(256)
    float4_loads(const float* __restrict__ from,  // [images, sources, side, side]
                 const float* __restrict__ w,     // [out, in, 3, 3]
                 const float* __restrict__ b,     // [targets], of a forward pass
                 float* __restrict__ to,          // [images, targets, side, side]
                 long long fours, int sources, int targets, int side, int relu) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= fours) return;
  const int of_row = side / 4, column = i % of_row * 4, row = i / of_row % side;
  const long long of_planes = i / of_row / side, image = of_planes / targets;
  const int target = of_planes % targets;
  const long long plane = static_cast<long long>(side) * side;
  const float first = first_of(b, target);
  float sums[4] = {first, first, first, first};
  for (int source = 0; source < sources; ++source) {
    const float* const pixels = from + (image * sources + source) * plane;
    const Filter filter = filter_of(w, source, sources, target, targets);
#pragma unroll
    for (int tap_row = 0; tap_row < 3; ++tap_row) {
      const int r = row + tap_row - 1;
      if (r < 0 || r >= side) continue;
      const float* const middle = pixels + r * side + column;
      const float4 four = *reinterpret_cast<const float4*>(middle);
      const float line[6] = {column > 0 ? middle[-1] : 0.0f,      four.x, four.y, four.z, four.w,
                             column + 4 < side ? middle[4] : 0.0f};
#pragma unroll
      for (int tap = 0; tap < 3; ++tap) {
        const float weight = filter.at(3 * tap_row + tap);
#pragma unroll
        for (int e = 0; e < 4; ++e) sums[e] += line[e + tap] * weight;
      }
    }
  }
  reinterpret_cast<float4*>(to)[i] = {finished(sums[0], relu), finished(sums[1], relu),
                                      finished(sums[2], relu), finished(sums[3], relu)};
}
