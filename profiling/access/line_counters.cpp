// profiling/access/line_counters.cpp: what the device counted of a kernel, by line of its source.
#include "profiling/access/line_counters.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace warpscope {
namespace {

using Place = std::tuple<std::string, int>;

constexpr LineMetricRow kRows[] = {
    {LineMetric::sectors, "sectors", "Sectors", "smsp__sass_sectors_mem_global",
     "32-byte sectors of global memory that the line's loads, stores and atomics asked for."},
    {LineMetric::ideal_sectors, "ideal_sectors", "Sectors, ideal",
     "smsp__sass_sectors_mem_global_ideal",
     "Sectors that would do for the same bytes if the lanes' addresses lay side by side."},
    {LineMetric::wavefronts, "wavefronts", "Wavefronts",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
     "Passes through the banks of shared memory: each serves one word per bank."},
    {LineMetric::ideal_wavefronts, "ideal_wavefronts", "Wavefronts, ideal",
     "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
     "Passes that would do without bank conflicts."},
    {LineMetric::tags, "tags", "Tags", "smsp__sass_l1tex_tags_mem_global",
     "128-byte lines of global memory that L1 looked up, request by request."},
    {LineMetric::instructions, "instructions", "Instructions", "smsp__sass_inst_executed",
     "Machine instructions of the line that warps executed."},
    {LineMetric::threads, "threads", "Thread instructions", "smsp__sass_thread_inst_executed",
     "Active lanes, summed over those: 32 for each instruction of a full warp."},
    {LineMetric::threads_on, "threads_on", "Predicated-on thread instructions",
     "smsp__sass_thread_inst_executed_pred_on",
     "Active lanes whose predicate holds, summed over those."},
};

Place place_of(const SourcePosition& p) { return {p.file, p.line}; }

}  // namespace

std::span<const LineMetricRow, kLineMetricCount> line_metrics() { return kRows; }

LineFigures& LineFigures::operator+=(const LineFigures& other) {
  for (std::size_t i = 0; i < kLineMetricCount; ++i) {
    if (!other.values[i]) continue;
    std::int64_t sum = 0;
    // Counts from outside may be anything.
    if (__builtin_add_overflow(values[i].value_or(0), *other.values[i], &sum))
      sum = std::numeric_limits<std::int64_t>::max();
    values[i] = sum;
  }
  return *this;
}

std::vector<LineCount> sum_by_line(std::span<const InstructionCount> instructions,
                                   const std::function<CallChain(std::uint64_t offset)>& chain_at,
                                   const std::string& main_file) {
  std::map<std::pair<Place, std::vector<Place>>, LineCount> rows;
  for (const InstructionCount& instruction : instructions) {
    CallChain chain = chain_at(instruction.offset);
    if (chain.empty()) chain.emplace_back();
    const auto own = std::find_if(chain.begin(), chain.end(),
                                  [&](const SourcePosition& p) { return p.file == main_file; });
    const SourcePosition position = own == chain.end() ? chain.front() : *own;
    std::vector<Place> outward;
    for (const SourcePosition& p : chain) outward.push_back(place_of(p));
    LineCount& row = rows[{place_of(position), std::move(outward)}];
    row.position = position;
    if (chain.size() > 1) row.inlined_at = std::move(chain);
    ++row.machine_instructions;
    row.figures += instruction.figures;
  }
  std::vector<LineCount> list;
  list.reserve(rows.size());
  for (auto& [place, row] : rows) list.push_back(std::move(row));
  return list;
}

LineFigures figures_at(const LineCounters& counters, const std::string& file, int line) {
  LineFigures sum;
  for (const LineCount& row : counters.rows) {
    if (row.position.line == line && row.position.file == file) sum += row.figures;
  }
  return sum;
}

LineFigures figures_of_all(const LineCounters& counters) {
  LineFigures sum;
  for (const LineCount& row : counters.rows) sum += row.figures;
  return sum;
}

bool asks_for_lines(std::string_view counters) {
  while (!counters.empty()) {
    const std::size_t end = std::min(counters.find(','), counters.size());
    if (counters.substr(0, end) == kLineCounterSet) return true;
    counters.remove_prefix(std::min(end + 1, counters.size()));
  }
  return false;
}

}  // namespace warpscope
