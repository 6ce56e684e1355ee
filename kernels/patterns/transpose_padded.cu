// kernels/patterns/transpose_padded.cu: one unused column makes a column of the tile lie across all
// banks.
//
// Against transpose_tiled: rows are 33 words long, so element (r, c) is in bank (r + c) mod 32 and
// a column touches each bank once. It costs 128 bytes of shared memory a block. Look at bank
// conflicts: there should be none left.

extern "C" __global__ void __launch_bounds__(256)
    transpose_padded(const float* __restrict__ x,  // [rows, columns]
                     float* __restrict__ y,        // [columns, rows]
                     int rows, int columns) {
  constexpr int kTile = 32, kStep = 8;
  __shared__ float tile[kTile][kTile + 1];
  const int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
  for (int k = 0; k < kTile; k += kStep) {
    const int row = blockIdx.y * kTile + ty + k, column = blockIdx.x * kTile + tx;
    if (row < rows && column < columns) {
      tile[ty + k][tx] = x[static_cast<long long>(row) * columns + column];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kStep) {
    const int row = blockIdx.x * kTile + ty + k, column = blockIdx.y * kTile + tx;
    if (row < columns && column < rows) {
      y[static_cast<long long>(row) * rows + column] = tile[tx][ty + k];
    }
  }
}
