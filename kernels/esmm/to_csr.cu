// kernels/esmm/to_csr.cu: a dense matrix with zeros as the CSR arrays that a library multiplies by.
//
// A warp per row, 32 columns at a time: a ballot says which are nonzero and where in the row's part
// each of them goes. It is read twice: once to count, once to write. This is what a format costs
// that the product itself does not show.

// Nonzeros of each row, at counts[row].
extern "C" __global__ void __launch_bounds__(256)
    count_nonzeros(const float* __restrict__ x,  // [rows, columns]
                   int* __restrict__ counts,     // [rows]
                   long long rows, long long columns) {
  const long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  int count = 0;
  for (long long first = 0; first < columns; first += 32) {
    const long long column = first + lane;
    const bool nonzero = column < columns && x[row * columns + column] != 0.0f;
    count += __popc(__ballot_sync(0xFFFFFFFFu, nonzero));
  }
  if (lane == 0) counts[row] = count;
}

// Where each row begins. One warp passes over all counts, 32 at a time.
extern "C" __global__ void __launch_bounds__(32)
    row_begins(const int* __restrict__ counts,  // [rows]
               int* __restrict__ indptr,        // [rows + 1]
               long long rows) {
  const int lane = threadIdx.x;
  int before = 0;
  for (long long first = 0; first < rows; first += 32) {
    const long long row = first + lane;
    int sum = row < rows ? counts[row] : 0;
    const int own = sum;
    for (int step = 1; step < 32; step *= 2) {
      const int other = __shfl_up_sync(0xFFFFFFFFu, sum, step);
      if (lane >= step) sum += other;
    }
    if (row < rows) indptr[row] = before + sum - own;
    before += __shfl_sync(0xFFFFFFFFu, sum, 31);
  }
  if (lane == 0) indptr[rows] = before;
}

extern "C" __global__ void __launch_bounds__(256)
    fill_csr(const float* __restrict__ x,     // [rows, columns]
             const int* __restrict__ indptr,  // [rows + 1]
             int* __restrict__ indices,       // [nnz]
             float* __restrict__ weights,     // [nnz]
             long long rows, long long columns) {
  const long long row = (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  int next = indptr[row];
  for (long long first = 0; first < columns; first += 32) {
    const long long column = first + lane;
    const float value = column < columns ? x[row * columns + column] : 0.0f;
    const unsigned those = __ballot_sync(0xFFFFFFFFu, value != 0.0f);
    if (value != 0.0f) {
      const int at = next + __popc(those & ((1u << lane) - 1));
      indices[at] = static_cast<int>(column);
      weights[at] = value;
    }
    next += __popc(those);
  }
}
