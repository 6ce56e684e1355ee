// kernels/csrmm/row_swizzle.cu: the longest rows first, so that none is left running at the end.
//
// Against float4_columns: warps take rows by falling length, in an order made once. Neighbouring
// warps of a block then have equal work, and the last to start have the least. A row that alone is
// longer than everybody's share still runs for as long as it is: only splitting helps there.
//
//   HOMO  1: one weight for all entries     COLUMNS  columns per lane: 1 or 16 bytes
//   TYPE  of weights, B and C
//   UNROLL  gathers in flight               ROWS  rows per block
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    row_swizzle(const int* __restrict__ indptr,       // [m + 1]
                const int* __restrict__ indices,      // [nnz]
                const Element* __restrict__ weights,  // [nnz], [1] when HOMO
                const Packed* __restrict__ b,         // [k, width]
                Packed* __restrict__ c,               // [m, width]
                int m, int width,                     // width = n / COLUMNS
                const int* __restrict__ row_order) {  // [m]
  const long long place = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (place >= m || column >= width) return;
  const long long row = row_order[place];
  Sums sums{};
  add_entries(sums, indices, weights, b + column, width * static_cast<int>(sizeof(Packed)),
              indptr[row], indptr[row + 1]);
  store(c + row * width + column, sums);
}
