// kernels/autoencoder/tensor_gradients.cuh: gradients of parameters from the shares that tensor
// cores left.
#pragma once

namespace tensor {

// The places −1 to 2 around a window, counted from 0, at which a tap meets the pixel before the
// upsampling: 2 and 3 for tap 0, 1 and 2 for tap 1, 0 and 1 for tap 2.
__device__ __forceinline__ int place_of(int tap, int second) { return 2 - tap + second; }

// The sum of a word over shares `first`, `first` + `step` and so on, `words` a share, in this
// order. Eight are under way at once, the last few too: a loop that took what is left over of an
// unrolled one would wait for each.
__device__ __forceinline__ float sum_of(const float* from, long long words, int first, int count,
                                        int step) {
  constexpr int kAhead = 8;
  const float* at = from + first * words;
  const long long further = words * step;
  float sum = 0;
  for (int share = first; share < count; share += kAhead * step) {
    float values[kAhead];
#pragma unroll
    for (int i = 0; i < kAhead; ++i) {
      values[i] = share + i * step < count ? *at : 0.0f;
      at += further;
    }
#pragma unroll
    for (int i = 0; i < kAhead; ++i) sum += values[i];
  }
  return sum;
}

}  // namespace tensor
