// kernels/patterns/gather_in_flight.cu: a lane takes four neighbouring indices at once.
//
// Against gather: one 16-byte load brings four indices, the four elements they name are all under
// way before the first is used, and one 16-byte store ends it. A request now asks for every fourth
// index of 128, so with high locality it touches 16 sectors where gather touched 4. Look at the
// stall on memory, and at sectors per load request as locality rises.

extern "C" __global__ void __launch_bounds__(256)
    gather_in_flight(const float* __restrict__ x,     // [n]
                     const int4* __restrict__ index,  // [n / 4], 0 ≤ index < n
                     float4* __restrict__ y,          // [n / 4]
                     long long quads) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const int4 from = index[i];
  y[i] = make_float4(x[from.x], x[from.y], x[from.z], x[from.w]);
}
