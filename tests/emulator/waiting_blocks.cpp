// tests/emulator/waiting_blocks.cpp: right kernels whose blocks wait for each other.
#include "tests/emulator/waiting_blocks.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {

#define KERNEL "extern \"C\" __global__ void k(int* data, int* flag, int* out, int n) {\n"

const std::vector<GoodKernel>& good_waiting_kernels() {
  static const std::vector<GoodKernel> kernels = {
      {"the last block adds up, as in the programming guide", 16, 64, 1,
       [](int) { return 1024 * 1025 / 2; },
       "__device__ int partial[64];\n__device__ unsigned int done;\n" KERNEL
       "  __shared__ int s[64];\n  __shared__ bool last;\n  int t = threadIdx.x;\n"
       "  s[t] = data[blockIdx.x * 64 + t];\n  __syncthreads();\n"
       "  for (int d = 32; d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
       "  if (t == 0) {\n    partial[blockIdx.x] = s[0];\n    __threadfence();\n"
       "    last = atomicInc(&done, gridDim.x) == gridDim.x - 1;\n  }\n  __syncthreads();\n"
       "  if (!last) return;\n  s[t] = t < gridDim.x ? partial[t] : 0;\n  __syncthreads();\n"
       "  for (int d = 32; d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
       "  if (t == 0) { out[0] = s[0]; done = 0; }\n}"},
      {"every thread fences, one counts, the last block reads", 8, 64, 64,
       [](int t) {
         int sum = 0;
         for (int b = 0; b < 8; ++b) sum += (b * 64 + t + 1) * 2;
         return sum;
       },
       "__device__ int kept[512];\n__device__ int done;\n" KERNEL
       "  __shared__ bool last;\n  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n"
       "  kept[i] = data[i] * 2;\n  __threadfence();\n  __syncthreads();\n"
       "  if (t == 0) last = atomicAdd(&done, 1) == gridDim.x - 1;\n  __syncthreads();\n"
       "  if (last) { int sum = 0; for (int b = 0; b < gridDim.x; ++b) sum += kept[b * 64 + t];\n"
       "    out[t] = sum; }\n}"},
      {"a decoupled look-back scan of sums and states beside each other", 32, 32, 32,
       [](int b) {
         const int last = (b + 1) * 32;
         return last * (last + 1) / 2;
       },
       "__device__ int sums[64], prefixes[64];\n__device__ int ticket;\n" KERNEL
       "  __shared__ int tile;\n  int t = threadIdx.x;\n"
       "  if (t == 0) tile = atomicAdd(&ticket, 1);\n  __syncthreads();\n"
       "  int b = tile, x = data[b * 32 + t];\n"
       "  for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);\n"
       "  if (t == 0) {\n    volatile int* state = flag;\n    int before = 0;\n"
       "    if (b == 0) { prefixes[0] = x; __threadfence(); state[0] = 2; }\n    else {\n"
       "      sums[b] = x; __threadfence(); state[b] = 1;\n"
       "      for (int p = b - 1;; --p) {\n        int s;\n"
       "        while ((s = state[p]) == 0) {}\n        __threadfence();\n"
       "        before += s == 2 ? prefixes[p] : sums[p];\n        if (s == 2) break;\n      }\n"
       "      prefixes[b] = before + x; __threadfence(); state[b] = 2;\n    }\n"
       "    out[b] = before + x;\n  }\n}"},
      {"a look-back over packed words, from the last tile on", 32, 32, 32,
       [](int b) {
         const int last = (b + 1) * 32;
         return last * (last + 1) / 2;
       },
       "__device__ unsigned long long words[64];\n" KERNEL
       "  int t = threadIdx.x, b = gridDim.x - 1 - blockIdx.x, x = data[b * 32 + t];\n"
       "  for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);\n"
       "  if (t == 0) {\n    unsigned long long before = 0;\n    if (b > 0) {\n"
       "      unsigned long long w;\n"
       "      while (((w = atomicAdd(words + b - 1, 0ull)) >> 62) == 0) {}\n"
       "      before = w & 0xffffffffull;\n    }\n"
       "    atomicExch(words + b, before + x | 1ull << 62);\n    out[b] = before + x;\n  }\n}"},
      {"a ticket lock", 24, 32, 1, [](int) { return 24 * 25 / 2; },
       "__device__ int next, serving, sum;\n" KERNEL
       "  if (threadIdx.x == 0) {\n    int mine = atomicAdd(&next, 1);\n"
       "    while (*(volatile int*)&serving != mine) {}\n    __threadfence();\n"
       "    sum += blockIdx.x + 1;\n    out[0] = sum;\n    __threadfence();\n"
       "    atomicAdd(&serving, 1);\n  }\n}"},
      {"a lock by compare and swap", 24, 32, 1, [](int) { return 24 * 25 / 2; },
       "__device__ int lock, sum;\n" KERNEL
       "  if (threadIdx.x == 0) {\n    while (atomicCAS(&lock, 0, 1) != 0) __nanosleep(20);\n"
       "    __threadfence();\n    sum += blockIdx.x + 1;\n    out[0] = sum;\n"
       "    __threadfence();\n    atomicExch(&lock, 0);\n  }\n}"},
      {"a lock taken by each lane of a warp", 1, 32, 1, [](int) { return 33 * 16; },
       "__device__ int lock, sum;\n" KERNEL
       "  bool done = false;\n  while (!done) {\n    if (atomicCAS(&lock, 0, 1) == 0) {\n"
       "      __threadfence();\n      *(volatile int*)&sum = *(volatile int*)&sum + threadIdx.x + "
       "1;\n"
       "      out[0] = *(volatile int*)&sum;\n      __threadfence();\n      atomicExch(&lock, 0);\n"
       "      done = true;\n    }\n  }\n}"},
      {"a barrier of the grid, six times", 12, 64, 768,
       [](int i) {
         int b = i / 64;
         for (int r = 0; r < 6; ++r) b = (b + 1) % 12;
         return b * 64 + i % 64 + 1;
       },
       "__device__ int count;\n__device__ int kept[2][768];\n" KERNEL
       "  int t = threadIdx.x, i = blockIdx.x * 64 + t;\n  kept[0][i] = data[i];\n"
       "  for (int r = 0; r < 6; ++r) {\n    __syncthreads();\n"
       "    if (t == 0) {\n      __threadfence();\n      atomicAdd(&count, 1);\n"
       "      while (*(volatile int*)&count < (r + 1) * gridDim.x) {}\n      __threadfence();\n    "
       "}\n"
       "    __syncthreads();\n"
       "    kept[(r + 1) & 1][i] = kept[r & 1][(i + 64) % (gridDim.x * 64)];\n  }\n"
       "  out[i] = kept[0][i];\n}"},
      {"the first block waits for the last", 40, 32, 1, [](int) { return 40; },
       KERNEL
       "  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {\n    data[0] = gridDim.x;\n"
       "    __threadfence();\n    atomicExch(flag, 1);\n  }\n"
       "  if (blockIdx.x == 0 && threadIdx.x == 0) {\n    while (atomicAdd(flag, 0) == 0) {}\n"
       "    __threadfence();\n    out[0] = data[0];\n  }\n}"},
      {"each block waits for the next one", 64, 32, 64, [](int b) { return 64 - b; },
       KERNEL
       "  if (threadIdx.x != 0) return;\n  int b = blockIdx.x, x = 0;\n"
       "  if (b + 1 < gridDim.x) {\n    while (((volatile int*)flag)[b + 1] == 0) {}\n"
       "    __threadfence();\n    x = out[b + 1];\n  }\n  out[b] = x + 1;\n  __threadfence();\n"
       "  ((volatile int*)flag)[b] = 1;\n}"},
      {"stream-K: a tile's owner adds what others left in a workspace", 8, 64, 64,
       [](int t) {
         int sum = 0;
         for (int b = 0; b < 8; ++b) sum += b * 64 + t + 1;
         return sum;
       },
       "__device__ int workspace[512];\n" KERNEL
       "  int t = threadIdx.x, b = blockIdx.x, mine = data[b * 64 + t];\n"
       "  if (b > 0) {\n    workspace[b * 64 + t] = mine;\n    __syncthreads();\n"
       "    if (t == 0) { __threadfence(); atomicExch(flag + b, 1); }\n    return;\n  }\n"
       "  for (int o = 1; o < gridDim.x; ++o) {\n"
       "    if (t == 0) while (atomicCAS(flag + o, 1, 1) != 1) {}\n    __syncthreads();\n"
       "    mine += workspace[o * 64 + t];\n  }\n  out[t] = mine;\n}"},
      {"persistent blocks take work from a queue", 4, 32, 64, [](int i) { return 32 * i + 528; },
       "__device__ int next;\n" KERNEL "  __shared__ int item;\n  for (;;) {\n"
       "    if (threadIdx.x == 0) item = atomicAdd(&next, 1);\n    __syncthreads();\n"
       "    int i = item;\n    __syncthreads();\n    if (i >= 64) return;\n"
       "    int x = data[threadIdx.x] + i;\n"
       "    for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);\n"
       "    if (threadIdx.x == 0) out[i] = x;\n  }\n}"},
      {"a histogram by atomics", 16, 64, 8, [](int) { return 127; },
       KERNEL "  atomicAdd(out + data[blockIdx.x * 64 + threadIdx.x] % 8, 1);\n}"},
      {"flags by release and acquire", 2, 64, 64, [](int t) { return 3 * (t + 1); },
       KERNEL
       "  int t = threadIdx.x, x;\n  if (blockIdx.x == 1) {\n    data[1024 + t] = data[t] * 3;\n"
       "    __syncthreads();\n    if (t == 0) asm volatile(\"st.release.gpu.global.u32 [%0], %1;\" "
       ":: \"l\"(flag), \"r\"(1) : \"memory\");\n    return;\n  }\n"
       "  do asm volatile(\"ld.acquire.gpu.global.u32 %0, [%1];\" : \"=r\"(x) : \"l\"(flag) : "
       "\"memory\"); while (x == 0);\n  out[t] = data[1024 + t];\n}"},
      {"a reduction with release semantics", 2, 64, 64, [](int t) { return t + 8; },
       KERNEL "  int t = threadIdx.x;\n  if (blockIdx.x == 1) {\n    data[2048 + t] = t + 8;\n"
              "    asm volatile(\"red.release.gpu.global.add.u32 [%0], 1;\" :: \"l\"(flag) : "
              "\"memory\");\n"
              "    return;\n  }\n  while (*(volatile int*)flag < 64) {}\n  __threadfence();\n"
              "  out[t] = data[2048 + t];\n}"},
      {"two blocks hand a value to and fro", 2, 32, 1, [](int) { return 41; },
       KERNEL
       "  if (threadIdx.x != 0) return;\n  volatile int* turn = flag;\n"
       "  for (int r = 0; r < 20; ++r) {\n    while (*turn != 2 * r + (blockIdx.x == 0)) {}\n"
       "    __threadfence();\n"
       "    data[0] += 1;\n    __threadfence();\n    *turn = *turn + 1;\n  }\n"
       "  if (blockIdx.x == 0) out[0] = data[0];\n}"},
      {"a wait with a time limit", 1, 32, 32, [](int) { return 5; },
       KERNEL "  long long start = clock64();\n"
              "  while (*(volatile int*)flag == 0 && clock64() - start < 2000000000ll) {}\n"
              "  out[threadIdx.x] = *(volatile int*)flag + 5;\n}"},
      {"a wait that sleeps longer and longer", 2, 32, 1, [](int) { return 1; },
       KERNEL "  unsigned ns = 8;\n  if (threadIdx.x != 0) return;\n"
              "  if (blockIdx.x == 1) { atomicExch(flag, 1); return; }\n"
              "  while (atomicAdd(flag, 0) == 0) { __nanosleep(ns); if (ns < 256) ns *= 2; }\n"
              "  out[0] = 1;\n}"},
      {"many blocks say that something changed", 16, 64, 1, [](int) { return 1; },
       KERNEL "  if (data[blockIdx.x * 64 + threadIdx.x] > 3) out[0] = 1;\n}"},
      {"warps of a block hand over through shared memory", 1, 64, 32,
       [](int t) { return 2 * (t + 1); },
       KERNEL
       "  __shared__ volatile int s[32], ready;\n  int t = threadIdx.x;\n"
       "  if (t == 0) ready = 0;\n  __syncthreads();\n"
       "  if (t < 32) { while (ready == 0) {} __threadfence_block(); out[t] = s[t]; return; }\n"
       "  for (int i = 0; i < 3000; ++i) s[t - 32] = data[t - 32] * (i & 1 ? 2 : 1);\n"
       "  __threadfence_block();\n  __syncwarp();\n  if (t == 32) ready = 1;\n}"},
      {"loops that are long, but count", 2, 32, 1, [](int) { return 0; },
       KERNEL "  unsigned long long x = 1;\n  for (int i = 0; i < 300000; ++i) {\n"
              "    x = x * 6364136223846793005ull + 1442695040888963407ull;\n"
              "    if (x == 0) out[1] = i;\n  }\n  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] "
              "= x == 0;\n}"},
      {"a loop of rounds in which nothing changes but a counter in shared memory", 1, 64, 1,
       [](int) { return 5000; },
       KERNEL
       "  __shared__ int count;\n  if (threadIdx.x == 0) count = 0;\n  __syncthreads();\n"
       "  while (true) {\n    __syncthreads();\n    if (*(volatile int*)&count == 5000) break;\n"
       "    __syncthreads();\n    if (threadIdx.x == 40) *(volatile int*)&count = count + 1;\n  }\n"
       "  if (threadIdx.x == 0) out[0] = count;\n}"},
  };
  return kernels;
}

#undef KERNEL

}  // namespace warpscope

#endif
