// kernels/patterns/structures_arrays.cu: a structure of arrays: each field has an array of its own.
//
// Against structures_fields: the same sum, but a load takes 32 neighbouring values of one field: 4
// sectors, all bytes used, and fields that nobody reads are never fetched. The layout has to be
// made first: look at the prepare time and at the runs after which it is repaid.
//
//   FIELDS  fields that are summed: 1 … 8

extern "C" __global__ void __launch_bounds__(256)
    structures_arrays(const float* __restrict__ arrays,  // [8, count]
                      float* __restrict__ y,             // [count]
                      long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.0f;
#pragma unroll
  for (int f = 0; f < FIELDS; ++f) sum += arrays[f * count + i];
  y[i] = sum;
}

// The prepare step: field f of structure i goes to place i of array f.
extern "C" __global__ void __launch_bounds__(256)
    split_structures(const float* __restrict__ x,  // [count, 8]
                     float* __restrict__ arrays,   // [8, count]
                     long long count) {
  constexpr int kFields = 8;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma unroll
  for (int f = 0; f < kFields; ++f) arrays[f * count + i] = x[i * kFields + f];
}
