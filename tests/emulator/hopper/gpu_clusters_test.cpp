// tests/emulator/hopper/gpu_clusters_test.cpp: the kernels of clusters and bulk copies give on this
// machine's device what they give in the emulator, and what was counted is written beside it.
#ifdef WARPSCOPE_WITH_COMPILER

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>

#include "profiling/engine/compile/kernel_store.h"
#include "profiling/engine/cuda/device.h"
#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/run/plan.h"
#include "profiling/figures/csv_text.h"
#include "tests/emulator/hopper/cluster_cases.h"

// One command: emulator_tests --gtest_filter='GpuHopperClusters*'. Figures go to the file that
// WARPSCOPE_HOPPER_CSV names, "hopper_clusters.csv" without it: kernel, figure, emulated, counted.
// Counters that answer to no figure of the emulator's stand alone: rules are to be fitted to them.
// Rows that are 0 on both sides are left out. Each counter is one pass over all kernels, and its
// rows are written before the next one begins.

namespace warpscope {
namespace {

// A counter, and what of the emulator's sites answers to it.
struct Row {
  const char* counter;
  Space space;
  std::vector<AccessKind> kinds;
  std::int64_t (*figure)(const AccessTotals&);
};

std::int64_t sectors(const AccessTotals& t) { return t.sectors; }
std::int64_t requests(const AccessTotals& t) { return t.requests; }
std::int64_t wavefronts(const AccessTotals& t) { return t.wavefronts; }
std::int64_t remote_requests(const AccessTotals& t) { return t.remote_requests(); }
std::int64_t remote_sectors(const AccessTotals& t) { return t.remote_sectors(); }

std::vector<Row> rows() {
  using enum AccessKind;
  using enum Space;
  return {
      // Counters of the block's own shared memory.
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       shared,
       {load, matrix_load},
       wavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       shared,
       {store, matrix_store},
       wavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
       shared,
       {atomic, reduction},
       wavefronts},
      // Counters of other blocks' shared memory.
      {"l1tex__t_requests_pipe_lsu_mem_dshared_op_ld.sum", shared, {load}, remote_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_dshared_op_ld.sum", shared, {load}, remote_sectors},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_ld.sum", shared, {load}, remote_sectors},
      {"l1tex__t_requests_pipe_lsu_mem_dshared_op_st.sum", shared, {store}, remote_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_dshared_op_st.sum", shared, {store}, remote_sectors},
      {"l1tex__m_l1tex2xbar_write_sectors_mem_dshared_op_st.sum", shared, {store}, remote_sectors},
      {"l1tex__t_requests_pipe_lsu_mem_dshared_op_atom.sum", shared, {atomic}, remote_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_dshared_op_atom.sum", shared, {atomic}, remote_sectors},
      {"l1tex__t_requests_pipe_lsu_mem_dshared_op_redas.sum", shared, {reduction}, remote_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_dshared_op_redas.sum", shared, {reduction}, remote_sectors},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_redas.sum", shared, {}, nullptr},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_atom.sum", shared, {}, nullptr},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared_op_tma_st.sum", shared, {}, nullptr},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared.sum", shared, {}, nullptr},
      // Counters of bulk copies.
      {"smsp__inst_executed_op_tma_ld.sum", global, {bulk_copy}, requests},
      {"smsp__inst_executed_op_tma_st.sum", global, {bulk_store, bulk_reduction}, requests},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", global, {bulk_copy}, sectors},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld_dest_multicast.sum",
       global,
       {},
       nullptr},
      {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st.sum", global, {bulk_store}, sectors},
      {"l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red.sum",
       global,
       {bulk_reduction},
       sectors},
      {"lts__t_sectors_srcunit_tex_op_read.sum", global, {load, bulk_copy}, sectors},
      {"lts__t_sectors_srcunit_tex_op_write.sum", global, {store, bulk_store}, sectors},
      {"lts__t_sectors_srcunit_tex_op_red.sum", global, {reduction, bulk_reduction}, sectors},
  };
}

class GpuHopperClusters : public testing::Test {
 protected:
  void SetUp() override {
    inject_nvtx();
    static const auto* device = new Result<std::unique_ptr<Device>>(Device::open(0));
    if (!*device) GTEST_SKIP() << sentence(device->error());
    device_ = (*device)->get();
    if (device_->description().compute_capability != 90) GTEST_SKIP() << "no Hopper device";
    kernels_ = std::make_unique<KernelStore>(*device_);
  }

  Result<void> upload(const ClusterKernel& kernel, Buffers& buffers) {
    for (const KernelBuffer& b : kernel.buffers) {
      if (!buffers.contains(b.name)) {
        Result<DeviceBuffer> made = DeviceBuffer::allocate(*device_, std::ssize(b.bytes));
        if (!made) return tl::unexpected(made.error());
        buffers.emplace(b.name, std::move(*made));
      }
      const Result<void> copied =
          device_->check(device_->driver().cuMemcpyHtoD(buffers.at(b.name).address(),
                                                        b.bytes.data(), b.bytes.size()),
                         "cuMemcpyHtoD");
      if (!copied) return copied;
    }
    return {};
  }

  Result<BoundStep> bind(const ClusterKernel& kernel, const Buffers& buffers) {
    return BoundStep::bind(*device_, *kernels_, Step{kernel.name, Phase::run, launch_of(kernel)},
                           [&](const std::string& name) { return &buffers.at(name); });
  }

