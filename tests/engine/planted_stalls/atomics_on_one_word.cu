// tests/engine/planted_stalls/atomics_on_one_word.cu: every lane of every warp adds to one word.
extern "C" __global__ void __launch_bounds__(256)
    atomics_on_one_word(float* __restrict__ total, float* __restrict__ y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < 4; ++j) {
    sum += atomicAdd(&total[0], 1.0f);
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
