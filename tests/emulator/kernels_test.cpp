// tests/emulator/kernels_test.cpp: compiled kernels give what the same C++ gives on the host.
#include <cmath>
#include <numeric>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

TEST(Kernels, ACopyMovesEveryElementAndCountsItsSectors) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const float* a, float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) b[i] = a[i];
})");
  std::vector<float> a(1000), b(1000, -1.0f);
  std::iota(a.begin(), a.end(), 0.5f);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b, false);
  bench.pass(1000);
  const Trace trace = bench.run(ptx, launch_of(4, 256));
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_EQ(a, b);
  ASSERT_EQ(trace.sites.size(), 2u);
  // 31 full warps of 4 sectors and one of 8 lanes.
  for (const AccessSite& site : trace.sites) {
    EXPECT_EQ(site.totals.requests, 32);
    EXPECT_EQ(site.totals.sectors, 125);
    EXPECT_EQ(site.totals.lanes, 1000);
    EXPECT_EQ(site.totals.unique_bytes, 4000);
    EXPECT_EQ(site.position.line, 3);
    EXPECT_EQ(site.position.file, "test.cu");
  }
  EXPECT_EQ(trace.sites[0].buffer, "a");
  EXPECT_EQ(trace.sites[1].buffer, "b");
  ASSERT_EQ(trace.requests.size(), 16u);  // 8 warps of block 0, two each
  EXPECT_EQ(trace.requests[0].active, 0xffffffffu);
  EXPECT_EQ(trace.requests[0].addresses[1] - trace.requests[0].addresses[0], 4u);
  EXPECT_EQ(trace.issued.size(), 8u);
}

TEST(Kernels, SharedMemoryReductionsAndBarriersGiveTheSum) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const float* a, float* b, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) b[blockIdx.x] = s[0];
})");
  std::vector<float> a(1024), b(4);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 17);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b, false);
  bench.pass(1024);
  bench.options.threads = 2;
  const Trace trace = bench.run(ptx, launch_of(4, 256));
  EXPECT_EQ(faults_text(trace), "");
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(b[k], std::accumulate(a.begin() + 256 * static_cast<int>(k),
                                    a.begin() + 256 * static_cast<int>(k + 1), 0.0f));
  }
}

TEST(Kernels, FunctionsPrintsAndAtomicsWork) {
  WARPSCOPE_COMPILE(ptx, R"(
struct P { float x; double y; int z[5]; };
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter = 5;
__device__ __noinline__ float mix(float a, P p, int* q) {
  if (a > 3) return a;
  *q += p.z[2];
  return a * p.y;
}
extern "C" __global__ void k(float* a, int* out, P p, int n) {
  int i = threadIdx.x, q = 0;
  if (i == 3) printf("n=%d x=%.2f %s\n", n, p.x, "text");
  a[i] = mix(a[i], p, &q) + weights[i & 3];
  out[i] = q;
  int old = atomicAdd(&counter, 1);
  atomicMax(out + 64, old);
})");
  struct P {
    float x = 1.5f;
    double y = 2.0;
    int z[5] = {1, 2, 30, 4, 5};
  };
  std::vector<float> a(32);
  std::iota(a.begin(), a.end(), 0.0f);
  std::vector<std::int32_t> out(65, 0);
  Bench bench;
  bench.add("a", a);
  bench.add("out", out);
  bench.pass(P{});
  bench.pass(7);
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_EQ(trace.printed, "n=7 x=1.50 text\n");
  for (int i = 0; i < 32; ++i) {
    const float x = static_cast<float>(i);
    EXPECT_EQ(a[static_cast<std::size_t>(i)],
              (x > 3 ? x : x * 2) + static_cast<float>((i & 3) + 1));
    EXPECT_EQ(out[static_cast<std::size_t>(i)], x > 3 ? 0 : 30);
  }
  EXPECT_EQ(out[64], 5 + 31);
}

TEST(Kernels, DivergedLanesMeetAgainAsTheHardwareCounts) {
  // c27 of the calibration: 896 requests on an H200, and 3584 sectors.
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const float* __restrict__ a, float* b,
    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0.f;
  for (int r = 0; r < 4; ++r)
    for (int k = 0; k <= ((threadIdx.x + r) & 3); ++k) s += a[(r * 4 + k) * 1024 + i];
  b[i] = s;
})");
  std::vector<float> a(1 << 15, 1.0f), b(1024);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b, false);
  bench.pass(1024);
  const Trace trace = bench.run(ptx, launch_of(4, 256));
  EXPECT_EQ(faults_text(trace), "");
  AccessTotals loads;
  for (const AccessSite& site : trace.sites) {
    if (site.kind == AccessKind::load) {
      loads.requests += site.totals.requests;
      loads.sectors += site.totals.sectors;
    }
  }
  EXPECT_EQ(loads.requests, 896);
  EXPECT_EQ(loads.sectors, 3584);
  for (const float x : b) EXPECT_EQ(x, 10.0f);
}

