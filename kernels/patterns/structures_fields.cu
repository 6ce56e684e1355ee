// kernels/patterns/structures_fields.cu: an array of structures, read field by field.
//
// A structure has 8 fields of 4 bytes: exactly one sector. Each load takes one field of 32
// neighbouring structures: 32 sectors, of which 4 bytes each are used. The next field's load finds
// the same sectors in L1, so the waste shows in L1 first: look at sectors per load request beside
// the L1 load hit rate.
//
//   FIELDS  fields that are summed: 1 … 8

extern "C" __global__ void __launch_bounds__(256)
    structures_fields(const float* __restrict__ x,  // [count, 8]
                      float* __restrict__ y,        // [count]
                      long long count) {
  constexpr int kFields = 8;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  float sum = 0.0f;
#pragma unroll
  for (int f = 0; f < FIELDS; ++f) sum += x[i * kFields + f];
  y[i] = sum;
}
