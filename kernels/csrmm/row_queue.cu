// kernels/csrmm/row_queue.cu: as many blocks as fit the device; warps take rows from a queue.
//
// Against float4_columns: blocks are launched once and stay. A warp that is done takes the next
// rows with one atomic, so nobody waits for a block to be replaced and uneven rows even out. Look
// at small inputs, where launching thousands of blocks is a good part of the time.
//
//   HOMO  1: one weight for all entries     COLUMNS  columns per lane: 1 or 16 bytes
//   TYPE  of weights, B and C
//   UNROLL  gathers in flight               ROWS  warps per block     TAKEN  rows taken at once
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    row_queue(const int* __restrict__ indptr,       // [m + 1]
              const int* __restrict__ indices,      // [nnz]
              const Element* __restrict__ weights,  // [nnz], [1] when HOMO
              const Packed* __restrict__ b,         // [k, width]
              Packed* __restrict__ c,               // [m, width]
              int m, int width,                     // width = n / COLUMNS
              int* __restrict__ next_row) {         // [strips], zeroed
  constexpr unsigned kAllLanes = 0xffffffffu;
  const int lane = threadIdx.x;
  const int column = blockIdx.y * 32 + lane;
  for (;;) {
    int first = 0;
    if (lane == 0) first = atomicAdd(next_row + blockIdx.y, TAKEN);
    first = __shfl_sync(kAllLanes, first, 0);
    if (first >= m) return;
    const int last = column < width ? min(first + TAKEN, m) : first;
    for (int row = first; row < last; ++row) {
      Sums sums{};
      add_entries(sums, indices, weights, b + column, width * static_cast<int>(sizeof(Packed)),
                  indptr[row], indptr[row + 1]);
      store(c + static_cast<long long>(row) * width + column, sums);
    }
  }
}
