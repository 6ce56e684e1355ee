// kernels/autoencoder/bias_shares.cu: the gradient of biases by shares of the images, in either
// layout, and the shares added up in one order.
//
// Against bias_gradient, which has one block per channel: few channels fill the device too, such as
// the last layer's three. Look at the blocks of the launch, and at the bytes per second.

// A block for each channel and share. Grid: channels, shares.
extern "C" __global__ void __launch_bounds__(256)
    bias_shares_planes(const float* __restrict__ dy,  // [images, out, pixels]
                       float* __restrict__ shares,    // [shares, out]
                       int images, int out, int pixels) {
  constexpr unsigned kAllLanes = 0xffffffff;
  __shared__ float of_warp[8];
  const int k = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = 0;
  for (int image = blockIdx.y; image < images; image += gridDim.y) {
    const float* const plane = dy + (static_cast<long long>(image) * out + k) * pixels;
    for (int i = threadIdx.x; i < pixels; i += 256) sum += plane[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAllLanes, sum, step);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < 8; ++w) sum += of_warp[w];
  shares[blockIdx.y * out + k] = sum;
}

// Lanes are channels, eight warps take pixels in turn. Grid: channels by 32, shares.
extern "C" __global__ void __launch_bounds__(256)
    bias_shares_nhwc(const float* __restrict__ dy,  // [images, pixels, out]
                     float* __restrict__ shares,    // [shares, out]
                     int images, int out, int pixels) {
  __shared__ float of_warp[8][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int k = static_cast<int>(blockIdx.x) * 32 + lane;
  const long long count = static_cast<long long>(images) * pixels;
  float sum = 0;
  for (long long i = blockIdx.y * 8 + warp; k < out && i < count; i += gridDim.y * 8)
    sum += dy[i * out + k];
  of_warp[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || k >= out) return;
  for (int w = 1; w < 8; ++w) sum += of_warp[w][lane];
  shares[blockIdx.y * out + k] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    add_bias_shares(const float* __restrict__ shares,  // [shares, out]
                    float* __restrict__ db,            // [out]
                    int count, int out) {
  const int k = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (k >= out) return;
  float sum = 0;
  for (int s = 0; s < count; ++s) sum += shares[s * out + k];
  db[k] = sum;
}
