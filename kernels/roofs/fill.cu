// kernels/roofs/fill.cu: pseudo-random operands: zeros run faster than data and must never be
// timed.
#include <cuda_bf16.h>

__device__ __forceinline__ float noise(unsigned i) {
  i ^= i >> 16;
  i *= 0x7feb352du;
  i ^= i >> 15;
  i *= 0x846ca68bu;
  i ^= i >> 16;
  return static_cast<float>(i) * (2.0f / 4294967296.0f) - 1.0f;
}

extern "C" __global__ void fill_f32(float* values, long long count, unsigned seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    values[i] = noise(static_cast<unsigned>(i) * 2654435761u + seed);
  }
}

extern "C" __global__ void fill_bf16(__nv_bfloat16* values, long long count, unsigned seed) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    values[i] = __float2bfloat16(noise(static_cast<unsigned>(i) * 2654435761u + seed));
  }
}
