// tests/emulator/hopper/hopper_main.cpp: kernels with wgmma on the emulator and on this machine's
// device.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiling/engine/cuda/device.h"
#include "profiling/engine/cuda/nvtx.h"
#include "profiling/engine/measure/counters.h"
#include "profiling/engine/run/plan.h"
#include "profiling/figures/csv_text.h"
#include "tests/emulator/hopper/cases.h"

// Prints CSV, rows of case, figure, emulated and device. First of every case its output: "right" on
// both sides, or what differs (from the CPU within the case's bound; of the device also from the
// emulator). Then counters of GEMMs and of products that repeat, beside what the emulator makes of
// their reads. Figures of the emulator that no counter answers to stand alone.
// Exit status: 0 all outputs right and equal, 1 not, 3 no device.

namespace warpscope {
namespace {

// Where reads of wgmma may show; those that the chip does not have are left out.
constexpr const char* kCounters[] = {
    "smsp__inst_executed.sum",
    "smsp__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_tensor.sum",
    "sm__inst_executed_pipe_tensor_op_gmma.sum",
    "sm__pipe_tensor_cycles_active.sum",
    "l1tex__data_bank_reads.sum",
    "l1tex__data_bank_writes.sum",
    "l1tex__data_bank_conflicts_pipe_lsu.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
    "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma.sum",
    "l1tex__lsuin_requests_op_gmma.sum",
    "sm__sass_data_bytes_mem_shared_op_gmma.sum",
    "l1tex__lsu_writeback_active.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "l1tex__m_xbar2l1tex_read_sectors.sum"};

int refuse(const Error& error) {
  std::fprintf(stderr, "warpscope_hopper: %s\n", sentence(error).c_str());
  return exit_status(error.kind);
}

void print(const std::string& name, const std::string& figure, const std::string& emulated,
           const std::string& device) {
  std::fputs(csv_row({name, figure, emulated, device}).c_str(), stdout);
}

// One case with its memory on the device.
struct Bound {
  HopperCase hopper;
  Buffers buffers;
  std::unique_ptr<BoundStep> step;
  HopperRun emulated;
};

Result<void> upload(const Device& device, Bound& bound) {
  for (const HopperBuffer& b : bound.hopper.buffers) {
    auto& buffer = bound.buffers.at(b.name);
    const Result<void> copied =
        device.check(device.driver().cuMemcpyHtoD(buffer.address(), b.bytes.data(), b.bytes.size()),
                     "cuMemcpyHtoD");
    if (!copied) return copied;
  }
  return {};
}

Result<std::unique_ptr<Bound>> bind(const Device& device, KernelStore& kernels, HopperCase hopper) {
  auto bound = std::make_unique<Bound>();
  bound->hopper = std::move(hopper);
  for (const HopperBuffer& b : bound->hopper.buffers) {
    Result<DeviceBuffer> buffer =
        DeviceBuffer::allocate(device, static_cast<std::int64_t>(b.bytes.size()));
    if (!buffer) return tl::unexpected(buffer.error());
    bound->buffers.emplace(b.name, std::move(*buffer));
  }
  Result<BoundStep> step =
      BoundStep::bind(device, kernels, Step{bound->hopper.name, Phase::run, bound->hopper.launch},
                      [&](const std::string& name) { return &bound->buffers.at(name); });
  if (!step) return tl::unexpected(step.error());
  bound->step = std::make_unique<BoundStep>(std::move(*step));
  Result<HopperRun> run = emulate_hopper(bound->hopper);
  if (!run) return tl::unexpected(run.error());
  bound->emulated = std::move(*run);
  return bound;
}

Result<std::vector<std::byte>> run_once(const Device& device, Bound& bound) {
  const Result<void> ran = upload(device, bound)
                               .and_then([&] { return bound.step->run(device.stream()); })
                               .and_then([&] { return device.synchronise(bound.hopper.name); });
  if (!ran) return tl::unexpected(ran.error());
  std::vector<std::byte> output(bound.emulated.output.size());
  const Result<void> copied = device.check(
      device.driver().cuMemcpyDtoH(output.data(), bound.buffers.at(bound.hopper.output).address(),
                                   output.size()),
      "cuMemcpyDtoH");
  if (!copied) return tl::unexpected(copied.error());
  return output;
}

// Whether the outputs of both sides are right; `measured`: those that are there for their counters
// have no reference.
bool print_output(const Bound& bound, const std::vector<std::byte>& output, bool measured) {
  const HopperCase& c = bound.hopper;
  const auto word = [](std::string what) { return what.empty() ? std::string("right") : what; };
  const std::string& faults =
      bound.emulated.trace.faults.empty() ? std::string() : bound.emulated.trace.faults[0].sentence;
  std::string emulated = faults, device;
  if (!measured) {
    if (emulated.empty()) emulated = difference(c, bound.emulated.output, c.expected, c.bound);
    device = difference(c, output, c.expected, c.bound);
  }
  print(c.name, "output", word(emulated), word(device));
  const std::string apart = difference(c, output, bound.emulated.output, 2 * c.bound);
  print(c.name, "device against emulator", "", apart.empty() ? "equal" : apart);
  return emulated.empty() && device.empty() && apart.empty();
}

AccessTotals sum_of(const Bound& bound, AccessKind kind) {
  AccessTotals sum;
  for (const AccessSite& site : bound.emulated.trace.sites) {
    if (site.space == Space::shared && site.kind == kind) sum += site.totals;
  }
  return sum;
}

// What the emulator says of a counter; empty: nothing.
std::string answer_to(const Bound& bound, const std::string& counter) {
  const auto wavefronts = [&](AccessKind kind) {
    return std::to_string(sum_of(bound, kind).wavefronts);
  };
  if (counter.ends_with("wavefronts_mem_shared_op_gmma.sum")) {
    return wavefronts(AccessKind::product_read);
  }
  if (counter.ends_with("wavefronts_mem_shared_op_ld.sum")) return wavefronts(AccessKind::load);
  if (counter.ends_with("wavefronts_mem_shared_op_st.sum")) return wavefronts(AccessKind::store);
  return {};
}

void print_emulated(const Bound& bound) {
  const AccessTotals products = sum_of(bound, AccessKind::product_read),
                     loads = sum_of(bound, AccessKind::load),
                     stores = sum_of(bound, AccessKind::store);
  const std::string& name = bound.hopper.name;
  print(name, "products", std::to_string(bound.hopper.products), "");
  print(name, "product reads: requests of 32 pieces", std::to_string(products.requests), "");
  print(name, "product reads: wavefronts by banks", std::to_string(products.wavefronts), "");
  print(name, "product reads: bytes", std::to_string(products.lane_bytes), "");
  print(name, "shared loads: wavefronts", std::to_string(loads.wavefronts), "");
  print(name, "shared stores: wavefronts", std::to_string(stores.wavefronts), "");
}

// Counts all of them, a few counters at a time; one that the chip does not have is passed over.
void print_counters(const Device& device, Counters& counters,
                    const std::vector<std::unique_ptr<Bound>>& all) {
  for (const char* counter : kCounters) {
    const Result<CounterPlan> plan = counters.plan({std::string("cupti:") + counter});
    if (!plan || !plan->unavailable.empty()) {
      print("", counter, "", "the chip has no such counter");
      continue;
    }
    const auto counted = counters.collect(
        *plan, static_cast<int>(all.size()),
        [&](RangeMarks& marks) -> Result<void> {
          for (const auto& bound : all) {
            const Result<void> ran =
                marks.push(bound->hopper.name)
                    .and_then([&] { return bound->step->run(device.stream()); })
                    .and_then([&] { return device.synchronise(bound->hopper.name); })
                    .and_then([&] { return marks.pop(); });
            if (!ran) return ran;
          }
          return {};
        },
        [](int, int) { return true; });
    if (!counted) {
      print("", counter, "", sentence(counted.error()));
      continue;
    }
    for (const RangeCounters& range : *counted) {
      const auto of = std::find_if(all.begin(), all.end(), [&](const auto& bound) {
        return bound->hopper.name == range.range;
      });
      const std::string emulated = of == all.end() ? std::string() : answer_to(**of, counter);
      for (const MetricValue& value : range.values) {
        if (value.value)
          print(range.range, counter, emulated,
                std::to_string(static_cast<std::int64_t>(*value.value)));
      }
    }
    std::fprintf(stderr, "counted %s\n", counter);
    std::fflush(stdout);
  }
}

int run_everything() {
  inject_nvtx();
  Result<std::unique_ptr<Device>> device = Device::open(0);
  if (!device) return refuse(device.error());
  KernelStore kernels(**device);
  std::fputs(csv_row({"case", "figure", "emulated", "device"}).c_str(), stdout);
  std::vector<std::unique_ptr<Bound>> counted;
  int wrong = 0, cases = 0;
  const auto run_all = [&](std::vector<HopperCase> list, bool measured, bool counts) {
    for (HopperCase& hopper : list) {
      ++cases;
      const std::string name = hopper.name;
      Result<std::unique_ptr<Bound>> bound = bind(**device, kernels, std::move(hopper));
      if (!bound) {
        ++wrong;
        print(name, "output", "", sentence(bound.error()));
        continue;
      }
      const Result<std::vector<std::byte>> output = run_once(**device, **bound);
      if (!output) {
        ++wrong;
        print(name, "output", "", sentence(output.error()));
        continue;
      }
      if (!print_output(**bound, *output, measured)) ++wrong;
      if (!counts) continue;
      print_emulated(**bound);
      counted.push_back(std::move(*bound));
    }
  };
  run_all(hopper_probes(), false, false);
  run_all(hopper_cases(), false, true);
  run_all(hopper_reads(), true, true);
  Result<std::unique_ptr<Counters>> counters = Counters::create((*device)->context(), 0);
  if (counters) {
    print_counters(**device, **counters, counted);
  } else {
    std::fprintf(stderr, "warpscope_hopper: %s\n", sentence(counters.error()).c_str());
  }
  std::fprintf(stderr, "%d cases on %s: %d wrong\n", cases, (*device)->description().name.c_str(),
               wrong);
  return wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace warpscope

int main() { return warpscope::run_everything(); }
