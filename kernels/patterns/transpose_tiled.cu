// kernels/patterns/transpose_tiled.cu: a tile in shared memory turns spread stores into whole
// lines.
//
// Against transpose_naive: a block keeps 32 × 32 elements, so both its loads and its stores are 4
// sectors per request. The spread moved into shared memory: reading a column of the tile, all 32
// lanes want the same bank, and one request takes 32 wavefronts. Look at bank conflicts.

extern "C" __global__ void __launch_bounds__(256)
    transpose_tiled(const float* __restrict__ x,  // [rows, columns]
                    float* __restrict__ y,        // [columns, rows]
                    int rows, int columns) {
  constexpr int kTile = 32, kStep = 8;
  __shared__ float tile[kTile][kTile];
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
