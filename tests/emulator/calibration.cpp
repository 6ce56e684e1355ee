// tests/emulator/calibration.cpp: kernels of one access pattern each, and what an H200 counted.
#include "tests/emulator/calibration.h"

#ifdef WARPSCOPE_WITH_COMPILER

#include <charconv>
#include <fstream>
#include <sstream>
#include <utility>

#include "profiling/emulator/emulator.h"
#include "profiling/engine/compile/compiler.h"
#include "profiling/figures/csv_text.h"
#include "scenes/host/paths.h"

namespace warpscope {
namespace {

constexpr const char* kFolder = "../tests/emulator/calibration/";  // from kernels/
constexpr std::int64_t kBlocks = 4;
constexpr std::size_t kFloats = std::size_t{1} << 18;
constexpr std::int32_t kIndices = 1024;

// A counter as sums of figures over the instructions of one space and kind.
struct CounterRule {
  const char* cupti_name;
  Space space;
  AccessKind kind;
  std::int64_t (*figure)(const AccessTotals&);
};

std::int64_t sectors(const AccessTotals& t) { return t.sectors; }
std::int64_t requests(const AccessTotals& t) { return t.requests; }
std::int64_t wavefronts(const AccessTotals& t) { return t.wavefronts; }
std::int64_t conflicts(const AccessTotals& t) { return t.wavefronts - t.ideal_wavefronts; }

using enum Space;
using enum AccessKind;
constexpr CounterRule kRules[] = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", global, load, sectors},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", global, load, requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", global, store, sectors},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", global, store, requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", global, atomic, sectors},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", global, atomic, requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", global, reduction, sectors},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", global, reduction, requests},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", shared, load, wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", shared, store, wavefronts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", shared, load, conflicts},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", shared, store, conflicts},
    {"smsp__inst_executed_op_shared_ld.sum", shared, load, requests},
    {"smsp__inst_executed_op_shared_st.sum", shared, store, requests},
};

Counts zeros() {
  Counts counts;
  for (const CounterRule& rule : kRules) counts[rule.cupti_name] = 0;
  return counts;
}

void add(Counts& counts, const AccessSite& site, const AccessTotals& totals) {
  for (const CounterRule& rule : kRules) {
    if (rule.space == site.space && rule.kind == site.kind) {
      counts[rule.cupti_name] += rule.figure(totals);
    }
  }
}

AccessTotals cost_of(const WarpRequest& request, const AccessSite& site) {
  return site.space == shared ? shared_cost(request, site.width_bytes, site.kind)
                              : global_cost(request, site.width_bytes, site.kind);
}

// A cell of h200.csv; what is not a whole number is a broken file.
Result<std::int64_t> number(const std::string& cell, std::size_t row) {
  std::int64_t value = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (read.ec == std::errc() && read.ptr == cell.data() + cell.size()) return value;
  return failure(ErrorKind::input, "row " + std::to_string(row) + ": “" + cell + "” is not a count",
                 "h200.csv");
}

}  // namespace

std::span<const CalibrationKernel> calibration_kernels() {
  static const std::vector<CalibrationKernel> kernels = [] {
    const std::pair<const char*, std::vector<const char*>> files[] = {
        {"global.cu",
         {"contiguous",
          "load_stride_2",
          "load_stride_4",
          "load_stride_8",
          "load_stride_32",
          "store_stride_33",
          "load_misaligned",
          "both_misaligned",
          "float2_lanes",
          "float4_lanes",
          "float4_load_stride_2",
          "structures_of_three",
          "structures_one_field",
          "four_adjacent_scalars",
          "gathered",
          "one_address_a_block",
          "one_address_eight_lanes",
          "reversed",
          "byte_lanes",
          "double_lanes"}},
        {"divergence.cu",
         {"rounds_by_lane", "nested_rounds", "nested_rounds_unrolled", "both_arms", "early_return",
          "partial_warp", "tail"}},
        {"shared.cu", {"bank_stride_1",         "bank_stride_2",
                       "bank_stride_4",         "bank_stride_8",
                       "bank_stride_16",        "bank_stride_32",
                       "bank_stride_33",        "one_word",
                       "two_words_of_one_bank", "bank_bytes",
                       "float2_contiguous",     "float2_stride_2",
                       "float2_halves_alike",   "float4_contiguous",
                       "float4_stride_2",       "float4_one_address",
                       "float4_neighbours",     "float4_rows_of_four",
                       "float4_row_stride_8",   "transpose_by_columns",
                       "transpose_swizzled",    "tree_sum"}},
        {"atomics.cu",
         {"atomic_one_address", "atomic_own_address", "reduction_own_address",
          "reduction_four_addresses"}},
        {"unmeasured.cu",
         {"float4_second_neighbours",
          "float4_neighbours_in_one_bank",
          "float4_neighbours_two_ways",
          "float4_fours",
          "float4_quarters",
          "float4_neighbours_half_a_warp",
          "float4_eight_lanes_apart",
          "float4_nine_lanes_apart",
          "float4_four_lanes_apart",
          "float2_sixteen_lanes_apart",
          "reduction_pairs",
          "reduction_fours",
          "reduction_one_address",
          "reduction_one_address_of_integers",
          "reduction_uneven",
          "reduction_four_sectors",
          "reduction_scattered",
          "reduction_of_doubles",
          "atomic_pairs",
          "atomic_four_addresses",
          "atomic_scattered"}}};
    std::vector<CalibrationKernel> list;
    for (const auto& [file, names] : files) {
      for (const std::string name : names) {
        list.push_back({file, name, name == "partial_warp" ? 40 : 256});
      }
    }
    return list;
  }();
  return kernels;
}

