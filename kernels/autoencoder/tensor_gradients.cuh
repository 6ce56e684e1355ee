// kernels/autoencoder/tensor_gradients.cuh: gradients of parameters from the shares that tensor
// cores left.
#pragma once

namespace tensor {

// The places −1 to 2 around a window, counted from 0, at which a tap meets the pixel before the
// upsampling: 2 and 3 for tap 0, 1 and 2 for tap 1, 0 and 1 for tap 2.
__device__ __forceinline__ int place_of(int tap, int second) { return 2 - tap + second; }

// The sum of a word over shares `first`, `first` + `step` and so on, `words` a share, in this
// order; several are under way at once.
__device__ __forceinline__ float sum_of(const float* from, long long words, int first, int count,
                                        int step) {
  float sum = 0;
#pragma unroll 8
  for (int share = first; share < count; share += step) sum += from[share * words];
  return sum;
}

}  // namespace tensor
