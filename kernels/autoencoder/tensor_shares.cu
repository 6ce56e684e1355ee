// kernels/autoencoder/tensor_shares.cu: the shares of a weight gradient, added up in one order.
//
// A thread has the nine weights between two channels, so that lanes read neighbouring channels. Two
// runs give the same bits. Look at its bytes: as many as there are shares.
#include "autoencoder/tensor_gradients.cuh"

extern "C" __global__ void __launch_bounds__(256)
    tensor_shares(const float* __restrict__ shares,       // [shares][9][out][in]
                  const float* __restrict__ bias_shares,  // [shares][9][out]
                  float* __restrict__ dw,                 // [out][9][in]
                  float* __restrict__ db,                 // [out]
                  int count, int out, int in) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const tensor::Shares s = {shares, bias_shares, count, out, in};
  if (i < static_cast<long long>(out) * in) {
    const int row = static_cast<int>(i / in), column = static_cast<int>(i % in);
    for (int tap = 0; tap < 9; ++tap)
      dw[(static_cast<long long>(row) * 9 + tap) * in + column] = s.of_filter(row, column, tap);
  } else if (i < static_cast<long long>(out) * in + out) {
    const int row = static_cast<int>(i - static_cast<long long>(out) * in);
    db[row] = s.of_bias(row);
  }
}
