// kernels/csrmm/merge_path.cu: every warp has the same number of rows and entries, whatever rows
// are.
//
// Rows and entries lie on one path: an entry is a step, the end of a row is a step. A warp takes
// SHARE steps, so neither a huge row nor a thousand empty ones make it late. A warp that stops
// inside a row hands its part on: within a block through shared memory to the warp that ends the
// row, across blocks as the block's carry, which a second kernel adds in a fixed order: no atomics,
// the same bits in every run.
//
//   HOMO  1: one weight for all entries     COLUMNS  columns per lane: 1 or 4
//   UNROLL  gathers in flight               WARPS  shares per block     SHARE  steps of a share
#include "csrmm/columns.cuh"

extern "C" __global__ void __launch_bounds__(32 * WARPS)
    merge_path(const int* __restrict__ indptr,       // [m + 1]
               const int* __restrict__ indices,      // [nnz]
               const Element* __restrict__ weights,  // [nnz], [1] when HOMO
               const Packed* __restrict__ b,         // [k, width]
               Packed* __restrict__ c,               // [m, width]
               int m, int width,                     // width = n / COLUMNS
               const int* __restrict__ share_row,    // [shares + 1], rows at which shares begin
               Packed* __restrict__ carries) {       // [blocks, width]
  __shared__ Sums tails[WARPS][32];
  __shared__ int tail_row[WARPS];
  const int warp = threadIdx.y, lane = threadIdx.x;
  const int column = blockIdx.y * 32 + lane;
  const bool active = column < width;
  const long long share = static_cast<long long>(blockIdx.x) * WARPS + warp;
  const long long steps = static_cast<long long>(m) + indptr[m];
  const long long begin = min(share * SHARE, steps), end = min((share + 1) * SHARE, steps);
  const int first_row = share_row[share], last_row = share_row[share + 1];
  Sums head{}, sums{};
  if (active) {
    int j = static_cast<int>(begin - first_row);
    for (int row = first_row;; ++row) {
      const int stop = row < last_row ? indptr[row + 1] : static_cast<int>(end - last_row);
      sums = Sums{};
      add_entries(sums, indices, weights, b + column, width * static_cast<int>(sizeof(Packed)), j,
                  stop);
      j = stop;
      if (row == last_row) break;
      if (row == first_row) {
        head = sums;
      } else {
        store(c + static_cast<long long>(row) * width + column, sums);
      }
    }
  }
  tails[warp][lane] = sums;
  if (lane == 0) tail_row[warp] = last_row;
  __syncthreads();
  if (!active) return;
  if (first_row < last_row) {
    for (int t = warp - 1; t >= 0 && tail_row[t] == first_row; --t) add(head, tails[t][lane]);
    store(c + static_cast<long long>(first_row) * width + column, head);
  }
  if (warp == WARPS - 1) {
    for (int t = warp - 1; t >= 0 && tail_row[t] == last_row; --t) add(sums, tails[t][lane]);
    store(carries + static_cast<long long>(blockIdx.x) * width + column, sums);
  }
}

// One warp for every row that blocks carry into: it adds their carries in order.
extern "C" __global__ void __launch_bounds__(128)
    merge_path_carries(const Packed* __restrict__ carries,  // [blocks, width]
                       const int* __restrict__ share_row,   // [blocks * WARPS + 1]
                       Packed* __restrict__ c,              // [m, width]
                       int m, int width, int blocks) {
  constexpr unsigned kAllLanes = 0xffffffffu;
  const int block = static_cast<int>(blockIdx.x) * 4 + static_cast<int>(threadIdx.y);
  const int lane = threadIdx.x;
  const int column = blockIdx.y * 32 + lane;
  if (block >= blocks) return;
  // A block's last share stops in the row where the next block's first share begins.
  const int row = share_row[(block + 1) * WARPS];
  if (row >= m || (block > 0 && share_row[block * WARPS] == row)) return;
  int last = block + 1;  // the first block that carries into another row
  for (;; last += 32) {
    const int other = last + lane;
    const bool same = other < blocks && share_row[(other + 1) * WARPS] == row;
    const unsigned equal = __ballot_sync(kAllLanes, same);
    if (equal == kAllLanes) continue;
    last += __ffs(static_cast<int>(~equal)) - 1;
    break;
  }
  if (column >= width) return;
  Sums sums{};
#pragma unroll 8
  for (int t = block; t < last; ++t) {
    add(sums, unpacked(carries[static_cast<long long>(t) * width + column]));
  }
  Packed* const target = c + static_cast<long long>(row) * width + column;
  add(sums, unpacked(*target));
  store(target, sums);
}
