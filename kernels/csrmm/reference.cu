// kernels/csrmm/reference.cu: every output in double precision, with the scales of its error bound.
//
// One thread an element, plain loops, nothing shared with the variants. accumulation = Σ|a||b|·√L
// where L is the number of terms; magnitude = Σ|a||b|.
//
//   HOMO  1: one weight for all entries     SKIP_ZERO  1: terms whose b is zero do not exist

#if HOMO
#define WEIGHT(j) static_cast<double>(weights[0])
#else
#define WEIGHT(j) static_cast<double>(weights[j])
#endif

extern "C" __global__ void csrmm_reference_nt(const int* indptr,     // [m + 1]
                                              const int* indices,    // [nnz]
                                              const float* weights,  // [nnz], [1] when HOMO
                                              const float* b,        // [k, n]
                                              double* reference,     // [m, n]
                                              double* accumulation,  // [m, n]
                                              double* magnitude,     // [m, n]
                                              long long m, long long n) {
  const long long row = blockIdx.x;
  const long long column = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0.0, absolute = 0.0;
  const int begin = indptr[row], end = indptr[row + 1];
  for (int j = begin; j < end; ++j) {
    const double value = b[static_cast<long long>(indices[j]) * n + column];
#if SKIP_ZERO
    if (value == 0.0) continue;
#endif
    sum += WEIGHT(j) * value;
    absolute += fabs(WEIGHT(j) * value);
  }
  const long long i = row * n + column;
  reference[i] = sum;
  magnitude[i] = absolute;
  accumulation[i] = absolute * sqrt(static_cast<double>(end - begin));
}

extern "C" __global__ void csrmm_reference_t(const int* indptr,     // [m + 1]
                                             const int* indices,    // [nnz]
                                             const float* weights,  // [nnz], [1] when HOMO
                                             const float* b,        // [m, n]
                                             double* reference,     // [k, n], zeroed
                                             double* accumulation,  // [k, n], zeroed, left alone
                                             double* magnitude,     // [k, n], zeroed
                                             long long m, long long n) {
  const long long row = blockIdx.x;
  const long long column = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  const double value = b[row * n + column];
#if SKIP_ZERO
  if (value == 0.0) return;
#endif
  for (int j = indptr[row]; j < indptr[row + 1]; ++j) {
    const long long i = static_cast<long long>(indices[j]) * n + column;
    atomicAdd(reference + i, WEIGHT(j) * value);
    atomicAdd(magnitude + i, fabs(WEIGHT(j) * value));
  }
}

// L of an output row of Aᵀ is the number of entries in that column of A.
extern "C" __global__ void csrmm_reference_t_scale(const int* column_counts,  // [k]
                                                   const double* magnitude,   // [k, n]
                                                   double* accumulation,      // [k, n]
                                                   long long k, long long n) {
  const long long row = blockIdx.x;
  const long long column = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= k || column >= n) return;
  accumulation[row * n + column] =
      magnitude[row * n + column] * sqrt(static_cast<double>(column_counts[row]));
}
