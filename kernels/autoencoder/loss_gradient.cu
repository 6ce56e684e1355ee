// kernels/autoencoder/loss_gradient.cu: the gradient of the loss, twice the difference over the
// number of values.
//
// It reads what the loss has read already: compare loss_fused_gradient.

extern "C" __global__ void __launch_bounds__(256)
    loss_gradient(const float* __restrict__ p,  // [count]
                  const float* __restrict__ t,  // [count]
                  float* __restrict__ dp,       // [count]
                  long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) dp[i] = 2 * (p[i] - t[i]) / count;
}
