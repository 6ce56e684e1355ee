// kernels/patterns/transpose_swizzled.cu: columns are stored under r xor c: no conflicts and no
// padding.
//
// Against transpose_padded: row r keeps column c at place c xor r, which is a permutation of the
// row, so rows and columns both touch each bank once and the tile stays 4 KB. The price is one
// instruction an access; wide loads and asynchronous copies, which padding breaks, stay possible.

extern "C" __global__ void __launch_bounds__(256)
    transpose_swizzled(const float* __restrict__ x,  // [rows, columns]
                       float* __restrict__ y,        // [columns, rows]
                       int rows, int columns) {
  constexpr int kTile = 32, kStep = 8;
  __shared__ float tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
#pragma unroll
  for (int k = 0; k < kTile; k += kStep) {
    const int row = blockIdx.y * kTile + ty + k, column = blockIdx.x * kTile + tx;
    if (row < rows && column < columns) {
      tile[ty + k][tx ^ (ty + k)] = x[static_cast<long long>(row) * columns + column];
    }
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kTile; k += kStep) {
    const int row = blockIdx.x * kTile + ty + k, column = blockIdx.y * kTile + tx;
    if (row < columns && column < rows) {
      y[static_cast<long long>(row) * rows + column] = tile[tx][(ty + k) ^ tx];
    }
  }
}
