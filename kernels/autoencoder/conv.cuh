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
