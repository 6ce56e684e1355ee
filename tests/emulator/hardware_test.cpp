// tests/emulator/hardware_test.cpp: emulated sectors and wavefronts are those an H200 counted.
#include <bit>
#include <random>

#include "profiling/emulator/cost.h"
#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

// Addresses of many kinds: the emulator's own sums against those of profiling/access.h.
TEST(Costs, RandomRequestsCostWhatTheAccessFunctionsSay) {
  std::mt19937_64 random(11);
  const AccessKind kinds[] = {AccessKind::load,        AccessKind::store,
                              AccessKind::atomic,      AccessKind::reduction,
                              AccessKind::async_copy,  AccessKind::matrix_load,
                              AccessKind::matrix_store};
  for (int turn = 0; turn < 30'000; ++turn) {
    const AccessKind kind = kinds[random() % std::size(kinds)];
    const bool matrix = kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
    const int width = matrix ? 16 : 1 << random() % 5;
    WarpRequest request;
    request.active = turn % 3 == 0 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    const std::uint64_t range = 1ull << (3 + random() % 12);
    const std::uint64_t stride = random() % 40, pattern = random() % 4;
    for (int lane = 0; lane < warp_lanes; ++lane) {
      if ((request.active >> lane & 1) == 0) continue;
      const auto l = static_cast<std::uint64_t>(lane);
      const std::uint64_t element = pattern == 0   ? random() % range
                                    : pattern == 1 ? l * stride
                                    : pattern == 2 ? l / 2 * stride
                                                   : (l ^ 5) * stride % range;
      request.addresses[l] = element * static_cast<std::uint64_t>(width);
    }
    SCOPED_TRACE("turn " + std::to_string(turn) + ", width " + std::to_string(width) + ", " +
                 to_text(kind));
    if (!matrix) {
      AccessTotals global;
      add_global(global, request.addresses.data(), request.active, width, kind);
      ASSERT_EQ(global, global_cost(request, width, kind));
    }
    AccessTotals shared;
    add_shared(shared, request.addresses.data(), request.active, width, kind);
    const AccessTotals want = shared_cost(request, width, kind);
    ASSERT_EQ(shared.wavefronts, want.wavefronts);
    ASSERT_EQ(shared.ideal_wavefronts, want.ideal_wavefronts);
    ASSERT_EQ(shared.worst_ways, want.worst_ways);
    ASSERT_EQ(shared, want);
  }
}

#ifdef WARPSCOPE_WITH_COMPILER

