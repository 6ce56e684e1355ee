// kernels/csrmm/gather_add.cu: write every product to memory, then add them: what "sparse" often
// means.
//
// The form that array programs take when no sparse library is called: gather rows of B, multiply,
// materialise nnz × n products, and add them by segment (NT) or by scatter (T). Look at DRAM
// traffic: the products alone are some eighty times the compulsory bytes.
//
//   HOMO  1: one weight for all entries

// Entry j of the CSR arrays belongs to row_of_entry[j]: the conversion to coordinate form. The loop
// is not unrolled: lanes need different numbers of turns, and ptxas would unroll it by 16, 8 and 4
// one after another, where lanes of a warp part and store in two halves.
extern "C" __global__ void expand_rows(const int* __restrict__ indptr,  // [m + 1]
                                       int* __restrict__ row_of_entry,  // [nnz]
                                       int m) {
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  if (row >= m) return;
#pragma unroll 1
  for (int j = indptr[row] + threadIdx.x; j < indptr[row + 1]; j += 32) row_of_entry[j] = row;
}

extern "C" __global__ void gather_multiply(const int* __restrict__ source,     // [nnz] rows of B
                                           const float* __restrict__ weights,  // [nnz] or [1]
                                           const float* __restrict__ b,        // [·, n]
                                           float* __restrict__ products,       // [nnz, n]
                                           long long elements, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const long long j = i / n;
  const int column = static_cast<int>(i - j * n);
#if HOMO
  const float weight = weights[0];
#else
  const float weight = weights[j];
#endif
  products[i] = weight * b[static_cast<long long>(source[j]) * n + column];
}

extern "C" __global__ void segment_add(const int* __restrict__ indptr,      // [m + 1]
                                       const float* __restrict__ products,  // [nnz, n]
                                       float* __restrict__ c,               // [m, n]
                                       int m, int n) {
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (row >= m || column >= n) return;
  float sum = 0.0f;
  for (int j = indptr[row]; j < indptr[row + 1]; ++j) {
    sum += products[static_cast<long long>(j) * n + column];
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void scatter_add(const int* __restrict__ indices,     // [nnz] rows of C
                                       const float* __restrict__ products,  // [nnz, n]
                                       float* __restrict__ c,               // [k, n]
                                       long long elements, int n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= elements) return;
  const long long j = i / n;
  atomicAdd(c + static_cast<long long>(indices[j]) * n + (i - j * n), products[i]);
}