TEST(Kernels, WarpOperationsAcrossDivergedArmsCombineTheirLanes) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(int* out, int n) {
  int t = threadIdx.x, x = t * 10;
  if (t < n) {
    x = __shfl_xor_sync(~0u, x, 16) + 1;
  } else {
    x = __shfl_xor_sync(~0u, x, 16) + 2;
    out[96 + t] = t;
  }
  out[t] = x;
  out[32 + t] = __ballot_sync(~0u, t & 1);
  out[64 + t] = __reduce_add_sync(~0u, t);
  if (t < 5) { __syncwarp(31); out[128 + t] = __match_any_sync(31, t & 1); }
})");
  std::vector<std::int32_t> out(160, -1);
  Bench bench;
  bench.add("out", out);
  bench.pass(16);
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (int t = 0; t < 32; ++t) {
    const auto at = static_cast<std::size_t>(t);
    EXPECT_EQ(out[at], (t ^ 16) * 10 + (t < 16 ? 1 : 2)) << t;
    EXPECT_EQ(out[32 + at], static_cast<std::int32_t>(0xaaaaaaaau));
    EXPECT_EQ(out[64 + at], 31 * 16);
  }
  for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(out[128 + t], t % 2 == 0 ? 0x15 : 0x0a);
}

TEST(Kernels, SpinLocksInsideAWarpEnd) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(int* lock, int* sum, int n) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      sum[0] = sum[0] + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
})");
  std::vector<std::int32_t> lock(1, 0), sum(1, 0);
  Bench bench;
  bench.add("lock", lock);
  bench.add("sum", sum);
  bench.pass(0);
  bench.options.instruction_budget = 20'000'000;
  const Trace trace = bench.run(ptx, launch_of(2, 64));
  EXPECT_EQ(faults_text(trace), "");
  EXPECT_EQ(sum[0], 128);
}

TEST(Kernels, MathOfEverySizeAgreesWithTheHost) {
  WARPSCOPE_COMPILE(ptx, R"(extern "C" __global__ void k(const float* a, float* f, double* d,
    long long* l, int n) {
  int i = threadIdx.x;
  float x = a[i];
  f[i] = sinf(x) + expf(x) / (1.0f + x * x) + sqrtf(fabsf(x)) + rsqrtf(1.0f + x * x) + powf(fabsf(x), 0.3f);
  f[32 + i] = __fmaf_rz(x, x, 0.1f) + __fdiv_rd(x, 3.0f) + __fadd_ru(x, 1e-7f);
  d[i] = sin((double)x) + 1.0 / (2.0 + x) + exp((double)x);
  l[i] = (long long)i * 1234567890123ll / (i + 7) + (1ull << (i + 20)) % 1000003ull + __clz(i) + __popcll(i * 77777ll);
})");
  std::vector<float> a(32), f(64);
  std::vector<double> d(32);
  std::vector<std::int64_t> l(32);
  for (int i = 0; i < 32; ++i)
    a[static_cast<std::size_t>(i)] = static_cast<float>(i) * 0.37f - 5.0f;
  Bench bench;
  bench.add("a", a);
  bench.add("f", f, false);
  bench.add("d", d, false);
  bench.add("l", l, false);
  bench.pass(0);
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (int i = 0; i < 32; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = a[at];
    const double want = std::sin(x) + std::exp(x) / (1 + x * x) + std::sqrt(std::fabs(x)) +
                        1 / std::sqrt(1 + x * x) + std::pow(std::fabs(x), 0.3);
    EXPECT_NEAR(f[at], want, 2e-6 * (1 + std::fabs(want))) << x;
    const double wide = std::sin(x) + 1 / (2 + x) + std::exp(x);
    EXPECT_NEAR(d[at], wide, 1e-13 * (1 + std::fabs(wide))) << x;
    const std::int64_t whole = i * 1234567890123ll / (i + 7) +
                               static_cast<std::int64_t>((1ull << (i + 20)) % 1000003ull) +
                               (i == 0 ? 32 : __builtin_clz(static_cast<unsigned>(i))) +
                               __builtin_popcountll(static_cast<unsigned long long>(i * 77777ll));
    EXPECT_EQ(l[at], whole);
  }
}

