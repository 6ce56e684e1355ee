// reference.cu: each piece of 256 elements from its end.
extern "C" __global__ void exact(const float* x,     // [n]
                                 double* reference,  // [n]
                                 int n) {
  const int begin = blockIdx.x * 256, size = min(256, n - begin);
  if (threadIdx.x < size) reference[begin + threadIdx.x] = x[begin + size - 1 - threadIdx.x];
}
