// kernels/csrmm/convert.cu: prepare steps that give libraries the form of A they need.

// One weight an entry, for libraries that have no notion of a shared weight.
extern "C" __global__ void expand_weight(const float* __restrict__ weight,  // [1]
                                         float* __restrict__ weights,       // [nnz]
                                         long long nnz) {
  const long long j = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j < nnz) weights[j] = weight[0];
}

// Adds the entries into a zeroed dense matrix; duplicates are summed.
extern "C" __global__ void densify(const int* __restrict__ indptr,     // [m + 1]
                                   const int* __restrict__ indices,    // [nnz]
                                   const float* __restrict__ weights,  // [nnz], [1] when HOMO
                                   float* __restrict__ dense,          // [m, k], zeroed
                                   int m, int k) {
  const long long row = static_cast<long long>(blockIdx.x) * 8 + threadIdx.y;
  if (row >= m) return;
  for (int j = indptr[row] + threadIdx.x; j < indptr[row + 1]; j += 32) {
#if HOMO
    const float weight = weights[0];
#else
    const float weight = weights[j];
#endif
    atomicAdd(dense + row * k + indices[j], weight);
  }
}