TEST(Kernels, HalvesAndTensorCoresMultiplyMatrices) {
  WARPSCOPE_COMPILE(ptx,
                    "#include "
                    "<cuda_fp16.h>\n"
                    R"(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void k(const __half* a, const __half* b, float* c, float* d, int n) {
  __shared__ __half s[256];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 32) s[i] = a[i];
  __syncwarp();
  unsigned ra[4], rb[2];
  unsigned at = (unsigned)__cvta_generic_to_shared(s + (t % 16) * 16 + (t / 16) * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
    : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3]) : "r"(at));
  const unsigned* w = (const unsigned*)b;  // column-major: b[k + 16 * n]
  rb[0] = w[(t / 4) * 8 + t % 4];
  rb[1] = w[(t / 4) * 8 + t % 4 + 4];
  float e[4] = {0, 0, 0, 0};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3]) : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) c[(t / 4 + 8 * (i / 2)) * 8 + (t % 4) * 2 + i % 2] = e[i];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 1.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
})");
  // Small whole numbers: exact in f16 and in any order of summing.
  std::vector<std::uint16_t> a(256), b(256);
  const auto half_of = [](int v) {  // 0 … 3
    constexpr std::uint16_t bits[] = {0, 0x3c00, 0x4000, 0x4200};
    return bits[v];
  };
  const auto value_a = [](int row, int column) { return (row * 3 + column) % 4; };
  const auto value_b = [](int row, int column) { return (row + column * 2) % 3; };
  for (int r = 0; r < 16; ++r) {
    for (int c = 0; c < 16; ++c) {
      a[static_cast<std::size_t>(r * 16 + c)] = half_of(value_a(r, c));
      b[static_cast<std::size_t>(c * 16 + r)] = half_of(value_b(r, c));
    }
  }
  std::vector<float> c(128), d(256);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b);
  bench.add("c", c, false);
  bench.add("d", d, false);
  bench.pass(0);
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (int r = 0; r < 16; ++r) {
    for (int k = 0; k < 16; ++k) {
      int sum = 0;
      for (int m = 0; m < 16; ++m) sum += value_a(r, m) * value_b(m, k);
      if (k < 8) {
        EXPECT_EQ(c[static_cast<std::size_t>(r * 8 + k)], static_cast<float>(sum));
      }
      EXPECT_EQ(d[static_cast<std::size_t>(r * 16 + k)], static_cast<float>(sum + 1));
    }
  }
}

TEST(Kernels, TheWholeGridTellsWhichBlockWroteWhat) {
  WARPSCOPE_COMPILE(ptx,
                    "extern \"C\" __global__ void k(const float* a, float* b, int n) {\n"
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                    "  if (i % 64 < 48) b[i] = a[i];\n}");
  std::vector<float> a(512), b(512);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b);
  bench.pass(0);
  EXPECT_TRUE(bench.run(ptx, launch_of(8, 64)).writers.empty());
  for (const std::int64_t most : {1024, 32}) {
    bench.options.writer_entries = most;
    const Trace trace = bench.run(ptx, launch_of(8, 64));
    ASSERT_EQ(trace.writers.size(), 1u);
    const WriterMap& map = trace.writers[0];
    EXPECT_EQ(map.buffer, "b");
    EXPECT_EQ(map.elements, most == 1024 ? 1 : 32);
    EXPECT_LE(static_cast<std::int64_t>(map.blocks.size()), most);
    for (std::size_t e = 0; e < 512; ++e) {
      const std::int64_t block = map.blocks[e / static_cast<std::size_t>(map.elements)];
      const bool alone = map.elements == 1 && e % 64 >= 48;
      EXPECT_EQ(block, alone ? -1 : static_cast<std::int64_t>(e / 64)) << e;
    }
  }
  bench.options.blocks = {3};
  EXPECT_TRUE(bench.run(ptx, launch_of(8, 64)).writers.empty());
}

TEST(Kernels, AsynchronousCopiesArriveWhenTheyAreWaitedFor) {
  WARPSCOPE_COMPILE(ptx,
                    "#include "
                    "<cuda_pipeline.h>\n"
                    R"(
extern "C" __global__ void k(const float4* a, float4* b, int n) {
  __shared__ float4 s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], a + t, 16);
  __pipeline_commit();
  for (int r = 0; r < 4; ++r) {
    if (r < 3) __pipeline_memcpy_async(&s[(r + 1) & 1][t], a + 64 * (r + 1) + t, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    b[64 * r + t] = s[r & 1][t ^ 33];
    __syncthreads();
  }
})");
  std::vector<float> a(1024), b(1024);
  std::iota(a.begin(), a.end(), 1.0f);
  Bench bench;
  bench.add("a", a);
  bench.add("b", b, false);
  bench.pass(0);
  const Trace trace = bench.run(ptx, launch_of(1, 64));
  EXPECT_EQ(faults_text(trace), "");
  for (std::size_t r = 0; r < 4; ++r) {
    for (std::size_t t = 0; t < 64; ++t) {
      EXPECT_EQ(b[4 * (64 * r + t)], a[4 * (64 * r + (t ^ 33))]);
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif
