// softmax.cu: exp(x - maximum) over its sum, one block per row, in three passes over the row.

__device__ float largest(float a, float b) { return fmaxf(a, b); }
__device__ float sum_of(float a, float b) { return a + b; }

// One value of all 128 threads.
template <typename Join>
__device__ float joined(float value, Join join) {
  __shared__ float part[4];
  for (int half = 16; half > 0; half /= 2)
    value = join(value, __shfl_xor_sync(0xffffffff, value, half));
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  return join(join(part[0], part[1]), join(part[2], part[3]));
}

extern "C" __global__ void __launch_bounds__(128)
    three_passes(const float* __restrict__ x,  // [rows, columns]
                 float* __restrict__ y,        // [rows, columns]
                 int columns) {
  const long long row = static_cast<long long>(blockIdx.x) * columns;
  float most = x[row], sum = 0;
  for (int c = threadIdx.x; c < columns; c += 128) most = fmaxf(most, x[row + c]);
  most = joined(most, largest);
  for (int c = threadIdx.x; c < columns; c += 128) sum += expf(x[row + c] - most);
  sum = joined(sum, sum_of);
  for (int c = threadIdx.x; c < columns; c += 128) y[row + c] = expf(x[row + c] - most) / sum;
}

extern "C" __global__ void exact(const float* x, double* reference, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  x += static_cast<long long>(row) * columns;
  reference += static_cast<long long>(row) * columns;
  double most = x[0], sum = 0;
  for (int c = 0; c < columns; ++c) most = fmax(most, static_cast<double>(x[c]));
  for (int c = 0; c < columns; ++c) sum += exp(x[c] - most);
  for (int c = 0; c < columns; ++c) reference[c] = exp(x[c] - most) / sum;
}
