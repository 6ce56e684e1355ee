// kernels/autoencoder/bias_gradient.cu: a block sums the gradient of one channel, by shuffles and
// then through shared memory.
//
// Against naive_nhwc's thread a channel: 256 threads take the pixels of a channel in turn. Lanes of
// one warp add up without shared memory, by shuffles; eight warps need a second stage, which goes
// through it. The mask of a shuffle names the lanes that arrive: all 32, as no thread has left.

extern "C" __global__ void __launch_bounds__(256)
    bias_gradient(const float* __restrict__ dy,  // [images, out, pixels]
                  float* __restrict__ db,        // [out]
                  int images, int out, int pixels) {
  constexpr unsigned kAllLanes = 0xffffffff;
  __shared__ float of_warp[8];
  const int k = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long count = static_cast<long long>(images) * pixels;
  float sum = 0;
  for (long long i = threadIdx.x; i < count; i += 256)
    sum += dy[(i / pixels * out + k) * pixels + i % pixels];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAllLanes, sum, step);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = lane < 8 ? of_warp[lane] : 0;
  for (int step = 4; step > 0; step /= 2) sum += __shfl_down_sync(kAllLanes, sum, step);
  if (lane == 0) db[k] = sum;
}
