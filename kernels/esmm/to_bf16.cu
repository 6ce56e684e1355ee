// kernels/esmm/to_bf16.cu: values rounded to bfloat16, to nearest, for products that take nothing
// else.

#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(256) to_bf16(const float* __restrict__ x,    // [count]
                                                          __nv_bfloat16* __restrict__ y,  // [count]
                                                          long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) y[i] = __float2bfloat16_rn(x[i]);
}
