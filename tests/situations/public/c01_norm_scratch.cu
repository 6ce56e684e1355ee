// tests/situations/public/c01_norm_scratch.cu: a row norm whose block sums go to the front of shared memory and whose row is kept after them.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    cudaError_t e = (call);                                              \
    if (e != cudaSuccess) {                                              \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(e));               \
      std::exit(1);                                                      \
    }                                                                    \
  } while (0)

template <int VEC>
struct alignas(VEC * sizeof(float)) Pack {
  float v[VEC];
};

template <int VEC>
__global__ void rms_norm_kernel(const float* __restrict__ in, const float* __restrict__ gain,
                                float* __restrict__ out, int width, int num_warps, float eps) {
  extern __shared__ float scratch[];
  float* row = scratch + num_warps;  // sums of the warps stand first
  const int tid = threadIdx.y * 32 + threadIdx.x;
  const float* src = in + (size_t)blockIdx.x * width;
  float sum = 0.f;
  for (int i = tid * VEC; i < width; i += num_warps * 32 * VEC) {
    Pack<VEC> p = *reinterpret_cast<const Pack<VEC>*>(src + i);
#pragma unroll
    for (int k = 0; k < VEC; ++k) sum += p.v[k] * p.v[k];
    *reinterpret_cast<Pack<VEC>*>(row + i) = p;
  }
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x == 0) scratch[threadIdx.y] = sum;
  __syncthreads();
  if (threadIdx.y == 0) {
    sum = threadIdx.x < num_warps ? scratch[threadIdx.x] : 0.f;
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, d);
    if (threadIdx.x == 0) scratch[0] = sum;
  }
  __syncthreads();
  const float scale = rsqrtf(scratch[0] / width + eps);
  for (int i = tid * VEC; i < width; i += num_warps * 32 * VEC) {
    Pack<VEC> p = *reinterpret_cast<Pack<VEC>*>(row + i);
    Pack<VEC> g = *reinterpret_cast<const Pack<VEC>*>(gain + i);
#pragma unroll
    for (int k = 0; k < VEC; ++k) p.v[k] *= scale * g.v[k];
    *reinterpret_cast<Pack<VEC>*>(out + (size_t)blockIdx.x * width + i) = p;
  }
}

int main() {
  const int rows = 8, width = 3584, num_warps = 28;  // 7 warps where a row is 896
  std::vector<float> h(rows * width, 0.5f);
  float *in, *gain, *out;
  CHECK(cudaMalloc(&in, h.size() * 4));
  CHECK(cudaMalloc(&gain, width * 4));
  CHECK(cudaMalloc(&out, h.size() * 4));
  CHECK(cudaMemcpy(in, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
  const int warps = num_warps - 1;  // not a multiple of four
  rms_norm_kernel<4><<<rows, dim3(32, warps), (warps + width) * sizeof(float)>>>(in, gain, out, width, warps, 1e-6f);
  CHECK(cudaDeviceSynchronize());
}
