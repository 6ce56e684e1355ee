// tests/engine/planted_by_others/bn_channel_stats.cu: Batch-norm statistics (sum and sum of squares
// per channel) of an NHWC tensor. x is [npix][nchan] in row-major order; sum and sumsq are [nchan].
// Blocks are laid out as  blockIdx.x = split * nchan + channel.
extern "C" __global__ void bn_channel_stats(const float* __restrict__ x,
                                            const float* __restrict__ shift,
                                            float* __restrict__ sum, float* __restrict__ sumsq,
                                            int npix, int nchan) {
  __shared__ float part1[32];
  __shared__ float part2[32];

  const int channel = blockIdx.x % nchan;
  const int split = blockIdx.x / nchan;
  const int nsplit = gridDim.x / nchan;
  const int per_split = (npix + nsplit - 1) / nsplit;
  const int first = split * per_split;
  const int last = min(first + per_split, npix);

  const float k = shift[channel];
  float s1 = 0.0f;
  float s2 = 0.0f;
  for (int p = first + (int)threadIdx.x; p < last; p += blockDim.x) {
    const float v = x[(size_t)p * nchan + channel];
    const float d = v - k;
    s1 += d;
    s2 = fmaf(d, d, s2);
  }

  for (int off = 16; off > 0; off >>= 1) {
    s1 += __shfl_down_sync(0xffffffffu, s1, off);
    s2 += __shfl_down_sync(0xffffffffu, s2, off);
  }
  const int lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  if (lane == 0) {
    part1[warp] = s1;
    part2[warp] = s2;
  }
  __syncthreads();
  if (warp == 0) {
    const int nwarps = blockDim.x >> 5;
    s1 = lane < nwarps ? part1[lane] : 0.0f;
    s2 = lane < nwarps ? part2[lane] : 0.0f;
    for (int off = 16; off > 0; off >>= 1) {
      s1 += __shfl_down_sync(0xffffffffu, s1, off);
      s2 += __shfl_down_sync(0xffffffffu, s2, off);
    }
    if (lane == 0) {
      atomicAdd(&sum[channel], s1);
      atomicAdd(&sumsq[channel], s2);
    }
  }
}