  // What one counter says of each launch; no value: this machine does not provide it.
  std::vector<std::optional<std::int64_t>> count(Counters& counters,
                                                 const std::vector<BoundStep>& steps,
                                                 const std::string& counter) {
    std::vector<std::optional<std::int64_t>> list(steps.size());
    const Result<CounterPlan> plan = counters.plan({"cupti:" + counter});
    if (!plan || !plan->unavailable.empty()) return list;
    const Result<std::vector<RangeCounters>> ranges = counters.collect(
        *plan, static_cast<int>(steps.size()),
        [&](RangeMarks& marks) -> Result<void> {
          for (const BoundStep& step : steps) {
            const Result<void> ran =
                marks.push(step.step().name)
                    .and_then([&] { return step.run(device_->stream()); })
                    .and_then([&] { return device_->synchronise(step.step().name); })
                    .and_then([&] { return marks.pop(); });
            if (!ran) return ran;
          }
          return {};
        },
        [](int, int) { return true; });
    if (!ranges) return list;
    for (const RangeCounters& range : *ranges) {
      const MetricValue* value = find_value(range.values, "cupti:" + counter);
      if (value == nullptr || !value->value) continue;
      for (std::size_t s = 0; s < steps.size(); ++s) {
        if (range.range == steps[s].step().name) list[s] = static_cast<std::int64_t>(*value->value);
      }
    }
    return list;
  }

  Device* device_ = nullptr;
  std::unique_ptr<KernelStore> kernels_;
};

std::string emulated_figure(const Trace& trace, const Row& row) {
  if (row.figure == nullptr) return {};
  std::int64_t sum = 0;
  for (const AccessSite& site : trace.sites) {
    if (site.space != row.space) continue;
    for (const AccessKind kind : row.kinds) {
      if (site.kind == kind) sum += row.figure(site.totals);
    }
  }
  return std::to_string(sum);
}

TEST_F(GpuHopperClusters, GiveWhatTheEmulatorGives) {
  for (const ClusterKernel& kernel : cluster_kernels()) {
    SCOPED_TRACE(kernel.name);
    Buffers buffers;
    const Result<void> uploaded = upload(kernel, buffers);
    ASSERT_TRUE(uploaded) << sentence(uploaded.error());
    const Result<BoundStep> step = bind(kernel, buffers);
    ASSERT_TRUE(step) << sentence(step.error());
    const Result<void> ran =
        step->run(device_->stream()).and_then([&] { return device_->synchronise(kernel.name); });
    ASSERT_TRUE(ran) << sentence(ran.error());
    const Result<ClusterRun> emulated = emulate_cluster_kernel(kernel);
    ASSERT_TRUE(emulated) << sentence(emulated.error());
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
      if (kernel.buffers[b].expected.empty()) continue;
      std::vector<std::byte> output(kernel.buffers[b].bytes.size());
      const Result<void> copied = device_->check(
          device_->driver().cuMemcpyDtoH(
              output.data(), buffers.at(kernel.buffers[b].name).address(), output.size()),
          "cuMemcpyDtoH");
      ASSERT_TRUE(copied) << sentence(copied.error());
      EXPECT_EQ(output_difference(kernel, b, output), "");
      if (kernel.bound == 0) {
        EXPECT_EQ(output, emulated->outputs[b]) << kernel.buffers[b].name;
      }
    }
  }
}

TEST_F(GpuHopperClusters, WriteCountersBesideEmulatedFigures) {
  Result<std::unique_ptr<Counters>> counters = Counters::create(device_->context(), 0);
  if (!counters) GTEST_SKIP() << sentence(counters.error());
  std::vector<ClusterKernel> all(cluster_kernels().begin(), cluster_kernels().end());
  all.insert(all.end(), probe_kernels().begin(), probe_kernels().end());
  std::vector<Buffers> buffers(all.size());
  std::vector<BoundStep> steps;
  std::vector<Trace> traces;
  for (std::size_t k = 0; k < all.size(); ++k) {
    ASSERT_TRUE(upload(all[k], buffers[k]));
    Result<BoundStep> step = bind(all[k], buffers[k]);
    ASSERT_TRUE(step) << sentence(step.error());
    steps.push_back(std::move(*step));
    Result<ClusterRun> emulated = emulate_cluster_kernel(all[k]);
    ASSERT_TRUE(emulated) << sentence(emulated.error());
    traces.push_back(std::move(emulated->trace));
  }
  const char* const named = std::getenv("WARPSCOPE_HOPPER_CSV");
  std::ofstream csv(named != nullptr ? named : "hopper_clusters.csv");
  csv << csv_row({"kernel", "figure", "emulated", "counted"});
  int known = 0, equal = 0;
  for (const Row& row : rows()) {
    const auto counted = count(**counters, steps, row.counter);
    int its_known = 0, its_equal = 0;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::string said = emulated_figure(traces[k], row);
      const std::string is = counted[k] ? std::to_string(*counted[k]) : "";
      if (said.empty() ? is != "0" : said != "0" || is != "0")
        csv << csv_row({all[k].name, row.counter, said, is});
      if (said.empty() || !counted[k]) continue;
      ++its_known;
      its_equal += said == is ? 1 : 0;
    }
    csv.flush();
    std::printf("%s: %d of %d equal\n", row.counter, its_equal, its_known);
    std::fflush(stdout);
    known += its_known, equal += its_equal;
  }
  RecordProperty("figures", known);
  std::printf("%d of %d figures are equal\n", equal, known);
  EXPECT_GT(known, 0);
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
