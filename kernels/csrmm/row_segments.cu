// kernels/csrmm/row_segments.cu: how rows are cut or ordered before they are multiplied: prepare
// steps.
//
//   SEGMENT  entries of a segment     SHARE  rows and entries of a share of the merge path

// Whole segments in each row; what is left over is the row's residue.
extern "C" __global__ void count_segments(const int* __restrict__ indptr,  // [m + 1]
                                          int* __restrict__ counts,        // [m]
                                          int m) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < m) counts[row] = (indptr[row + 1] - indptr[row]) / SEGMENT;
}

extern "C" __global__ void name_segments(const int* __restrict__ first,  // [m + 1]
                                         int* __restrict__ segment_row,  // [first[m]]
                                         int m) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= m) return;
  for (int s = first[row]; s < first[row + 1]; ++s) segment_row[s] = static_cast<int>(row);
}

// A number that grows with the length: exact below 64, then 32 steps an octave, 27 octaves at most.
__device__ __forceinline__ int length_class(int length) {
  if (length < 64) return length;
  const int octave = 31 - __clz(length);  // 6 or more
  return 32 * (octave - 5) + (length >> (octave - 5));
}

// Rows by falling length, to a thirtieth of it: one block counts the classes, sums them from the
// longest down, and places the rows. Rows of one class stand in any order.
extern "C" __global__ void __launch_bounds__(1024)
    order_rows(const int* __restrict__ indptr,  // [m + 1]
               int* __restrict__ row_order,     // [m]
               int m) {
  constexpr int kClasses = 1024;
  constexpr unsigned kAllLanes = 0xffffffffu;
  __shared__ int next[kClasses];
  __shared__ int of_warps[32];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  next[thread] = 0;
  __syncthreads();
  for (int row = thread; row < m; row += kClasses) {
    atomicAdd(next + kClasses - 1 - length_class(indptr[row + 1] - indptr[row]), 1);
  }
  __syncthreads();
  const int mine = next[thread];
  int sum = mine;
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int before = __shfl_up_sync(kAllLanes, sum, distance);
    if (lane >= distance) sum += before;
  }
  if (lane == 31) of_warps[warp] = sum;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; ++w) before += of_warps[w];
  next[thread] = before + sum - mine;
  __syncthreads();
  for (int row = thread; row < m; row += kClasses) {
    const int at = kClasses - 1 - length_class(indptr[row + 1] - indptr[row]);
    row_order[atomicAdd(next + at, 1)] = row;
  }
}

// Where each share of the merge path begins: step d of the path has passed `row` row ends and
// d − row entries. A row end is passed as soon as all entries before it are.
// source: Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, SC 2016.
extern "C" __global__ void cut_merge_path(const int* __restrict__ indptr,  // [m + 1]
                                          int* __restrict__ share_row,     // [shares + 1]
                                          int m, int shares) {
  const long long share = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (share > shares) return;
  const long long nnz = indptr[m];
  const long long whole = static_cast<long long>(m) + nnz;
  const long long step = share * SHARE < whole ? share * SHARE : whole;
  // The fewest row ends `row` for which entry step − row still belongs to row `row`.
  long long low = step > nnz ? step - nnz : 0;
  long long high = step < m ? step : m;
  while (low < high) {
    const long long row = (low + high) / 2;
    if (indptr[row + 1] <= step - row - 1) {
      low = row + 1;
    } else {
      high = row;
    }
  }
  share_row[share] = static_cast<int>(low);
}
