// kernels/esmm/tf32_wgmma.cu: the active k of a tile, gathered side by side, by wgmma on TF32.
//
// Against class_lists_tf32: four warps multiply 64 × 128 in one instruction, so what is gathered is
// what any of the tile's groups has: more products, fewer instructions. B must lie with k innermost
// in shared memory, as the published Bᵀ does. Here rows of B come from memory as they lie, and are
// turned where they are rounded, on their way to shared memory; A stays k-major and reaches the
// product through registers. Look at the executed share, the union of six groups, and at the
// instructions that turning takes.
//
// A slot of a stage is one k. Slots of the last stage that no k fills are zeros.

namespace {
constexpr int kRows = 64, kColumns = 128, kThreads = 128;
constexpr int kSlots = 32;          // of a stage
constexpr int kPitch = kRows + 8;   // of A's slots: four slots and eight rows meet in no bank
constexpr int kPanelWords = 128;    // of 32 k: what one list is made of, a thread a word
constexpr int kGroupBit = 1 << 14;  // of a listed k: row group 0 has it; the next one: group 1
constexpr unsigned kAll = 0xffffffffu;

struct Stage {
  float b[kColumns * kSlots];  // k innermost, swizzled by 128 bytes: see place
  float a[kSlots][kPitch];
};
struct Shared {
  Stage stages[2];
  unsigned short listed[kPanelWords * 32];
  int of_warp[kThreads / 32];
};

struct Problem {
  const float *a_columns, *b;
  const unsigned *a_pattern, *b_pattern;
  long long m, n, words;
};

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ float tf32(float x) {
  unsigned rounded;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
  return __uint_as_float(rounded);
}

// Lists the k of a panel that any pair of the tile's groups has; entries without a row group fill
// it up to whole stages. Returns how many k there are.
__device__ int list_active(Shared& shared, const Problem& p, long long first) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long row = blockIdx.y * static_cast<long long>(kRows);
  const long long column = blockIdx.x * static_cast<long long>(kColumns);
  const long long word = first + threadIdx.x;
  unsigned a0 = 0, a1 = 0, b = 0;
  if (word < p.words) {
    a0 = p.a_pattern[row / 32 * p.words + word];
    if (row + 32 < p.m) a1 = p.a_pattern[(row / 32 + 1) * p.words + word];
#pragma unroll
    for (int g = 0; g < kColumns; g += 32)
      if (column + g < p.n) b |= p.b_pattern[(column + g) / 32 * p.words + word];
  }
  const unsigned needed = (a0 | a1) & b;
  int before = __popc(needed);
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(kAll, before, step);
    if (lane >= step) before += other;
  }
  if (lane == 31) shared.of_warp[warp] = before;
  __syncthreads();
  int at = before - __popc(needed), all = 0;
#pragma unroll
  for (int w = 0; w < kThreads / 32; ++w) {
    at += w < warp ? shared.of_warp[w] : 0;
    all += shared.of_warp[w];
  }
  for (unsigned rest = needed; rest != 0; rest &= rest - 1) {
    const int bit = __ffs(rest) - 1;
    shared.listed[at++] = static_cast<unsigned short>(
        threadIdx.x * 32 + bit + (a0 >> bit & 1) * kGroupBit + (a1 >> bit & 1) * 2 * kGroupBit);
  }
  const int end = (all + kSlots - 1) / kSlots * kSlots;
  if (all + static_cast<int>(threadIdx.x) < end) shared.listed[all + threadIdx.x] = 0;
  __syncthreads();
  return all;
}

// Where column n of B stands at a slot.
__device__ __forceinline__ int place(int n, int slot) {
  return n * kSlots + ((slot / 4 ^ n % 8) * 4 | slot % 4);
}

// Brings a stage's slots: A by copies past the registers, B through them, rounded and turned. Eight
// lanes of a request have the same two quads of eight k, so that no two stores of a word meet in a
// bank.
__device__ __forceinline__ void load(Stage& stage, const unsigned short* listed, const Problem& p,
                                     long long first) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const long long row = blockIdx.y * static_cast<long long>(kRows);
  const long long column = blockIdx.x * static_cast<long long>(kColumns);