KernelLaunch calibration_launch(const CalibrationKernel& kernel) {
  Launch launch;
  launch.grid.x = kBlocks;
  launch.block.x = kernel.threads;
  return {kFolder + kernel.file,
          kernel.name,
          {},
          launch,
          {BufferArgument{"x"}, BufferArgument{"y"}, BufferArgument{"index"}, kIndices}};
}

CalibrationBuffers calibration_buffers() {
  CalibrationBuffers buffers{std::vector<float>(kFloats), std::vector<float>(kFloats), {}};
  for (std::size_t i = 0; i < kFloats; ++i) buffers.x[i] = static_cast<float>(i * 7 % 1000);
  // Multiplicative hashing: 32 neighbours have 32 sectors.
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(kIndices); ++i) {
    buffers.index.push_back(static_cast<std::int32_t>(i * 2654435761U % 4096));
  }
  return buffers;
}

std::span<const std::string> calibration_counters() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const CounterRule& rule : kRules) list.emplace_back(rule.cupti_name);
    return list;
  }();
  return names;
}

Result<CalibrationCounts> emulate_calibration(const CalibrationKernel& kernel) {
  const KernelLaunch launch = calibration_launch(kernel);
  Result<CompiledPtx> ptx = compile_to_ptx({launch.source, {}, 90});
  if (!ptx) return tl::unexpected(ptx.error());
  Result<Program> program = Program::parse(ptx->ptx, launch.source);
  if (!program) return tl::unexpected(program.error());
  CalibrationBuffers buffers = calibration_buffers();
  EmulatedMemory memory;
  const auto bytes = [](auto& values) { return std::as_writable_bytes(std::span(values)); };
  const std::uint64_t addresses[] = {
      memory.add({"x", "x[i]", ElementType::f32, {std::ssize(buffers.x)}}, bytes(buffers.x), true),
      memory.add({"y", "y[i]", ElementType::f32, {std::ssize(buffers.y)}}, bytes(buffers.y), true),
      memory.add({"index", "index[i]", ElementType::i32, {std::ssize(buffers.index)}},
                 bytes(buffers.index), true)};
  std::vector<ArgumentBytes> arguments;
  for (const std::uint64_t address : addresses) arguments.push_back(argument_of(address));
  arguments.push_back(argument_of(kIndices));
  CalibrationCounts counts{zeros(), zeros(), {}};
  // The grid once for every block whose requests are kept; addresses do not depend on y.
  for (std::int64_t block = 0; block < kBlocks; ++block) {
    EmulateOptions options;
    options.traced_block = block;
    Result<EmulatedRun> run =
        emulate(*program, kernel.name, launch.launch, arguments, memory, options);
    if (!run) return tl::unexpected(run.error());
    const Trace& trace = run->trace;
    if (trace.truncated) {
      return failure(ErrorKind::internal, "not all requests were kept", kernel.name);
    }
    for (const WarpRequest& request : trace.requests) {
      const AccessSite& site = trace.sites[request.site];
      add(counts.requests, site, cost_of(request, site));
    }
    if (block > 0) continue;
    for (const AccessSite& site : trace.sites) add(counts.sums, site, site.totals);
    counts.faults = trace.faults;
  }
  return counts;
}

Result<std::map<std::string, std::map<std::string, MeasuredCount>>> measured_on_h200() {
  const std::string name = std::string(kFolder) + "h200.csv";
  Result<std::string> text = read_kernel_source(name);
  if (!text) return tl::unexpected(text.error());
  Result<std::vector<std::vector<std::string>>> rows = parse_csv(*text);
  if (!rows) return tl::unexpected(rows.error());
  const std::vector<std::string> head = {"kernel", "counter", "h200", "emulated", "reason"};
  if (rows->empty() || rows->front() != head) {
    return failure(ErrorKind::input, "the first row does not name its five columns", "h200.csv");
  }
  std::map<std::string, std::map<std::string, MeasuredCount>> all;
  for (std::size_t i = 1; i < rows->size(); ++i) {
    const std::vector<std::string>& cells = (*rows)[i];
    if (cells.size() != head.size() || cells[3].empty() != cells[4].empty()) {
      return failure(ErrorKind::input,
                     "row " + std::to_string(i + 1) +
                         " has not five cells, or only one of figure "
                         "and reason for the emulator",
                     "h200.csv");
    }
    const Result<std::int64_t> h200 = number(cells[2], i + 1);
    const Result<std::int64_t> emulated = cells[3].empty() ? h200 : number(cells[3], i + 1);
    if (!h200) return tl::unexpected(h200.error());
    if (!emulated) return tl::unexpected(emulated.error());
    if (!all[cells[0]].emplace(cells[1], MeasuredCount{*h200, *emulated, cells[4]}).second) {
      return failure(ErrorKind::input, "row " + std::to_string(i + 1) + " stands there twice",
                     "h200.csv");
    }
  }
  return all;
}

}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
