// profiling/findings/lane_findings.cpp: warp instructions in which lanes are idle.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <vector>

#include "profiling/figures/metric.h"
#include "profiling/findings/finding_parts.h"

namespace warpscope {
namespace {

std::int64_t threads_of(const Launch& launch) {
  return launch.block.x * launch.block.y * launch.block.z;
}

// The lanes of a warp that have a thread; of the last warp of a block maybe not all.
std::uint32_t lanes_with_thread(const Launch& launch, std::size_t warp) {
  const std::int64_t rest = threads_of(launch) - static_cast<std::int64_t>(warp) * kWarpLanes;
  return rest >= kWarpLanes ? kAllLanes : (1U << std::max<std::int64_t>(rest, 0)) - 1;
}

// What the kept block's warps did at a line. Instructions that no lane takes are skipped by all of
// them together, which is not divergence.
struct LineActivity {
  std::int64_t executed = 0, skipped = 0, partial = 0;
  // Executed again by a warp with fewer of the same lanes; with some other and without some of
  // the same.
  std::int64_t shrinking = 0, mixed = 0;
  // Lanes leave a loop for good; a condition holds for other lanes each time.
  bool is_loop() const {
    constexpr std::int64_t kRare = 10;  // mixed once in this many
    return shrinking > 0 && kRare * mixed <= shrinking;
  }
};

// By line number; lines beyond the last one with an instruction are left out.
std::vector<LineActivity> activity_by_line(const Trace& trace) {
  // No kernel has more; a trace from outside may name others.
  constexpr int kMostLines = 1 << 20;
  constexpr std::uint32_t kMostInstructions = 1 << 24;
  std::vector<LineActivity> lines;
  std::vector<std::uint32_t> last;  // by instruction: the lanes with which the warp executed it
  for (std::size_t warp = 0; warp < trace.issued.size(); ++warp) {
    const std::uint32_t whole = lanes_with_thread(trace.launch, warp);
    last.assign(last.size(), 0);
    for (const IssuedInstruction& issued : trace.issued[warp]) {
      if (issued.line <= 0 || issued.line > kMostLines || issued.instruction > kMostInstructions)
        continue;
      const auto number = static_cast<std::size_t>(issued.line);
      if (number >= lines.size()) lines.resize(number + 1);
      if (issued.instruction >= last.size()) last.resize(issued.instruction + std::size_t{1});
      LineActivity& line = lines[number];
      ++line.executed;
      line.skipped += issued.active == 0;
      if (issued.active == 0) continue;
      line.partial += issued.active != whole;
      std::uint32_t& before = last[issued.instruction];
      const std::uint32_t both = before & issued.active;
      if (before != issued.active && both == issued.active) ++line.shrinking;
      if (both != before && both != issued.active) ++line.mixed;
      before = issued.active;
    }
  }
  return lines;
}

// Neighbouring lines in which lanes are idle.
struct IdleLines {
  SourcePosition worst;
  int first = 0, last = 0;
  double idle = 0, most = 0;  // unit: warp instructions; of the worst line
  std::int64_t instructions = 0, threads = 0;
  bool loop = false;  // lanes leave a loop at different times
};

std::vector<IdleLines> idle_lines(const Trace& trace) {
  constexpr int kApart = 3;  // lines of one loop or branch are not further apart
  const std::vector<LineActivity> activity = activity_by_line(trace);
  const double whole = static_cast<double>(threads_of(trace.launch)) /
                       (warps_of(trace.launch) * static_cast<double>(kWarpLanes));
  std::vector<IdleLines> list;
  for (const LineTotals& line : trace.lines) {
    const auto number = static_cast<std::size_t>(std::max(line.position.line, 0));
    if (number >= activity.size() || activity[number].partial == 0) continue;
    const LineActivity& a = activity[number];
    const auto instructions = static_cast<double>(line.instructions);
    const double taken =
        instructions * (1 - static_cast<double>(a.skipped) / static_cast<double>(a.executed));
    const double idle = taken * whole - static_cast<double>(line.threads) / kWarpLanes;
    if (idle <= 0) continue;
    if (list.empty() || list.back().worst.file != line.position.file ||
        line.position.line > list.back().last + kApart)
      list.push_back({line.position, line.position.line, line.position.line});
    IdleLines& lines = list.back();
    lines.last = line.position.line;
    lines.idle += idle;
    lines.instructions += static_cast<std::int64_t>(taken);
    lines.threads += line.threads;
    if (idle <= lines.most) continue;
    lines.most = idle;
    lines.worst = line.position;
    lines.loop = a.is_loop();
  }
  return list;
}

void add_divergence(const Trace& trace, std::vector<Finding>& list) {
  const std::int64_t all = trace.warp_instructions;
  for (const IdleLines& lines : idle_lines(trace)) {
    Finding f;
    f.kind = FindingKind::divergence;
    f.position = lines.worst;
    f.count = static_cast<std::int64_t>(lines.idle);
    f.all = all;
    if (f.share_ratio() < kLeastWasteShare) continue;
    f.unit = "warp instructions";
    f.severity = severity_of_share(f.share_ratio());
    const std::string where = lines.first == lines.last
                                  ? fmt::format("line {}", lines.first)
                                  : fmt::format("lines {} to {}", lines.first, lines.last);
    f.what = lines.loop ? fmt::format(
                              "The lanes of a warp leave a loop in {} after different numbers of "
                              "iterations. Lanes that are done wait for the others.",
                              where)
                        : fmt::format(
                              "In {}, a condition holds for only some lanes of a warp. The others "
                              "are idle.",
                              where);
    f.figure = fmt::format("{:.1f} of 32 lanes are active on average, over {} warp instructions",
                           static_cast<double>(lines.threads) /
                               static_cast<double>(std::max<std::int64_t>(lines.instructions, 1)),
                           brief_count(lines.instructions));
    f.better =
        lines.loop
            ? "Give the lanes of a warp equally long work: sort it by length, or let a whole "
              "warp share one piece."
            : "Let whole warps take one path: decide by threadIdx.x / 32, or collect the "
              "elements that need work first.";
    f.gain = gain_text(trace, f.count, all, "warp instructions");
    f.diagram = FindingDiagram::active_lanes;
    list.push_back(std::move(f));
  }
}

// The first line of the kernel's own file that did anything.
SourcePosition first_position(const Trace& trace) {
  SourcePosition first{trace.source, 0, 0};
  for (const LineTotals& line : trace.lines) {
    if (line.position.file != trace.source) continue;
    if (first.line == 0 || line.position.line < first.line) first = line.position;
  }
  return first;
}

void add_partial_warps(const Trace& trace, std::vector<Finding>& list) {
  const std::int64_t threads = threads_of(trace.launch);
  const std::int64_t lanes = std::int64_t{warps_of(trace.launch)} * kWarpLanes;
  const double idle = static_cast<double>(lanes - threads) / static_cast<double>(lanes);
  if (idle < kLeastWasteShare) return;
  Finding f;
  f.kind = FindingKind::partial_warps;
  f.position = first_position(trace);
  f.all = trace.warp_instructions;
  f.count = static_cast<std::int64_t>(idle * static_cast<double>(f.all));
  if (f.count == 0) return;
  f.unit = "warp instructions";
  f.severity = severity_of_share(f.share_ratio());
  f.what = fmt::format(
      "A block has {} threads, which leaves {} of the {} lanes of its {} without a "
      "thread.",
      threads, lanes - threads, lanes,
      lanes == kWarpLanes ? "warp" : fmt::format("{} warps", lanes / kWarpLanes));
  f.figure = fmt::format("{} of all lanes have no thread", format_value(idle, "ratio"));
  f.better = "Launch blocks whose number of threads is a multiple of 32.";
  f.gain = gain_text(trace, f.count, f.all, "warp instructions");
  f.diagram = FindingDiagram::active_lanes;
  list.push_back(std::move(f));
}

}  // namespace

std::vector<Finding> lane_findings(const Trace& trace) {
  std::vector<Finding> list;
  add_divergence(trace, list);
  add_partial_warps(trace, list);
  return list;
}

}  // namespace warpscope
