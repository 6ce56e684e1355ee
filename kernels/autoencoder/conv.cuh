// kernels/autoencoder/conv.cuh: what the convolutions on NCHW share.
//
// A gradient of inputs is a convolution too: of the outputs' gradient, with filters turned by half
// a circle and channels changed over. So forward and dgrad are one text:
//
//   DGRAD  0: `from` is x, `to` is y; 1: `from` is dy, `to` is dx
#pragma once

// The nine weights between two channels, in the order in which neighbours are visited.
struct Filter {
  const float* first;  // of [out, in, 3, 3]
  __device__ float at(int tap) const { return first[DGRAD ? 8 - tap : tap]; }
};

// From channel `source` of `sources` to channel `target` of `targets`.
__device__ inline Filter filter_of(const float* w, int source, int sources, int target,
                                   int targets) {
  const long long pair = DGRAD ? static_cast<long long>(source) * targets + target
                               : static_cast<long long>(target) * sources + source;
  return {w + 9 * pair};
}

// What a sum becomes. NaN stays NaN.
__device__ inline float finished(float sum, int relu) { return relu && sum < 0 ? 0 : sum; }

__device__ inline float first_of(const float* __restrict__ b, int target) {
  return DGRAD ? 0 : b[target];
}

// What a pixel becomes of the 3×3 neighbourhoods in all source channels; outside the map are zeros.
// `blockIdx.z` counts planes of `to`, image by image.
__device__ inline void convolve_pixel(const float* __restrict__ from, const float* __restrict__ w,
                                      const float* __restrict__ b, float* __restrict__ to, int row,
                                      int column, int sources, int targets, int side, int relu) {
  const int image = blockIdx.z / targets, target = blockIdx.z % targets;
  const long long plane = static_cast<long long>(side) * side;
  float sum = first_of(b, target);
  for (int source = 0; source < sources; ++source) {
    const float* const pixels = from + (static_cast<long long>(image) * sources + source) * plane;
    const Filter filter = filter_of(w, source, sources, target, targets);
#pragma unroll
    for (int tap = 0; tap < 9; ++tap) {
      const int r = row + tap / 3 - 1, q = column + tap % 3 - 1;
      if (r >= 0 && r < side && q >= 0 && q < side) sum += pixels[r * side + q] * filter.at(tap);
    }
  }
  to[blockIdx.z * plane + row * side + column] = finished(sum, relu);
}