// Bodies of kernels over (const float* a, float* b, const int* idx, int n) with t = threadIdx.x,
// i = the thread in the grid, 4 blocks, n = 1024 and idx[k] = k · 2654435761 mod 4096; and what the
// counters of an H200 said: l1tex__t_requests and __t_sectors of global loads and stores,
// l1tex__data_pipe_lsu_wavefronts_mem_shared of loads and stores, sectors of red and atom.
struct Measured {
  const char* body;
  int threads;
  std::int64_t loads, load_sectors, stores, store_sectors, shared_loads, shared_stores, atomics;
};
const Measured kMeasured[] = {
    {"b[i] = a[i];", 256, 32, 128, 32, 128, 0, 0, 0},
    {"b[i] = a[2 * i];", 256, 32, 256, 32, 128, 0, 0, 0},
    {"b[i] = a[8 * i];", 256, 32, 1024, 32, 128, 0, 0, 0},
    {"b[33 * i] = a[i];", 256, 32, 128, 32, 1024, 0, 0, 0},
    {"b[i + 3] = a[i + 5];", 256, 32, 160, 32, 160, 0, 0, 0},
    {"((float2*)b)[i] = ((const float2*)a)[i];", 256, 32, 256, 32, 256, 0, 0, 0},
    {"((float4*)b)[i] = ((const float4*)a)[2 * i];", 256, 32, 1024, 32, 512, 0, 0, 0},
    {"b[i] = a[3 * i] + a[3 * i + 1] * a[3 * i + 2];", 256, 96, 1152, 32, 128, 0, 0, 0},
    {"b[i] = a[idx[i]];", 256, 64, 1152, 32, 128, 0, 0, 0},
    {"b[i] = a[blockIdx.x];", 256, 32, 32, 32, 128, 0, 0, 0},
    {"b[i] = a[n - 1 - i];", 256, 32, 128, 32, 128, 0, 0, 0},
    {"((char*)b)[i] = ((const char*)a)[i];", 256, 32, 32, 32, 32, 0, 0, 0},
    {"((double*)b)[i] = ((const double*)a)[i];", 256, 32, 256, 32, 256, 0, 0, 0},
    {"float s = 0;\n#pragma unroll 1\nfor (int k = 0; k <= (t & 31); ++k) s += a[k * 1024 + i]; "
     "b[i] = s;",
     256, 1024, 2560, 32, 128, 0, 0, 0},
    {"if ((t & 31) >= 20) return; b[i] = a[i];", 256, 32, 96, 32, 96, 0, 0, 0},
    {"b[i] = a[i];", 40, 8, 20, 8, 20, 0, 0, 0},
    {"if (i < n - 24) b[i] = a[i];", 256, 32, 125, 32, 125, 0, 0, 0},
    {"__shared__ float s[8192]; s[t * 2] = a[t]; __syncthreads(); b[i] = s[(t ^ 32) * 2];", 256, 32,
     128, 32, 128, 64, 64, 0},
    {"__shared__ float s[8192]; s[t * 32] = a[t]; __syncthreads(); b[i] = s[(t ^ 32) * 32];", 256,
     32, 128, 32, 128, 1024, 1024, 0},
    {"__shared__ float s[256]; s[t] = a[t]; __syncthreads(); b[i] = s[(t & 1) * 32 + 64];", 256, 32,
     128, 32, 128, 64, 32, 0},
    {"__shared__ float2 s[512]; s[2 * t] = ((const float2*)a)[t]; __syncthreads(); ((float2*)b)[t] "
     "= s[2 * (t ^ 32)];",
     256, 32, 256, 32, 256, 128, 128, 0},
    {"__shared__ float4 s[256]; s[t] = ((const float4*)a)[t]; __syncthreads(); ((float4*)b)[t] = "
     "s[t ^ 32];",
     256, 32, 512, 32, 512, 128, 128, 0},
    {"__shared__ float4 s[256]; s[t] = ((const float4*)a)[t]; __syncthreads(); ((float4*)b)[t] = "
     "s[(t / 32) ^ 1];",
     256, 32, 512, 32, 512, 64, 128, 0},
    {"__shared__ float4 s[256]; s[t] = ((const float4*)a)[t]; __syncthreads(); ((float4*)b)[t] = "
     "s[(t / 2) ^ 1];",
     256, 32, 512, 32, 512, 64, 128, 0},
    {"__shared__ float4 s[256]; s[t] = ((const float4*)a)[t]; __syncthreads(); ((float4*)b)[t] = "
     "s[(t & 7) * 4 + (t & 31) / 8];",
     256, 32, 512, 32, 512, 512, 128, 0},
    {"__shared__ unsigned char s[1024]; s[t] = ((const unsigned char*)a)[t]; __syncthreads(); "
     "((unsigned char*)b)[t] = s[t ^ 32];",
     256, 32, 32, 32, 32, 32, 32, 0},
    {"__shared__ float s[256]; s[t] = a[t]; __syncthreads();\n#pragma unroll 1\nfor (int d = 128; "
     "d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); } if (!t) b[blockIdx.x] = s[0];",
     256, 32, 128, 4, 4, 100, 80, 0},
    {"int o = atomicAdd((int*)b, i + 1); ((int*)b)[1024 + i] = o;", 256, 0, 0, 32, 128, 0, 0, 32},
    {"int o = atomicAdd((int*)b + i, i + 1); ((int*)b)[4096 + i] = o;", 256, 0, 0, 32, 128, 0, 0,
     128},
    {"atomicAdd(b + i, a[i]);", 256, 32, 128, 0, 0, 0, 0, 128},
    {"atomicAdd((int*)b + (i & 3), idx[i]);", 256, 32, 128, 0, 0, 0, 0, 256},
};

TEST(Hardware, RequestsSectorsAndWavefrontsAreThoseOfAnH200) {
  std::string text;
  for (std::size_t k = 0; k < std::size(kMeasured); ++k) {
    text += "extern \"C\" __global__ void k" + std::to_string(k) +
            "(const float* __restrict__ a, float* __restrict__ b, const int* __restrict__ idx, int "
            "n) {\nint t = threadIdx.x, i = blockIdx.x * blockDim.x + t; (void)i;\n" +
            kMeasured[k].body + "\n}\n";
  }
  WARPSCOPE_COMPILE(ptx, text);
  for (std::size_t k = 0; k < std::size(kMeasured); ++k) {
    const Measured& m = kMeasured[k];
    SCOPED_TRACE(m.body);
    std::vector<float> a(1 << 18, 1.0f), b(1 << 18);
    std::vector<std::int32_t> idx(1024);
    for (std::size_t e = 0; e < idx.size(); ++e) {
      idx[e] = static_cast<std::int32_t>(static_cast<std::uint32_t>(e) * 2654435761u % 4096);
    }
    Bench bench;
    bench.add("a", a);
    bench.add("b", b);
    bench.add("idx", idx);
    bench.pass(1024);
    const Trace trace = bench.run(ptx, launch_of(4, m.threads), "k" + std::to_string(k));
    // Kernels in which blocks write the same elements are as they were measured.
    EXPECT_EQ(faults_text(trace), "");
    AccessTotals loads, stores, shared_loads, shared_stores, atomics;
    for (const AccessSite& site : trace.sites) {
      const bool shared = site.space == Space::shared;
      AccessTotals& sum = site.kind == AccessKind::load    ? (shared ? shared_loads : loads)
                          : site.kind == AccessKind::store ? (shared ? shared_stores : stores)
                                                           : atomics;
      add_totals(sum, site.totals);
    }
    EXPECT_EQ(loads.requests, m.loads);
    EXPECT_EQ(loads.sectors, m.load_sectors);
    EXPECT_EQ(stores.requests, m.stores);
    EXPECT_EQ(stores.sectors, m.store_sectors);
    EXPECT_EQ(shared_loads.wavefronts, m.shared_loads);
    EXPECT_EQ(shared_stores.wavefronts, m.shared_stores);
    EXPECT_EQ(atomics.sectors, m.atomics);
  }
}

#endif

}  // namespace
}  // namespace warpscope
