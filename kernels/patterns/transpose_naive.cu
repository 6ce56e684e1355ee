// kernels/patterns/transpose_naive.cu: rows are read along and written down: every store is spread.
//
// The load of a warp is 4 sectors in one line. Its store goes to 32 rows of y: 32 sectors for 128
// bytes. L2 gathers the parts of a sector before DRAM sees them, if it still has it; L1 does not.
// Look at sectors per store request.

extern "C" __global__ void __launch_bounds__(256)
    transpose_naive(const float* __restrict__ x,  // [rows, columns]
                    float* __restrict__ y,        // [columns, rows]
                    int rows, int columns) {
  constexpr int kTile = 32, kStep = 8;
  const int column = blockIdx.x * kTile + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kTile; k += kStep) {
    const int row = blockIdx.y * kTile + threadIdx.y + k;
    if (row < rows && column < columns) {
      y[static_cast<long long>(column) * rows + row] =
          x[static_cast<long long>(row) * columns + column];
    }
  }
}
