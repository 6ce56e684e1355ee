// kernels/csrmm/row_split.cu: no warp has more than SEGMENT entries: long rows are cut.
//
// Against row_swizzle: a row is as many whole segments as it holds and a residue, each with a warp
// of its own; whole segments come first. Rows of one warp are stored; the parts of a longer row are
// added to the cleared C by reductions, so its bits may differ from run to run. At 512 entries and
// 128 columns a part reads 256 KB of B and adds 512 bytes: the atomics are lost in it.
//
//   HOMO  1: one weight for all entries     COLUMNS  columns per lane: 1 or 4
//   UNROLL  gathers in flight               ROWS  parts per block     SEGMENT  entries of a segment
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * ROWS)
    row_split(const int* __restrict__ indptr,       // [m + 1]
              const int* __restrict__ indices,      // [nnz]
              const Element* __restrict__ weights,  // [nnz], [1] when HOMO
              const Packed* __restrict__ b,         // [k, width]
              Packed* __restrict__ c,               // [m, width], zeroed
              int m, int width,                     // width = n / COLUMNS
              const int* __restrict__ first,        // [m + 1] whole segments before each row
              const int* __restrict__ segment_row,  // [first[m]]
              int most_segments) {                  // at least first[m]
  const long long part = static_cast<long long>(blockIdx.x) * ROWS + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= width) return;
  long long row;
  int begin, end;
  bool shared = true;
  if (part < most_segments) {
    if (part >= first[m]) return;
    row = segment_row[part];
    begin = indptr[row] + (static_cast<int>(part) - first[row]) * SEGMENT;
    end = begin + SEGMENT;
  } else {
    row = part - most_segments;
    if (row >= m) return;
    const int segments = first[row + 1] - first[row];
    begin = indptr[row] + segments * SEGMENT;
    end = indptr[row + 1];
    shared = segments > 0;
    if (shared && begin == end) return;
  }
  Sums sums{};
  add_entries(sums, indices, weights, b + column, width * static_cast<int>(sizeof(Packed)), begin,
              end);
  Packed* const target = c + row * width + column;
  if (shared) {
    add_to_memory(target, sums);
  } else {
    store(target, sums);
  }
}
