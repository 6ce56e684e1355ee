// tests/exercises/scan/slow_serial_shared.cu: loads once, but each thread still adds up all numbers
// before its own.
extern "C" __global__ void scan(const int* __restrict__ x,  // [n]
                                int* __restrict__ y,        // [n]
                                int n) {
  __shared__ int part[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  int sum = 0;
  for (int j = 0; j <= threadIdx.x; ++j) sum += part[j];
  if (i < n) y[i] = sum;
}