#pragma unroll
  for (int i = 0; i < kSlots * kRows / 4 / kThreads; ++i) {
    const int slot = i * 8 + threadIdx.x / 16, quad = threadIdx.x % 16, group = quad / 8;
    const unsigned entry = listed[slot];
    float* const to = &stage.a[slot][quad * 4];
    if (entry >> 14 + group & 1) {
      const float* from =
          p.a_columns + ((row / 32 + group) * p.words + first) * 1024 + (entry & 4095) * 32;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)),
                   "l"(from + quad % 8 * 4)
                   : "memory");
    } else {
      *reinterpret_cast<float4*>(to) = make_float4(0, 0, 0, 0);
    }
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
  float4 v[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const unsigned entry = listed[i / 4 * 16 + lane / 2];
    const long long at = column + (warp * 8 + i % 4 * 2 + lane % 2) * 4;
    v[i] = make_float4(0, 0, 0, 0);
    if (entry >> 14 != 0 && at < p.n)
      v[i] = *reinterpret_cast<const float4*>(p.b + (first * 32 + (entry & 4095)) * p.n + at);
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int slot = i / 4 * 16 + lane / 2, n = (warp * 8 + i % 4 * 2 + lane % 2) * 4;
    stage.b[place(n, slot)] = tf32(v[i].x);
    stage.b[place(n + 1, slot)] = tf32(v[i].y);
    stage.b[place(n + 2, slot)] = tf32(v[i].z);
    stage.b[place(n + 3, slot)] = tf32(v[i].w);
  }
}

// What a lane has of A for eight slots: its row and the one eight below, at a slot and four on.
__device__ __forceinline__ void read_a(unsigned (&a)[4], const Stage& stage, int slot) {
  const int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    a[i] = __float_as_uint(tf32(stage.a[slot + lane % 4 + i / 2 * 4][row + i % 2 * 8]));
}

#define SUMS_8(i)                                                                             \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
// d += a · b of 64 × 128 and eight slots.
__device__ __forceinline__ void multiply(float (&d)[64], const unsigned (&a)[4],
                                         unsigned long long b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
      "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, {%64,%65,%66,%67}, %68, "
      "p, 1, 1;\n}"
      : SUMS_8(0), SUMS_8(8), SUMS_8(16), SUMS_8(24), SUMS_8(32), SUMS_8(40), SUMS_8(48), SUMS_8(56)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(1));
}
__device__ __forceinline__ void hold(float (&d)[64]) {
#pragma unroll
  for (int i = 0; i < 64; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

// Begins the products of a stage; `a` must stay until they are over.
__device__ __forceinline__ void begin_products(float (&d)[64], unsigned (&a)[4][4],
                                               const Stage& stage) {
#pragma unroll
  for (int part = 0; part < 4; ++part) {
    read_a(a[part], stage, part * 8);
#pragma unroll
    for (int i = 0; i < 4; ++i) asm volatile("" : "+r"(a[part][i])::"memory");
  }
  hold(d);
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  // source: PTX ISA, "Matrix Descriptor Format": rows of 128 bytes, swizzled, eight of them 1024.
  const unsigned long long b =
      (shared_address(stage.b) & 0x3ffff) >> 4 | 1ull << 16 | 1024ull >> 4 << 32 | 1ull << 62;
#pragma unroll
  for (int part = 0; part < 4; ++part) multiply(d, a[part], b + part * 2);
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
}  // namespace

extern "C" __global__ void __launch_bounds__(128, 3)
    tf32_wgmma(const float* __restrict__ a_columns,     // [⌈m/32⌉][32·⌈k/32⌉][32]
               const float* __restrict__ b,             // [k][n], n a multiple of 4
               const unsigned* __restrict__ a_pattern,  // [⌈m/32⌉][⌈k/32⌉]
               const unsigned* __restrict__ b_pattern,  // [⌈n/32⌉][⌈k/32⌉]
               float* __restrict__ c,                   // [m][n]
               long long m, long long n, long long k) {
  extern __shared__ __align__(1024) unsigned char bytes[];
  Shared& shared = *reinterpret_cast<Shared*>(bytes);
  const Problem p = {a_columns, b, a_pattern, b_pattern, m, n, (k + 31) / 32};
  float d[64] = {};
  // What this thread stored and copied is there for all, also for the tensor cores.
  const auto stage_is_there = [] {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
  };
  for (long long first = 0; first < p.words; first += kPanelWords) {
    const int stages = (list_active(shared, p, first) + kSlots - 1) / kSlots;
    if (stages > 0) load(shared.stages[0], shared.listed, p, first);
    stage_is_there();
    for (int i = 0; i < stages; ++i) {
      unsigned a[4][4];
      begin_products(d, a, shared.stages[i % 2]);
      if (i + 1 < stages)
        load(shared.stages[(i + 1) % 2], shared.listed + (i + 1) * kSlots, p, first);
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      hold(d);
      stage_is_there();
    }
  }
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int i = 0; i < 64; i += 2) {
    const long long row =
        blockIdx.y * static_cast<long long>(kRows) + warp * 16 + lane / 4 + i / 2 % 2 * 8;
    const long long column =
        blockIdx.x * static_cast<long long>(kColumns) + i / 4 * 8 + lane % 4 * 2;
    if (row < m && column < n)
      *reinterpret_cast<float2*>(c + row * n + column) = make_float2(d[i], d[i + 1]);
  }
}
