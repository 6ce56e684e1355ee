// kernels/esmm/bf16_wgmma.cu: what remains of K in whole words of 32, by wgmma on bfloat16.
//
// Against class_lists_bf16: a block lists the words of K that any of its groups needs, boxes of
// both operands come by the copy unit, swizzled, and two warpgroups multiply them where they lie,
// 16 k an instruction; of a word's two halves one may be left out. Nothing is packed: only the
// numbers are rounded before. Look at the share of words that can be left out: of random bits none
// at all, of zeros in whole blocks of k, or of a causal matrix, as many as there are.
#include "tensor_copy.cuh"

namespace {
constexpr int kRows = 128, kColumns = 128, kDepth = 32, kThreads = 256, kStages = 6;
constexpr int kListed = 1024;  // words of one list
constexpr int kBytesOfA = kRows * kDepth * 2, kBytesOfB = kColumns * kDepth * 2;
constexpr int kHalfOfB = kBytesOfB / 2;  // a box of 64 columns

struct Shared {
  unsigned char a[kStages][kBytesOfA];  // a row is 64 bytes, swizzled
  unsigned char b[kStages][kBytesOfB];  // two boxes of 64 columns; a row is one k, 128 bytes
  unsigned long long full[kStages];
  unsigned of_word[kListed];
  unsigned short word[kListed];
  int of_warp[kThreads / 32];
};

// source: PTX ISA, "Matrix Descriptor Format". `mode` 1 is a swizzle of 128 bytes, 2 of 64.
__device__ __forceinline__ unsigned long long descriptor(unsigned address, int leading, int stride,
                                                         unsigned long long mode) {
  return (address & 0x3ffff) >> 4 | static_cast<unsigned long long>(leading >> 4) << 16 |
         static_cast<unsigned long long>(stride >> 4) << 32 | mode << 62;
}

#define SUMS_8(i)                                                                             \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
// d += a · b of 64 × 128 and 16 k: A with k innermost, B with columns innermost.
__device__ __forceinline__ void multiply(float (&d)[64], unsigned long long a,
                                         unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, "
      "1;\n}"
      : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)
      : "l"(a), "l"(b), "r"(1));
}
// Keeps the compiler from moving uses of the sums across.
__device__ __forceinline__ void hold(float (&d)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

// Lists the words from `first` on that any pair of the block's groups needs, with what it needs.
__device__ int list_words(Shared& shared, const unsigned* a_pattern, const unsigned* b_pattern,
                          long long m, long long n, long long words, long long first) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long row = blockIdx.y * static_cast<long long>(kRows);
  const long long column = blockIdx.x * static_cast<long long>(kColumns);
  int listed = 0;
  for (int from = 0; from < kListed && first + from < words; from += kThreads) {
    const long long word = first + from + threadIdx.x;
    unsigned a = 0, b = 0;
    if (word < words) {
#pragma unroll
      for (int g = 0; g < kRows; g += 32)
        if (row + g < m) a |= a_pattern[(row + g) / 32 * words + word];
#pragma unroll
      for (int g = 0; g < kColumns; g += 32)
        if (column + g < n) b |= b_pattern[(column + g) / 32 * words + word];
    }
    const unsigned those = __ballot_sync(0xffffffffu, (a & b) != 0);
    if (lane == 0) shared.of_warp[warp] = __popc(those);
    __syncthreads();
    int at = listed + __popc(those & ((1u << lane) - 1));
#pragma unroll
    for (int w = 0; w < kThreads / 32; ++w) {
      at += w < warp ? shared.of_warp[w] : 0;
      listed += shared.of_warp[w];
    }
    if ((a & b) != 0) {
      shared.word[at] = static_cast<unsigned short>(from + threadIdx.x);
      shared.of_word[at] = a & b;
    }
    __syncthreads();
  }
  return listed;
}
}  // namespace

extern "C" __global__ void __launch_bounds__(256, 2)
    bf16_wgmma(const __grid_constant__ TensorMap a,     // bf16 [m][k], boxes of 32 k × 128 rows
               const __grid_constant__ TensorMap b,     // bf16 [k][n], boxes of 64 columns × 32 k
               const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
               const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
               float* __restrict__ c,                   // [m][n], n a multiple of 8
               long long m, long long n, long long k) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const long long words = (k + kDepth - 1) / kDepth;
  const long long row = blockIdx.y * static_cast<long long>(kRows);
  const long long column = blockIdx.x * static_cast<long long>(kColumns);
  const int group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < kStages; ++stage)
      barrier_init(shared_address(&shared.full[stage]), 1);
    barrier_init_fence();
  }
  __syncthreads();
  float d[64] = {};
  unsigned begun = 0, done = 0;  // stages since the kernel began: their ring goes on
  for (long long first = 0; first < words; first += kListed) {
    const int listed = list_words(shared, a_pattern, b_pattern, m, n, words, first);
    const auto begin = [&](int i) {
      if (i >= listed) return;
      const unsigned stage = begun++ % kStages, full = shared_address(&shared.full[stage]);
      if (threadIdx.x != 0) return;
      const int k_of_word = static_cast<int>((first + shared.word[i]) * kDepth);
      barrier_arrive_expecting(full, kBytesOfA + kBytesOfB);
      copy_box(shared_address(shared.a[stage]), a, k_of_word, static_cast<int>(row), full);
      for (int half = 0; half < 2; ++half)
        copy_box(shared_address(shared.b[stage] + half * kHalfOfB), b,
                 static_cast<int>(column) + half * 64, k_of_word, full);
    };
    for (int i = 0; i < kStages - 1; ++i) begin(i);
#pragma unroll 1
    for (int i = 0; i < listed; ++i, ++done) {
      const unsigned stage = done % kStages;
      barrier_wait(shared_address(&shared.full[stage]), done / kStages % 2);
      const unsigned of_word = shared.of_word[i];
      hold(d);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        if ((of_word >> half * 16 & 0xffff) == 0) continue;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        multiply(
            d,
            descriptor(shared_address(shared.a[stage]) + group * 64 * kDepth * 2 + half * 32, 16,
                       8 * 64, 2),
            descriptor(shared_address(shared.b[stage]) + half * 16 * 128, kHalfOfB, 8 * 128, 1));
      }
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      hold(d);
      __syncthreads();  // all have left stage i
      begin(i + kStages - 1);
    }
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x % 128 / 32;
#pragma unroll
  for (int i = 0; i < 64; i += 2) {
    const long long to = row + group * 64 + warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const long long at = column + i / 4 * 8 + lane % 4 * 2;
    if (to < m && at < n) *reinterpret_cast<float2*>(c + to * n + at) = make_float2(d[i], d[i + 1]);
  }
}
