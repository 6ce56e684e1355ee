// kernels/deform/expected.cu: the output that a file holds, in place of a reference's values.
#include <cuda_fp16.h>

extern "C" __global__ void expected(const __half* __restrict__ file,  // [outputs]
                                    double* __restrict__ reference,   // [outputs]
                                    long long outputs) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < outputs) reference[i] = static_cast<double>(__half2float(file[i]));
}
