// kernels/roofs/tensor_wgmma.cu: products of shared memory by wgmma that keep the tensor cores
// full.
//
//   TYPE  of the operands: see tensor_operands.cuh; sums are f32, or 32-bit integers of bytes
//
// One product is 64×128 by 32 bytes of k: 16 of f16 and bf16, 8 of tf32, 32 of bytes; A and B lie
// in shared memory, both with k innermost and without swizzle. Four slices of k take turns. source:
// PTX ISA, "Asynchronous warpgroup level matrix instructions"
#include "roofs/tensor_operands.cuh"

#define REGISTERS                                                                    \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "           \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#if TYPE == 3
using Sum = int;
#define SUM "+r"
#define SHAPE "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8"
#define SCALES "p"
#else
using Sum = float;
#define SUM "+f"
#if TYPE == 0
#define SHAPE "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"
#define SCALES "p, 1, 1, 0, 0"
#elif TYPE == 1
#define SHAPE "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16"
#define SCALES "p, 1, 1, 0, 0"
#else
#define SHAPE "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32"
#define SCALES "p, 1, 1"
#endif
#endif
#define SUM8(i)                                                                         \
  SUM(d[i]), SUM(d[i + 1]), SUM(d[i + 2]), SUM(d[i + 3]), SUM(d[i + 4]), SUM(d[i + 5]), \
      SUM(d[i + 6]), SUM(d[i + 7])

constexpr int kRows = 64, kColumns = 128, kSlices = 4;
constexpr int kSliceBytes = 32;  // of a row of A and of a column of B: one product's k
// Eight rows of 16 bytes lie together; the two halves of a slice are neighbours.
constexpr int kCoreBytes = 128, kGroupBytes = 2 * kCoreBytes;
constexpr int kBytesOfA = kRows * kSliceBytes, kBytesOfB = kColumns * kSliceBytes;

// Where byte `k` of a slice of row (of B: column) `row` lies in its tile.
__device__ __forceinline__ int place(int row, int k) {
  return row / 8 * kGroupBytes + k / 16 * kCoreBytes + row % 8 * 16 + k % 16;
}

__device__ __forceinline__ unsigned long long description(const void* tile) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  return (address & 0x3ffffull) >> 4 | static_cast<unsigned long long>(kCoreBytes >> 4) << 16 |
         static_cast<unsigned long long>(kGroupBytes >> 4) << 32;
}

__device__ __forceinline__ void begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void end() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

// d += a · b, with what the lanes of a warpgroup hold of d.
__device__ __forceinline__ void multiply(Sum (&d)[64], unsigned long long a, unsigned long long b) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n" SHAPE " {" REGISTERS
               "}, %64, %65, " SCALES ";\n}"
               : SUM8(0), SUM8(8), SUM8(16), SUM8(24), SUM8(32), SUM8(40), SUM8(48), SUM8(56)
               : "l"(a), "l"(b), "r"(1));
}

// 4 · kSlices products per warpgroup and turn; two warpgroups per block and one block per SM.
extern "C" __global__ void __launch_bounds__(256) roof_wgmma(Sum* sink, int turns) {
  __shared__ __align__(128) unsigned a[kSlices][kBytesOfA / 4], b[kSlices][kBytesOfB / 4];
  for (int i = threadIdx.x; i < kSlices * kBytesOfA / 4; i += blockDim.x)
    a[0][i] = random_operands(blockIdx.x * 65536 + i);
  for (int i = threadIdx.x; i < kSlices * kBytesOfB / 4; i += blockDim.x)
    b[0][i] = random_operands(blockIdx.x * 65536 + 32768 + i);
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  Sum d[64] = {};
  for (int turn = 0; turn < turns; ++turn) {
    begin();
#pragma unroll
    for (int i = 0; i < 4 * kSlices; ++i)
      multiply(d, description(a[i % kSlices]), description(b[i % kSlices]));
    end();
  }
  Sum sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) sum += d[i];
  if (sum == static_cast<Sum>(1234567891)) *sink = sum;
}

// One product of given operands, which shows that the tiles lie as the instruction takes them.
extern "C" __global__ void __launch_bounds__(128)
    wgmma_once(const unsigned char* __restrict__ left,   // [64, 32 bytes]
               const unsigned char* __restrict__ right,  // [128, 32 bytes]: columns of B
               Sum* __restrict__ out) {                  // [64, 128]
  __shared__ __align__(128) unsigned char a[kBytesOfA], b[kBytesOfB];
  for (int i = threadIdx.x; i < kBytesOfA; i += blockDim.x)
    a[place(i / kSliceBytes, i % kSliceBytes)] = left[i];
  for (int i = threadIdx.x; i < kBytesOfB; i += blockDim.x)
    b[place(i / kSliceBytes, i % kSliceBytes)] = right[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  Sum d[64] = {};
  begin();
  multiply(d, description(a), description(b));
  end();
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < 64; ++i) {
    const int row = warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const int column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    out[row * kColumns + column] = d[i];
  }
}
