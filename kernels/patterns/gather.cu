// kernels/patterns/gather.cu: each lane loads the element that its index names.
//
// Indices are read in order (4 sectors per request); what they name is where it is. With locality 1
// neighbouring lanes name neighbours and the gather is a copy; with locality 0 each lane names a
// sector of its own, 32 bytes come for 4, and which level serves them decides the time. Look at
// sectors per load request and at the hit rates.

extern "C" __global__ void __launch_bounds__(256)
    gather(const float* __restrict__ x,    // [n]
           const int* __restrict__ index,  // [n], 0 ≤ index < n
           float* __restrict__ y,          // [n]
           long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}
