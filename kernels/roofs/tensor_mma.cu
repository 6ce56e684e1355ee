// kernels/roofs/tensor_mma.cu: products of registers by mma.sync that keep the tensor cores full.
//
//   TYPE  of the operands: see tensor_operands.cuh; sums are f32, or 32-bit integers of bytes
//
// Eight independent sums a warp. One product is 16×8 by 32 bytes of k: 16 of f16 and bf16, 8 of
// tf32, 32 of bytes.
#include "roofs/tensor_operands.cuh"

#if TYPE == 3
using Sum = int;
#define SUM "+r"
#define SHAPE "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"
#else
using Sum = float;
#define SUM "+f"
#if TYPE == 0
#define SHAPE "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
#elif TYPE == 1
#define SHAPE "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
#else
#define SHAPE "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"
#endif
#endif

constexpr int kSums = 8;

// 4 · kSums products per warp and turn.
extern "C" __global__ void __launch_bounds__(256) roof_mma(Sum* sink, int turns) {
  const unsigned own = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  unsigned a[4][4], b[kSums][2];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int r = 0; r < 4; ++r) a[i][r] = random_operands(own + i * 4 + r);
  }
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
#pragma unroll
    for (int r = 0; r < 2; ++r) b[i][r] = random_operands(own + 16 + i * 2 + r);
  }
  // Said to change here, or the compiler makes them anew in the loop to save registers.
#pragma unroll
  for (int i = 0; i < 4; ++i)
    asm volatile("" : "+r"(a[i][0]), "+r"(a[i][1]), "+r"(a[i][2]), "+r"(a[i][3]));
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+r"(b[i][0]), "+r"(b[i][1]));
  Sum d[kSums][4] = {};
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
#pragma unroll
      for (int i = 0; i < kSums; ++i) {
        asm volatile(SHAPE " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : SUM(d[i][0]), SUM(d[i][1]), SUM(d[i][2]), SUM(d[i][3])
                     : "r"(a[k][0]), "r"(a[k][1]), "r"(a[k][2]), "r"(a[k][3]), "r"(b[i][0]),
                       "r"(b[i][1]));
      }
    }
  }
  Sum sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += d[i][0] + d[i][1] + d[i][2] + d[i][3];
  if (sum == static_cast<Sum>(1234567891)) *sink = sum;
}
