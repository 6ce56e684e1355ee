// kernels/autoencoder/tensor_descend.cu: all gradients of a step from their shares, and the
// descent along them.
//
// Against tensor_shares and ten launches of sgd: one launch for five layers, a row of the grid
// each. Where a layer stands behind an upsampling, sixteen places become nine taps again: each
// meets four of them. A thread has the nine weights between two channels. Look at its bytes: the
// shares of all layers, and each parameter once in and out.
#include "autoencoder/tensor_gradients.cuh"

namespace {
using tensor::Shares;
constexpr int kTaps = 9, kImageChannels = 3, kGathered = kTaps * kImageChannels + 1, kPlaces = 16;

struct Descent {
  float *parameters, *gradients;
  float lr;
  __device__ void take(long long i, float slope) const {
    gradients[i] = slope;
    parameters[i] -= lr * slope;
  }
};

template <typename Weight, typename Bias>
__device__ void each(const Descent& to, long long first, int out, int in, Weight weight,
                     Bias bias) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long pairs = static_cast<long long>(out) * in;
  if (i < pairs) {
    for (int tap = 0; tap < kTaps; ++tap)
      to.take(first + i * kTaps + tap,
              weight(static_cast<int>(i / in), static_cast<int>(i % in), tap));
  } else if (i < pairs + out) {
    to.take(first + pairs * kTaps + i - pairs, bias(static_cast<int>(i - pairs)));
  }
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256)
    tensor_descend(const float* __restrict__ shares1,  // [count][channels][28]
                   const float* __restrict__ shares2,  // [count][9][half][channels]
                   const float* __restrict__ shares3,  // [count][9][half][half]
                   const float* __restrict__ shares4,  // [count][16][channels][half]
                   const float* __restrict__ shares5,  // [count][48][channels]
                   const float* __restrict__ biases2, const float* __restrict__ biases3,
                   const float* __restrict__ biases4, const float* __restrict__ biases5,
                   float* __restrict__ parameters,  // ten tensors
                   float* __restrict__ gradients,   // the same
                   int channels, int count1, int count2, int count3, int count4, int count5,
                   float lr) {
  const Descent to = {parameters, gradients, lr};
  const int all = channels, half = channels / 2;
  const long long first2 = static_cast<long long>(all) * kGathered;
  const long long first3 = first2 + static_cast<long long>(half) * all * kTaps + half;
  const long long first4 = first3 + static_cast<long long>(half) * half * kTaps + half;
  const long long first5 = first4 + static_cast<long long>(all) * half * kTaps + all;
  switch (blockIdx.y) {
    case 0: {
      const Shares s = {shares1, shares1, count1, all, kGathered};
      return each(
          to, 0, all, kImageChannels,
          [&](int o, int i, int tap) { return s.sum(1, 0, o, i * kTaps + tap); },
          [&](int o) { return s.sum(1, 0, o, kGathered - 1); });
    }
    case 1: {
      const Shares s = {shares2, biases2, count2, half, all};
      return each(
          to, first2, half, all, [&](int o, int i, int tap) { return s.of_filter(o, i, tap); },
          [&](int o) { return s.of_bias(o); });
    }
    case 2: {
      const Shares s = {shares3, biases3, count3, half, half};
      return each(
          to, first3, half, half, [&](int o, int i, int tap) { return s.of_filter(o, i, tap); },
          [&](int o) { return s.of_bias(o); });
    }
    case 3: {
      const Shares s = {shares4, biases4, count4, all, half};
      return each(
          to, first4, all, half, [&](int o, int i, int tap) { return s.of_folded(o, i, tap); },
          [&](int o) { return s.of_folded_bias(o); });
    }
    default: {
      const Shares s = {shares5, biases5, count5, kPlaces * kImageChannels, all};
      return each(
          to, first5, kImageChannels, all,
          [&](int o, int i, int tap) { return s.of_gathered(o, i, tap, kImageChannels); },
          [&](int o) { return s.of_gathered_bias(o, kImageChannels); });
    }
  }
}
