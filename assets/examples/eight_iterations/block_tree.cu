// block_tree.cu: layer normalisation, one block per row, sums by a tree in shared memory.
//
// Against warp_a_row: 256 threads walk one row, so an eighth as many rows are under way at once and
// a row is still in L1 when it is read again. The price is the tree: in step s lane t adds the
// words 2·s·t and 2·s·t + s, a power of two apart, which meet in the same banks; and every step
// waits at a barrier. Look at Banks.

constexpr int kThreads = 256;

__device__ float block_sum(float value) {
  __shared__ float part[kThreads];
  __syncthreads();  // the sum before this one has been read
  part[threadIdx.x] = value;
  for (int s = 1; s < kThreads; s *= 2) {
    __syncthreads();
    const int i = 2 * s * threadIdx.x;
    if (i < kThreads) part[i] += part[i + s];
  }
  __syncthreads();
  return part[0];
}

extern "C" __global__ void __launch_bounds__(kThreads)
    block_tree(const float* __restrict__ x,      // [rows, columns]
               const float* __restrict__ gamma,  // [columns]
               const float* __restrict__ beta,   // [columns]
               float* __restrict__ y,            // [rows, columns]
               int columns, float epsilon) {
  x += static_cast<long long>(blockIdx.x) * columns;
  y += static_cast<long long>(blockIdx.x) * columns;
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += x[c];
  const float mean = block_sum(sum) / columns;
  for (int c = threadIdx.x; c < columns; c += kThreads) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(block_sum(squares) / columns + epsilon);
  for (int c = threadIdx.x; c < columns; c += kThreads)
    y[c] = (x[c] - mean) * scale * gamma[c] + beta[c];
}
