// kernels/patterns/atomics_global.cu: every element is added to its bin by an atomic on L2.
//
// Nobody uses the old value, so the compiler makes it a reduction (RED), which L2 carries out.
// Lanes that share a bin are served one after another: with contention 32 a request is 32 passes.
// Look at the L2 reduction sectors.

extern "C" __global__ void __launch_bounds__(256)
    atomics_global(const float* __restrict__ x,  // [n]
                   const int* __restrict__ key,  // [n], 0 ≤ key < bins
                   float* __restrict__ y,        // [bins], zeroed
                   long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y + key[i], x[i]);
}
