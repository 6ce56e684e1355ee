// kernels/csrmm/reference.cu: every output in double precision, with the scales of its error bound.
//
// One thread per element, plain loops, nothing shared with the variants. accumulation = Σ|a||b|·√L
// where L is the number of terms; magnitude = Σ|a||b|.
//
//   HOMO  1: one weight for all entries     SKIP_ZERO  1: terms whose b is zero do not exist
//   TYPE  0: f32, 1: f16, 2: bf16, 3: f64: of weights and B
//
// A gather keeps what f64 rounds away, so that it can judge f64; atomics of a scatter cannot: its
// bound of four roundings a term, times the root of their number, holds both sums.
#if TYPE == 1
#include <cuda_fp16.h>
using Value = __half;
__device__ double wide(Value value) { return __half2float(value); }
#elif TYPE == 2
#include <cuda_bf16.h>
using Value = __nv_bfloat16;
__device__ double wide(Value value) { return __bfloat162float(value); }
#elif TYPE == 3
using Value = double;
__device__ double wide(Value value) { return value; }
#else
using Value = float;
__device__ double wide(Value value) { return value; }
#endif

#if HOMO
#define WEIGHT(j) wide(weights[0])
#else
#define WEIGHT(j) wide(weights[j])
#endif

extern "C" __global__ void csrmm_reference_nt(const int* indptr,     // [m + 1]
                                              const int* indices,    // [nnz]
                                              const Value* weights,  // [nnz], [1] when HOMO
                                              const Value* b,        // [k, n]
                                              double* reference,     // [m, n]
                                              double* accumulation,  // [m, n]
                                              double* magnitude,     // [m, n]
                                              long long m, long long n) {
  const long long row = blockIdx.x;
  const long long column = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  double sum = 0.0, rest = 0.0, absolute = 0.0;
  const int begin = indptr[row], end = indptr[row + 1];
  for (int j = begin; j < end; ++j) {
    const double value = wide(b[static_cast<long long>(indices[j]) * n + column]);
#if SKIP_ZERO
    if (value == 0.0) continue;
#endif
    const double weight = WEIGHT(j);
    const double product = __dmul_rn(weight, value), before = sum;
    sum = __dadd_rn(sum, product);
    absolute += fabs(product);
    if (!isfinite(sum) || !isfinite(product)) continue;
    const double taken = __dsub_rn(sum, before);
    rest += __dsub_rn(before, __dsub_rn(sum, taken)) + __dsub_rn(product, taken) +
            fma(weight, value, -product);
  }
  const long long i = row * n + column;
  reference[i] = isfinite(sum) ? sum + rest : sum;
  magnitude[i] = absolute;
  accumulation[i] = absolute * sqrt(static_cast<double>(end - begin));
}

extern "C" __global__ void csrmm_reference_t(const int* indptr,     // [m + 1]
                                             const int* indices,    // [nnz]
                                             const Value* weights,  // [nnz], [1] when HOMO
                                             const Value* b,        // [m, n]
                                             double* reference,     // [k, n], zeroed
                                             double* accumulation,  // [k, n], zeroed, left alone
                                             double* magnitude,     // [k, n], zeroed
                                             long long m, long long n) {
  const long long row = blockIdx.x;
  const long long column = static_cast<long long>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (row >= m || column >= n) return;
  const double value = wide(b[row * n + column]);
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
