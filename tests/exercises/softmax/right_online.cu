// tests/exercises/softmax/right_online.cu: maximum and sum in one pass over the row.
extern "C" __global__ void softmax(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int columns) {
  __shared__ float mosts[4], sums[4];
  const float* row = x + blockIdx.x * columns;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128) {
    const float next = fmaxf(most, row[i]);
    sum = sum * expf(most - next) + expf(row[i] - next);
    most = next;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(~0u, most, step), add = __shfl_xor_sync(~0u, sum, step);
    const float next = fmaxf(most, other);
    sum = sum * expf(most - next) + add * expf(other - next);
    most = next;
  }
  if (threadIdx.x % 32 == 0) {
    mosts[threadIdx.x / 32] = most;
    sums[threadIdx.x / 32] = sum;
  }
  __syncthreads();
  most = fmaxf(fmaxf(mosts[0], mosts[1]), fmaxf(mosts[2], mosts[3]));
  sum = 0;
  for (int w = 0; w < 4; ++w) sum += sums[w] * expf(mosts[w] - most);
  for (int i = threadIdx.x; i < columns; i += 128) {
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
  }
}
