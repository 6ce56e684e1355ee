// tests/engine/planted_stalls/divergent_loop.cu: lane 31 makes 961 turns of a loop, lane 1 one.
extern "C" __global__ void __launch_bounds__(256)
    divergent_loop(float* __restrict__ y, int n, float a, float b) {
  const int lane = threadIdx.x & 31;
  float sum = lane;
#pragma unroll 1
  for (int j = 0; j < lane * lane; ++j) {
    sum = sum * a + b;
  }
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
