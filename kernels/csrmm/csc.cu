// kernels/csrmm/csc.cu: CSR to CSC, so that Aᵀ can be gathered: prepare steps.
//
// The entries of a column are counted by atomics, the counts become first positions (prefix_sum),
// and every entry takes the next free place of its column. Which entry comes first inside a column
// is left to chance, once: after that every product reads the same arrays and gives the same bits.
//
//   HOMO  1: one weight for all entries, which is not copied     TYPE  of weights
#include "csrmm/element.cuh"

// The row of entry j: the last whose first entry is not beyond it. Rows without entries are passed.
__device__ __forceinline__ int row_of_entry(const int* __restrict__ indptr, int m, int j) {
  int low = 0, high = m - 1;
  while (low < high) {
    const int middle = static_cast<int>((static_cast<long long>(low) + high + 1) / 2);
    if (indptr[middle] <= j) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

extern "C" __global__ void csc_count(const int* __restrict__ indices,  // [nnz]
                                     int* __restrict__ counts,         // [k], zeroed
                                     int nnz) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j < nnz) atomicAdd(counts + indices[j], 1);
}

extern "C" __global__ void csc_fill(const int* __restrict__ indptr,       // [m + 1]
                                    const int* __restrict__ indices,      // [nnz]
                                    const Element* __restrict__ weights,  // [nnz], [1] when HOMO
                                    const int* __restrict__ csc_indptr,   // [k + 1]
                                    int* __restrict__ counts,           // [k], counted down to zero
                                    int* __restrict__ csc_indices,      // [nnz] rows of A
                                    Element* __restrict__ csc_weights,  // [nnz], unused when HOMO
                                    int m, int nnz) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= nnz) return;
  const int column = indices[j];
  const int place = csc_indptr[column] + atomicSub(counts + column, 1) - 1;
  csc_indices[place] = row_of_entry(indptr, m, static_cast<int>(j));
#if !HOMO
  csc_weights[place] = weights[j];
#endif
}
