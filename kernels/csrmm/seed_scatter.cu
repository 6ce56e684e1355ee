// kernels/csrmm/seed_scatter.cu: t_scatter.cu in all readings of the original and all types.
//
// Atomics add in f32 or f64. In 16-bit storage they add to sums in f32 beside C, which a second
// step rounds: look at what its bytes cost beside the atomics.
//
//   HOMO  1: one weight for all entries     READ_ONLY  1: indices and weights through ld.global.nc
//   TYPE  stored.cuh                        INDEX_WIDTH, LAUNCH_BOUNDS  seed_reading.cuh
#include "csrmm/seed_reading.cuh"
#include "csrmm/stored.cuh"

template <typename T>
__device__ __forceinline__ T load(const T* p) {
#if READ_ONLY
  return __ldg(p);
#else
  return *p;
#endif
}

extern "C" __global__ void SEED_BOUNDS seed_scatter(const int* indptr,       // [m + 1]
                                                    const int* indices,      // [nnz]
                                                    const Element* weights,  // [nnz], [1] HOMO
                                                    const Element* b,        // [m, n]
                                                    Sum* sums,  // [k, n], zeroed: C, or beside it
                                                    int n) {
  const Index row = blockIdx.x;
  const int column = blockIdx.y * 32 + threadIdx.x;
  if (column >= n) return;
  const Sum value = loaded(load(b + row * n + column));
  if (value == 0) return;
  const int end = load(indptr + row + 1);
#if HOMO
  const Sum product = loaded(load(weights)) * value;
#endif
  for (int j = load(indptr + row); j < end; ++j) {
#if !HOMO
    const Sum product = loaded(load(weights + j)) * value;
#endif
    atomicAdd(sums + static_cast<Index>(load(indices + j)) * n + column, product);
  }
}

// What atomics have added, rounded to C's 16 bits.
extern "C" __global__ void round_sums(const Sum* __restrict__ sums,  // [k, n]
                                      Element* __restrict__ c,       // [k, n]
                                      long long elements) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < elements) c[i] = stored(sums[i]);
}
