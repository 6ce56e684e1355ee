// kernels/autoencoder/bias_shared_tree.cu: a block sums the gradient of one channel through shared
// memory alone.
//
// Against bias_gradient: no shuffle; the 256 sums lie in shared memory and are halved eight times,
// with a barrier each. Both have the same loop over the pixels: look at how little of the time the
// reduction at its end is.

extern "C" __global__ void __launch_bounds__(256)
    bias_shared_tree(const float* __restrict__ dy,  // [images, out, pixels]
                     float* __restrict__ db,        // [out]
                     int images, int out, int pixels) {
  __shared__ float sums[256];
  const int k = blockIdx.x, thread = threadIdx.x;
  const long long count = static_cast<long long>(images) * pixels;
  float sum = 0;
  for (long long i = thread; i < count; i += 256)
    sum += dy[(i / pixels * out + k) * pixels + i % pixels];
  sums[thread] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread == 0) db[k] = sums[0];
}
