// tests/emulator/hopper/wgmma.cuh: products of warpgroups, 64 × 64 a piece, for kernels of the
// tests.
#pragma once

#include "tensor_copy.cuh"

// source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions".

__device__ __forceinline__ void proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void warpgroup_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int left>
__device__ __forceinline__ void warpgroup_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(left) : "memory");
}
// Keeps the compiler from moving uses of the registers across.
template <typename T, int count>
__device__ __forceinline__ void hold(T (&d)[count]) {
#pragma unroll
  for (int i = 0; i < count; ++i) {
    if constexpr (sizeof(T) == 4 && T(1) / 2 != 0) {
      asm volatile("" : "+f"(d[i])::"memory");
    } else {
      asm volatile("" : "+r"(d[i])::"memory");
    }
  }
}

// Around products whose accumulators are d.
template <typename T, int count>
__device__ __forceinline__ void begin_products(T (&d)[count]) {
  hold(d);
  warpgroup_fence();
}
template <typename T, int count>
__device__ __forceinline__ void end_products(T (&d)[count]) {
  warpgroup_commit();
  warpgroup_wait<0>();
  hold(d);
}

// A thread's part of a tile with 16 rows per warp and 64 columns that begins at (row, column) of c.
template <typename T>
__device__ __forceinline__ void store_tile(T* c, int n, int row, int column, int thread,
                                           const T (&d)[32]) {
  const int lane = thread % 32;
  row += 16 * (thread / 32) + lane / 4;
  column += 2 * (lane % 4);
  for (int i = 0; i < 32; ++i) {
    c[static_cast<long long>(row + 8 * (i / 2 % 2)) * n + column + 8 * (i / 4) + i % 2] = d[i];
  }
}

// row_bytes: 16 without a swizzle, else 32, 64 or 128.
__device__ __forceinline__ unsigned long long descriptor(unsigned address, int leading, int stride,
                                                         int row_bytes) {
  const unsigned long long mode = row_bytes == 128  ? 1
                                  : row_bytes == 64 ? 2
                                  : row_bytes == 32 ? 3
                                                    : 0;
  return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | mode << 62;
}

// Where byte `at` of a tile that begins at a multiple of 1024 stands once it is swizzled.
__device__ __forceinline__ int swizzled(int at, int row_bytes) {
  return at ^ ((at >> 7 & (row_bytes / 16 - 1)) << 4);
}

#define LIST_8(c, d, i) \
  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3]), c(d[i + 4]), c(d[i + 5]), c(d[i + 6]), c(d[i + 7])
#define LIST_32(c, d) LIST_8(c, d, 0), LIST_8(c, d, 8), LIST_8(c, d, 16), LIST_8(c, d, 24)
#define NAMES_32                                                                                \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24," \
  "%25,%26,%27,%28,%29,%30,%31}"
// D += A · B with A and B in shared memory, and with A in registers. `tail` begins with a comma.
#define PRODUCT_SHARED(c, shape, tail, d, a, b, keep)                                          \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\nwgmma.mma_async.sync.aligned." shape \
               " " NAMES_32 ", %32, %33, p" tail ";\n}"                                        \
               : LIST_32(c, d)                                                                 \
               : "l"(a), "l"(b), "r"(keep))
#define PRODUCT_REGISTERS(c, shape, tail, d, f, b, keep)                                       \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\nwgmma.mma_async.sync.aligned." shape \
               " " NAMES_32 ", {%32,%33,%34,%35}, %36, p" tail ";\n}"                          \
               : LIST_32(c, d)                                                                 \
               : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "l"(b), "r"(keep))
