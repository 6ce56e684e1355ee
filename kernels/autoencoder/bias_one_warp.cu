// kernels/autoencoder/bias_one_warp.cu: one warp sums the gradient of one channel, by shuffles
// alone.
//
// The published reduction. Against bias_gradient: 32 threads per channel instead of 256, and
// neither shared memory nor a barrier. Each lane goes over 1/32 of the pixels: look at the time,
// and at how few warps are there to wait for memory.

extern "C" __global__ void __launch_bounds__(32)
    bias_one_warp(const float* __restrict__ dy,  // [images, out, pixels]
                  float* __restrict__ db,        // [out]
                  int images, int out, int pixels) {
  const int k = blockIdx.x, lane = threadIdx.x;
  const long long count = static_cast<long long>(images) * pixels;
  float sum = 0;
  for (long long i = lane; i < count; i += 32)
    sum += dy[(i / pixels * out + k) * pixels + i % pixels];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) db[k] = sum;
}
