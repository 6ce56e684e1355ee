// tests/emulator/hopper/cluster_registers_test.cpp: what a block knows of its place in a cluster,
// and addresses of other blocks' shared memory.
#ifdef WARPSCOPE_WITH_COMPILER

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

constexpr int kRegisters = 15;
const char* const kAll = R"(extern "C" __global__ void k(unsigned* out) {
  unsigned v[15];
  asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(v[0]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(v[1]));
  asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(v[2]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v[3]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(v[4]));
  asm volatile("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(v[5]));
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(v[6]));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(v[7]));
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(v[8]));
  asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(v[9]));
  asm volatile("mov.u32 %0, %%clusterid.z;" : "=r"(v[10]));
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(v[11]));
  asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(v[12]));
  asm volatile("mov.u32 %0, %%nclusterid.z;" : "=r"(v[13]));
  asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }"
               : "=r"(v[14]));
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  for (int i = 0; i < 15; ++i) out[block * 15 + i] = v[i];
})";

TEST(ClusterRegisters, SayWhereABlockIs) {
  WARPSCOPE_COMPILE(ptx, kAll);
  for (const Dim3 c : {Dim3{1, 1, 1}, Dim3{2, 1, 1}, Dim3{2, 3, 1}, Dim3{1, 2, 2}}) {
    const Dim3 grid{4, 6, 2};
    std::vector<std::uint32_t> out(48 * kRegisters);
    Bench bench;
    bench.add("out", out, false);
    Launch launch;
    launch.grid = grid;
    launch.cluster = c;
    EXPECT_EQ(faults_text(bench.run(ptx, launch)), "");
    for (std::int64_t b = 0; b < 48; ++b) {
      const Dim3 at{b % 4, b / 4 % 6, b / 24}, in{at.x % c.x, at.y % c.y, at.z % c.z};
      const std::int64_t expected[kRegisters] = {in.x,
                                                 in.y,
                                                 in.z,
                                                 c.x,
                                                 c.y,
                                                 c.z,
                                                 in.x + c.x * (in.y + c.y * in.z),
                                                 c.x * c.y * c.z,
                                                 at.x / c.x,
                                                 at.y / c.y,
                                                 at.z / c.z,
                                                 grid.x / c.x,
                                                 grid.y / c.y,
                                                 grid.z / c.z,
                                                 c == Dim3{} ? 0 : 1};
      for (int i = 0; i < kRegisters; ++i) {
        EXPECT_EQ(out[static_cast<std::size_t>(b * kRegisters + i)], expected[i])
            << "register " << i << " of block " << b;
      }
    }
  }
}

// Shared memory of the own block and of the next, by mapped addresses inside the window and generic
// ones: spaces, ranks, loads, stores and atomics that give the old value.
TEST(ClusterAddresses, ReachOtherBlocksAndSayWhose) {
  WARPSCOPE_COMPILE(ptx, R"(#include "../tests/emulator/hopper/cluster.cuh"
extern "C" __global__ void k(unsigned* out) {
  __shared__ unsigned s[32];
  const unsigned t = threadIdx.x, rank = cluster_rank(), next = (rank + 1) % cluster_size();
  s[t] = 100 * rank + t;
  cluster_sync();
  void* there;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"((void*)(s + t)), "r"(next));
  unsigned v[8];
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(v[0]) : "l"(there));
  asm volatile("{ .reg .pred p; isspacep.shared::cluster p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(v[1]) : "l"(there));
  asm volatile("{ .reg .pred p; isspacep.shared::cta p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(v[2]) : "l"((void*)s));
  asm volatile("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(v[3]) : "l"(there));
  asm volatile("getctarank.u64 %0, %1;" : "=r"(v[4]) : "l"(there));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(v[5]) : "r"(mapped(shared_address(s), next)));
  asm volatile("ld.u32 %0, [%1];" : "=r"(v[6]) : "l"(there) : "memory");
  cluster_sync();
  asm volatile("atom.add.u32 %0, [%1], 1000;" : "=r"(v[7]) : "l"(there) : "memory");
  cluster_sync();
  const unsigned first = (blockIdx.x * 32 + t) * 9;
  for (int i = 0; i < 8; ++i) out[first + i] = v[i];
  out[first + 8] = s[t];
})");
  constexpr std::uint32_t kBlocks = 6, kEach = 3;
  std::vector<std::uint32_t> out(kBlocks * 32 * 9);
  Bench bench;
  bench.add("out", out, false);
  Launch launch = launch_of(kBlocks, 32);
  launch.cluster.x = kEach;
  EXPECT_EQ(faults_text(bench.run(ptx, launch)), "");
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    for (std::uint32_t t = 0; t < 32; ++t) {
      const std::uint32_t rank = b % kEach, next = (rank + 1) % kEach;
      const std::uint32_t value = 100 * next + t;
      const std::uint32_t expected[] = {
          0, 1, 1, 0, next, next, value, value, 100 * rank + t + 1000};
      for (std::uint32_t i = 0; i < 9; ++i) {
        EXPECT_EQ(out[(b * 32 + t) * 9 + i], expected[i]) << "value " << i << " of block " << b;
      }
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
