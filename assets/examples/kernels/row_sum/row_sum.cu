// row_sum.cu: the sum of each row, by a block with shared memory or by a warp with shuffles.

extern "C" __global__ void __launch_bounds__(256)
    by_block(const float* __restrict__ x,  // [rows, columns]
             float* __restrict__ sums,     // [rows]
             int columns) {
  __shared__ float part[256];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float sum = 0;
  for (int c = threadIdx.x; c < columns; c += 256) sum += row[c];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void __launch_bounds__(256)
    by_warp(const float* __restrict__ x,  // [rows, columns]
            float* __restrict__ sums,     // [rows]
            int rows, int columns) {
  const int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = lane; c < columns; c += 32) sum += x[static_cast<long long>(row) * columns + c];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
  if (lane == 0) sums[row] = sum;
}

extern "C" __global__ void exact(const float* x, double* reference, double* accumulation, int rows,
                                 int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  double sum = 0, magnitude = 0;
  for (int c = 0; c < columns; ++c) {
    const double value = x[static_cast<long long>(row) * columns + c];
    sum += value;
    magnitude += fabs(value);
  }
  reference[row] = sum;
  accumulation[row] = magnitude * sqrt(static_cast<double>(columns));
}
