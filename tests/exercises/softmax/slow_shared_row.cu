// tests/exercises/softmax/slow_shared_row.cu: the row goes through shared memory, but each thread
// still reduces all of it.
extern "C" __global__ void softmax(const float* __restrict__ x,  // [rows, columns]
                                   float* __restrict__ y,        // [rows, columns]
                                   int columns) {
  __shared__ float row[2048];
  for (int i = threadIdx.x; i < columns; i += 128) row[i] = x[blockIdx.x * columns + i];
  __syncthreads();
  float most = row[0], sum = 0;
  for (int i = 1; i < columns; ++i) most = fmaxf(most, row[i]);
  for (int i = 0; i < columns; ++i) sum += expf(row[i] - most);
  for (int i = threadIdx.x; i < columns; i += 128) {
    y[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
  }
}
