// tests/emulator/hopper/cluster_cases_test.cpp: the kernels that need a Hopper device give in the
// emulator what plain code gives.
#ifdef WARPSCOPE_WITH_COMPILER

#include "tests/emulator/hopper/cluster_cases.h"

#include "tests/emulator/fixture.h"

namespace warpscope {
namespace {

class ClusterKernels : public testing::TestWithParam<ClusterKernel> {};

TEST_P(ClusterKernels, GiveWhatPlainCodeGives) {
  const ClusterKernel& kernel = GetParam();
  const Result<ClusterRun> run = emulate_cluster_kernel(kernel);
  if (!run && run.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(run.error());
  ASSERT_TRUE(run) << sentence(run.error());
  EXPECT_EQ(faults_text(run->trace), "");
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    EXPECT_EQ(output_difference(kernel, b, run->outputs[b]), "");
  }
}

TEST_P(ClusterKernels, GiveTheSameAsMachineCode) {
  const ClusterKernel& kernel = GetParam();
  const Result<ClusterRun> run = emulate_cluster_kernel(kernel, EmulatedAs::machine_code);
  if (!run && run.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(run.error());
  ASSERT_TRUE(run) << sentence(run.error());
  if (kernel.name == "edited_map") {
    EXPECT_NE(faults_text(run->trace), "") << "remove this: such maps are emulated now";
    GTEST_SKIP() << "a tensor map that the kernel edits is a fault in machine code: "
                 << faults_text(run->trace);
  }
  EXPECT_EQ(faults_text(run->trace), "");
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    EXPECT_EQ(output_difference(kernel, b, run->outputs[b]), "");
  }
}

TEST(ClusterProbes, RunWithoutFaults) {
  for (const ClusterKernel& kernel : probe_kernels()) {
    SCOPED_TRACE(kernel.name);
    const Result<ClusterRun> run = emulate_cluster_kernel(kernel);
    if (!run && run.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(run.error());
    ASSERT_TRUE(run) << sentence(run.error());
    EXPECT_EQ(faults_text(run->trace), "");
  }
}

// What loads touch of other blocks' shared memory, as an H200 counted it
// (l1tex__m_xbar2l1tex_read_sectors_mem_dshared); they count no wavefront there, and those of a
// block's own memory by its mapped address do.
TEST(ClusterProbes, CountRemoteSectorsAsADeviceDoes) {
  struct Counted {
    const char* name;
    std::int64_t sectors, wavefronts;
  };
  const std::map<std::string, Counted> counted = [] {
    std::map<std::string, Counted> rows;
    for (const Counted& row : std::initializer_list<Counted>{
             {"remote_loads_0_0", 0, 128},       {"remote_loads_0_1", 128, 0},
             {"remote_loads_1_0", 0, 128},       {"remote_loads_1_1", 624, 0},
             {"remote_loads_2_0", 0, 256},       {"remote_loads_2_1", 1120, 0},
             {"remote_loads_8_0", 0, 1024},      {"remote_loads_8_1", 4096, 0},
             {"remote_loads_32_0", 0, 4096},     {"remote_loads_32_1", 4096, 0},
             {"remote_loads_33_0", 0, 128},      {"remote_loads_33_1", 4096, 0},
             {"remote_wide_loads_0_0", 0, 256},  {"remote_wide_loads_0_1", 128, 0},
             {"remote_wide_loads_1_0", 0, 512},  {"remote_wide_loads_1_1", 2112, 0},
             {"remote_wide_loads_2_0", 0, 1024}, {"remote_wide_loads_2_1", 4096, 0},
             {"remote_wide_loads_8_0", 0, 4096}, {"remote_wide_loads_8_1", 4096, 0}})
      rows[row.name] = row;
    return rows;
  }();
  std::size_t seen = 0;
  for (const ClusterKernel& kernel : probe_kernels()) {
    const auto row = counted.find(kernel.name);
    if (row == counted.end()) continue;
    SCOPED_TRACE(kernel.name);
    const Result<ClusterRun> run = emulate_cluster_kernel(kernel);
    if (!run && run.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(run.error());
    ASSERT_TRUE(run) << sentence(run.error());
    AccessTotals loads;
    for (const AccessSite& site : run->trace.sites) {
      if (site.space == Space::shared && site.kind == AccessKind::load) loads += site.totals;
    }
    EXPECT_EQ(loads.remote_sectors(), row->second.sectors);
    EXPECT_EQ(loads.wavefronts, row->second.wavefronts);
    ++seen;
  }
  EXPECT_EQ(seen, counted.size());
}

// Blocks of 8 clusters in 512, and one block with the others of its cluster beside it.
TEST(ClusterLaunches, AreSampledAndTracedByCluster) {
  WARPSCOPE_COMPILE(ptx, R"(#include "../tests/emulator/hopper/cluster.cuh"
extern "C" __global__ void k(float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = cluster_rank();
  cluster_sync();
  float sum = 0;
  for (int r = 0; r < 4; ++r) sum += load_from(mapped(shared_address(s + threadIdx.x), r));
  cluster_sync();
  for (int i = 0; i < 50; ++i) sum = sum * 0.5f + 3;
  out[blockIdx.x * 64 + threadIdx.x] = sum;
})");
  constexpr std::int64_t kBlocks = 2048;
  std::vector<float> out(kBlocks * 64);
  const auto run = [&](std::int64_t sample, std::vector<std::int64_t> blocks) {
    Bench bench;
    bench.add("out", out, false);
    bench.options.sample_instructions = sample;
    bench.options.blocks = std::move(blocks);
    bench.options.traced_block = bench.options.blocks.empty() ? 0 : bench.options.blocks[0];
    Launch launch = launch_of(kBlocks, 64);
    launch.cluster.x = 4;
    return bench.run(ptx, launch);
  };
  const Trace whole = run(0, {}), part = run(8 * 4 * 400, {}), one = run(0, {9});
  EXPECT_EQ(faults_text(whole) + faults_text(part) + faults_text(one), "");
  ASSERT_TRUE(part.sample);
  EXPECT_EQ(part.sample->blocks % 4, 0);
  EXPECT_LT(part.sample->blocks, kBlocks / 2);
  EXPECT_EQ(part.warp_instructions, whole.warp_instructions);
  EXPECT_EQ(one.warp_instructions * kBlocks, whole.warp_instructions);
  ASSERT_EQ(one.sites.size(), whole.sites.size());
  for (std::size_t s = 0; s < whole.sites.size(); ++s) {
    EXPECT_EQ(part.sites[s].totals.requests, whole.sites[s].totals.requests);
    EXPECT_EQ(one.sites[s].totals.requests * kBlocks, whole.sites[s].totals.requests);
  }
  ASSERT_FALSE(one.requests.empty());
  EXPECT_EQ(one.requests[0].block, 9);
}

INSTANTIATE_TEST_SUITE_P(All, ClusterKernels, testing::ValuesIn(cluster_kernels()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
