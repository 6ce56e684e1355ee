// kernels/patterns/structures_vectors.cu: an array of structures, read in 16-byte halves.
//
// Against structures_fields: one request brings four fields of 32 structures. It still touches 32
// sectors, but uses 16 of their 32 bytes instead of 4, and there are a quarter as many requests.
// Fields of a half that nobody asked for come along for nothing.
//
//   FIELDS  fields that are summed: 1 … 8

extern "C" __global__ void __launch_bounds__(256)
    structures_vectors(const float4* __restrict__ x,  // [count, 2]
                       float* __restrict__ y,         // [count]
                       long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float4 low = x[i * 2];
  float sum = low.x;
  if (FIELDS > 1) sum += low.y;
  if (FIELDS > 2) sum += low.z;
  if (FIELDS > 3) sum += low.w;
  if (FIELDS > 4) {
    const float4 high = x[i * 2 + 1];
    sum += high.x;
    if (FIELDS > 5) sum += high.y;
    if (FIELDS > 6) sum += high.z;
    if (FIELDS > 7) sum += high.w;
  }
  y[i] = sum;
}
