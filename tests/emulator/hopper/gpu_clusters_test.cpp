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

std::vector<Row> rows() {
  using enum AccessKind;
  using enum Space;
  return {
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global, {load}, sectors},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global, {load}, requests},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global, {store}, sectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", global, {reduction}, sectors},
      {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", global, {atomic}, sectors},
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
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", shared, {}, nullptr},
      {"l1tex__data_pipe_lsu_wavefronts.sum", shared, {}, nullptr},
      {"smsp__inst_executed_op_shared_ld.sum", shared, {load}, requests},
      {"smsp__inst_executed_op_shared_st.sum", shared, {store}, requests},
      {"smsp__inst_executed_op_shared_atom.sum", shared, {atomic, reduction}, requests},
      {"lts__t_sectors_srcunit_tex_op_read.sum", global, {load, bulk_copy}, sectors},
      {"lts__t_sectors_srcunit_tex_op_write.sum", global, {store, bulk_store}, sectors},
      {"lts__t_sectors_srcunit_tex_op_red.sum", global, {reduction, bulk_reduction}, sectors},
      {"lts__t_sectors_srcunit_tex_op_atom.sum", global, {atomic}, sectors},
      {"lts__t_requests_srcunit_tex_op_read.sum", global, {}, nullptr},
      {"lts__t_requests_srcunit_tex_op_write.sum", global, {}, nullptr},
      {"lts__t_requests_srcunit_tex_op_red.sum", global, {}, nullptr},
      {"l1tex__m_xbar2l1tex_read_sectors.sum", global, {load, bulk_copy}, sectors},
      {"l1tex__m_xbar2l1tex_read_bytes.sum", global, {}, nullptr},
      {"l1tex__m_l1tex2xbar_write_bytes.sum", global, {}, nullptr},
      {"l1tex__m_l1tex2xbar_req_cycles_active.sum", global, {}, nullptr},
      {"l1tex__m_xbar2l1tex_read_sectors_mem_dshared.sum", shared, {}, nullptr},
      {"l1tex__data_bank_reads.sum", shared, {}, nullptr},
      {"l1tex__data_bank_writes.sum", shared, {}, nullptr},
      {"smsp__inst_executed.sum", global, {}, nullptr},
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

  // What one counter says of a launch; nothing: this machine does not give it.
  std::optional<std::int64_t> count(Counters& counters, const BoundStep& step,
                                    const std::string& counter) {
    const Result<CounterPlan> plan = counters.plan({"cupti:" + counter});
    if (!plan || !plan->unavailable.empty()) return std::nullopt;
    const Result<std::vector<RangeCounters>> ranges = counters.collect(
        *plan, 1,
        [&](RangeMarks& marks) -> Result<void> {
          return marks.push(step.step().name)
              .and_then([&] { return step.run(device_->stream()); })
              .and_then([&] { return device_->synchronise(step.step().name); })
              .and_then([&] { return marks.pop(); });
        },
        [](int, int) { return true; });
    if (!ranges || ranges->empty()) return std::nullopt;
    const MetricValue* value = find_value(ranges->front().values, "cupti:" + counter);
    if (value == nullptr || !value->value) return std::nullopt;
    return static_cast<std::int64_t>(*value->value);
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
  const char* const named = std::getenv("WARPSCOPE_HOPPER_CSV");
  std::ofstream csv(named != nullptr ? named : "hopper_clusters.csv");
  csv << csv_row({"kernel", "figure", "emulated", "counted"});
  int known = 0, equal = 0;
  std::vector<ClusterKernel> all(cluster_kernels().begin(), cluster_kernels().end());
  all.insert(all.end(), probe_kernels().begin(), probe_kernels().end());
  for (const ClusterKernel& kernel : all) {
    Buffers buffers;
    ASSERT_TRUE(upload(kernel, buffers));
    const Result<BoundStep> step = bind(kernel, buffers);
    ASSERT_TRUE(step) << sentence(step.error());
    const Result<ClusterRun> emulated = emulate_cluster_kernel(kernel);
    ASSERT_TRUE(emulated) << sentence(emulated.error());
    for (const Row& row : rows()) {
      const std::string said = emulated_figure(emulated->trace, row);
      const std::optional<std::int64_t> counted = count(**counters, *step, row.counter);
      csv << csv_row({kernel.name, row.counter, said, counted ? std::to_string(*counted) : ""});
      if (said.empty() || !counted) continue;
      ++known;
      if (said == std::to_string(*counted)) ++equal;
    }
    csv.flush();
  }
  RecordProperty("figures", known);
  std::printf("%d of %d figures are equal\n", equal, known);
  EXPECT_GT(known, 0);
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
