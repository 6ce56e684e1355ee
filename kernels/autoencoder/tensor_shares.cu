// kernels/autoencoder/tensor_shares.cu: the shares of a weight gradient, added up in one order.
//
// A thread has a weight, lanes those of neighbouring channels, whose words lie side by side in
// every share. Two runs give the same bits. Look at its bytes: as many as there are shares.
#include "autoencoder/tensor_gradients.cuh"

extern "C" __global__ void __launch_bounds__(256)
    tensor_shares(const float* __restrict__ shares,       // [shares][9][out][in]
                  const float* __restrict__ bias_shares,  // [shares][9][out]
                  float* __restrict__ dw,                 // [out][9][in]
                  float* __restrict__ db,                 // [out]
                  int count, int out, int in) {
  constexpr int kTaps = 9, kMiddle = 4;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long weights = static_cast<long long>(out) * kTaps * in;
  if (i < weights) {
    const long long row = i / in / kTaps, tap = i / in % kTaps, column = i % in;
    dw[i] = tensor::sum_of(shares + (tap * out + row) * in + column, weights, 0, count, 1);
  } else if (i < weights + out) {
    db[i - weights] = tensor::sum_of(bias_shares + kMiddle * out + (i - weights),
                                     static_cast<long long>(kTaps) * out, 0, count, 1);
  }
}
