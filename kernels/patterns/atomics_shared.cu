// kernels/patterns/atomics_shared.cu: a block adds into bins of its own, then adds those once.
//
// Against atomics_global: contention stays inside the multiprocessor, and L2 sees one atomic a bin
// and block. A floating-point atomic on shared memory is a loop of compare and swap, so lanes that
// share a bin repeat it: look at warp instructions and active lanes as contention rises.

extern "C" __global__ void __launch_bounds__(256)
    atomics_shared(const float* __restrict__ x,  // [n]
                   const int* __restrict__ key,  // [n], 0 ≤ key < bins
                   float* __restrict__ y,        // [bins], zeroed
                   long long n, int bins, int per_block) {
  extern __shared__ float own[];  // [bins]
  for (int b = threadIdx.x; b < bins; b += blockDim.x) own[b] = 0.0f;
  __syncthreads();
  const long long begin = static_cast<long long>(blockIdx.x) * per_block;
  const long long end = min(begin + per_block, n);
  for (long long i = begin + threadIdx.x; i < end; i += blockDim.x) {
    atomicAdd(own + key[i], x[i]);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    if (own[b] != 0.0f) atomicAdd(y + b, own[b]);
  }
}
