// tests/exercises/softmax/cheat_input.cu: keeps exponentials in the input.
extern "C" __global__ void softmax(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int columns) {
  __shared__ float part[4], sums[4];
  const float* row = x + blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 128) most = fmaxf(most, row[i]);
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = most;
  __syncthreads();
  for (int w = 0; w < 4; ++w) most = fmaxf(most, part[w]);
  for (int i = threadIdx.x; i < columns; i += 128)
    sum += expf(const_cast<float*>(row)[i] = row[i] - most);
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
  __syncthreads();
  sum = sums[0] + sums[1] + sums[2] + sums[3];
  for (int i = threadIdx.x; i < columns; i += 128) {
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
  }
}
