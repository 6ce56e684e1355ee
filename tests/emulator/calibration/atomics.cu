// tests/emulator/calibration/atomics.cu: atomics whose sectors and requests an H200 counted.
//
// Launched as the kernels of global.cu. With a used result the instruction is ATOM, else RED.

#define KERNEL(name)                                                                  \
  extern "C" __global__ void name(const float* __restrict__ x, float* __restrict__ y, \
                                  const int* __restrict__ index, int n)

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

// ptxas adds the lanes of a warp up first, and one of them goes to memory.
KERNEL(atomic_one_address) {
  const int i = element();
  int* sums = reinterpret_cast<int*>(y);
  sums[1024 + i] = atomicAdd(sums, i + 1);
}

KERNEL(atomic_own_address) {
  const int i = element();
  int* sums = reinterpret_cast<int*>(y);
  sums[4096 + i] = atomicAdd(sums + i, i + 1);
}

KERNEL(reduction_own_address) {
  const int i = element();
  atomicAdd(y + i, x[i]);
}

// Eight lanes on each of four addresses of one sector: eight passes, a sector each.
KERNEL(reduction_four_addresses) {
  const int i = element();
  atomicAdd(reinterpret_cast<int*>(y) + (i & 3), index[i]);
}
