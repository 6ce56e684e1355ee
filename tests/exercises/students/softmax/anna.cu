// tests/exercises/students/softmax/anna.cu: by an author who knew only the text.
// softmax, Anna: shuffles in the warp, then four partial results in shared memory.
__device__ float warpMax(float v) {
  for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, o));
  return v;
}
__device__ float warpSum(float v) {
  for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y,
                                   int columns) {
  __shared__ float maxima[4], sums[4];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const float* row = x + blockIdx.x * columns;

  float most = -3.402823466e38f;
  for (int i = t; i < columns; i += 128) most = fmaxf(most, row[i]);
  most = warpMax(most);
  if (lane == 0) maxima[warp] = most;
  __syncthreads();
  most = fmaxf(fmaxf(maxima[0], maxima[1]), fmaxf(maxima[2], maxima[3]));

  float sum = 0;
  for (int i = t; i < columns; i += 128) sum += expf(row[i] - most);
  sum = warpSum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);

  for (int i = t; i < columns; i += 128) y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}
