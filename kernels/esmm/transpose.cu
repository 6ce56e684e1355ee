// kernels/esmm/transpose.cu: B turned so that its k run along a row.
//
// A tile of 32 × 32 turns in shared memory, its rows one word longer, so that loads and stores are
// whole lines and no bank is asked twice. It moves B twice through DRAM: look at its share of the
// time.

extern "C" __global__ void __launch_bounds__(256)
    transpose_b(const float* __restrict__ b,     // [K, N]
                float* __restrict__ transposed,  // [N, K]
                long long rows, long long columns) {
  constexpr int kTile = 32, kStep = 8;
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x % kTile, y = threadIdx.x / kTile;
  const long long first_row = static_cast<long long>(blockIdx.y) * kTile;
  const long long first_column = static_cast<long long>(blockIdx.x) * kTile;
#pragma unroll
  for (int i = y; i < kTile; i += kStep) {
    if (first_row + i < rows && first_column + x < columns)
      tile[i][x] = b[(first_row + i) * columns + first_column + x];
  }
  __syncthreads();
#pragma unroll
  for (int i = y; i < kTile; i += kStep) {
    if (first_column + i < columns && first_row + x < rows)
      transposed[(first_column + i) * rows + first_row + x] = tile[x][i];
  }
}
