// tests/engine/planted_stalls/tensor_pipe.cu: independent matrix products, as many as the tensor
// cores take.
// One line per statement, since a test names the line.
// clang-format off
extern "C" __global__ void __launch_bounds__(256)
    tensor_pipe(float* __restrict__ y, int n, int turns) {
  float c[8][4] = {};
  const unsigned a = threadIdx.x & 1, b = threadIdx.x & 2;
#pragma unroll 1
  for (int j = 0; j < turns; ++j) {
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%5,%5}, {%0,%1,%2,%3};" : "+f"(c[k][0]), "+f"(c[k][1]), "+f"(c[k][2]), "+f"(c[k][3]) : "r"(a), "r"(b));
    }
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += c[k][0] + c[k][1] + c[k][2] + c[k][3];
  y[(blockIdx.x * blockDim.x + threadIdx.x) & (n - 1)] = sum;
}
