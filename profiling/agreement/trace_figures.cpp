// profiling/agreement/trace_figures.cpp: what each instruction costs, beside the counters, and as
// CSV.
#include <fmt/format.h>

#include <algorithm>

#include "profiling/access/trace_view.h"
#include "profiling/figures/csv_text.h"

namespace warpscope {
namespace {

// The counters that sum over a group of instructions.
struct Group {
  const char* name;
  Space space;
  bool (*holds)(AccessKind);
  const char* cost;                // metric id: sectors, or wavefronts
  const char* requests;            // metric id; null: the counters of this version have none
  const char* and_cost = nullptr;  // metric id of the rest of the cost
  // Metric ids of the same cost without what the counters above add on whole grids.
  const char* exact_cost = nullptr;
  const char* and_exact_cost = nullptr;
};

constexpr Group kGroups[] = {
    {"global loads", Space::global,
     [](AccessKind kind) { return kind == AccessKind::load || kind == AccessKind::async_copy; },
     "l1.sectors_load", "l1.requests_load"},
    {"global stores", Space::global, [](AccessKind kind) { return kind == AccessKind::store; },
     "l1.sectors_store", "l1.requests_store"},
    // Apart: the sum over all operations also counts what is not a bank conflict.
    {"shared memory", Space::shared,
     // What an asynchronous copy (LDGSTS) writes is in neither counter. source: counted on an H200.
     // Neither are reads of wgmma, which go past the pipe of loads and stores.
     [](AccessKind kind) {
       return kind != AccessKind::atomic && kind != AccessKind::reduction &&
              kind != AccessKind::async_copy && kind != AccessKind::product_read;
     },
     "shared.wavefronts_load", nullptr, "shared.wavefronts_store", "shared.wavefronts_lds",
     "shared.wavefronts_sts"}};

bool is_shared(Space space) { return space == Space::shared; }

const Group* group_of(const AccessSite& site) {
  for (const Group& group : kGroups) {
    if (group.space == site.space && group.holds(site.kind)) return &group;
  }
  return nullptr;
}

std::optional<double> sum_of(const std::vector<MetricValue>& counters, const char* id,
                             const char* other) {
  if (id == nullptr) return std::nullopt;
  const std::optional<double> value = value_of(counters, id);
  if (other == nullptr) return value;
  const std::optional<double> rest = value_of(counters, other);
  return value && rest ? std::optional(*value + *rest) : std::nullopt;
}

AccessTotals sum_of(const Trace& trace, const Group& group, int* sites) {
  AccessTotals sum;
  for (const AccessSite& site : trace.sites) {
    if (group_of(site) != &group) continue;
    sum += site.totals;
    *sites += site.totals.requests > 0 ? 1 : 0;
  }
  return sum;
}

std::string reason_for(const std::vector<MetricValue>& counters, const char* id) {
  const MetricValue* value = find_value(counters, id);
  if (value != nullptr && !value->reason.empty()) return value->reason;
  return std::string("the session has no counter ") + id + " at this configuration";
}

std::int64_t cost_of(const AccessTotals& t, Space space) {
  return is_shared(space) ? t.wavefronts + t.remote_sectors() : t.sectors;
}

// What goes to other blocks costs sectors: none of them is one too many.
const char* cost_unit(const AccessTotals& t, Space space) {
  if (!is_shared(space)) return "sectors";
  if (t.remote_requests() == 0) return "wavefronts";
  return t.wavefronts == 0 ? "remote sectors" : "wavefronts and remote sectors";
}

double per_request(std::int64_t cost, const AccessTotals& t) {
  return t.requests == 0 ? 0 : static_cast<double>(cost) / static_cast<double>(t.requests);
}

}  // namespace

std::vector<GroupFigures> group_figures(const Trace& trace,
                                        const std::vector<MetricValue>& counters) {
  std::vector<GroupFigures> list;
  for (const Group& group : kGroups) {
    int sites = 0;
    const AccessTotals sum = sum_of(trace, group, &sites);
    if (sites == 0) continue;
    GroupFigures figures{group.name, "", group.space, {}, {}, ""};
    std::optional<double> cost = sum_of(counters, group.exact_cost, group.and_exact_cost);
    if (!cost) cost = sum_of(counters, group.cost, group.and_cost);
    const std::optional<double> requests =
        group.requests == nullptr ? std::nullopt : value_of(counters, group.requests);
    if (group.requests != nullptr) {
      figures.unit = "sectors/request";
      figures.modelled = per_request(sum.sectors, sum);
      if (cost && requests && *requests > 0) {
        figures.measured = *cost / *requests;
      } else {
        figures.missing = reason_for(counters, cost ? group.requests : group.cost);
      }
    } else {
      // A sum, not a ratio: it compares only when every block was run.
      figures.unit = "wavefronts";
      if (covers_grid(trace)) figures.modelled = static_cast<double>(sum.wavefronts);
      if (cost) {
        figures.measured = cost;
      } else {
        figures.missing = reason_for(counters, group.cost);
      }
    }
    list.push_back(std::move(figures));
  }
  return list;
}

std::vector<SiteFigures> site_figures(const Trace& trace,
                                      const std::vector<MetricValue>& counters) {
  std::int64_t sectors = 0, wavefronts = 0;
  for (const AccessSite& site : trace.sites)
    (is_shared(site.space) ? wavefronts : sectors) += cost_of(site.totals, site.space);
  const std::vector<GroupFigures> groups = group_figures(trace, counters);
  std::vector<SiteFigures> list;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const AccessSite& site = trace.sites[i];
    const AccessTotals& t = site.totals;
    const bool shared = is_shared(site.space);
    const std::int64_t cost = cost_of(t, site.space), all = shared ? wavefronts : sectors;
    SiteFigures figures;
    figures.site = static_cast<std::uint32_t>(i);
    figures.unit = std::string(cost_unit(t, site.space)) + "/request";
    figures.modelled = per_request(cost, t);
    figures.ideal =
        per_request(shared ? t.ideal_wavefronts + t.remote_sectors() : t.ideal_sectors, t);
    figures.efficiency_ratio = !shared             ? t.sector_efficiency()
                               : t.wavefronts == 0 ? 1.0
                                                   : static_cast<double>(t.ideal_wavefronts) /
                                                         static_cast<double>(t.wavefronts);
    figures.share_ratio = all == 0 ? 0 : static_cast<double>(cost) / static_cast<double>(all);
    if (figures.modelled > 0)
      figures.waste_ratio = figures.share_ratio * (1 - figures.ideal / figures.modelled);
    const Group* group = group_of(site);
    int sites = 0;
    if (group != nullptr) sum_of(trace, *group, &sites);
    if (group == nullptr || group->requests == nullptr) {
      figures.missing = fmt::format("no counter gives the cost of one {}", to_text(site.kind));
    } else if (sites > 1) {
      figures.missing = fmt::format(
          "the counters are sums over all {} {} of the kernel; the set “lines” counts "
          "source lines, which Source shows",
          sites, group->name);
      figures.summed = true;
    } else {
      for (const GroupFigures& g : groups) {
        if (g.name != group->name) continue;
        figures.measured = g.measured;
        figures.missing = g.missing;
      }
    }
    list.push_back(std::move(figures));
  }
  return list;
}

namespace {

// Global memory costs sectors, shared memory wavefronts; what goes to other blocks is in neither.
std::optional<LineMetric> counted_metric(const AccessSite& site) {
  if (site.space == Space::global) return LineMetric::sectors;
  if (!is_shared(site.space) || site.totals.remote_requests() > 0) return std::nullopt;
  return LineMetric::wavefronts;
}

// Whether the counts are of the instructions that the trace has.
bool counts_instructions(const Trace& trace, const LineCounters& lines) {
  constexpr std::uint64_t kInstructionBytes = 16;
  return trace.machine_code && !lines.instructions.empty() &&
         std::all_of(lines.instructions.begin(), lines.instructions.end(),
                     [&](const InstructionCount& count) {
                       return count.offset % kInstructionBytes == 0 &&
                              count.offset / kInstructionBytes < trace.machine_code->rows.size();
                     });
}

LineFigures counted_at(const LineCounters& lines, std::uint32_t instruction) {
  constexpr std::uint64_t kInstructionBytes = 16;
  LineFigures sum;
  for (const InstructionCount& count : lines.instructions) {
    if (count.offset == instruction * kInstructionBytes) sum += count.figures;
  }
  return sum;
}

// By the trace's requests if every block ran, else by how often the device executed it.
void count_instruction(SiteFigures& f, const Trace& trace, const AccessSite& site,
                       const LineFigures& counted, LineMetric metric) {
  const std::optional<std::int64_t>& executed = counted[LineMetric::instructions];
  const std::int64_t requests =
      trace.scope.grid && !trace.sample ? site.totals.requests : executed.value_or(0);
  if (!counted[metric] || requests <= 0) return;
  f.measured = static_cast<double>(*counted[metric]) / static_cast<double>(requests);
  f.counted = "counted at this SASS instruction by the set “lines”";
}

// Instructions of one line for one kind of memory are counted together: what several of them have
// is not the figure of one.
void count_line(SiteFigures& f, const Trace& trace, const AccessSite& site,
                const LineCounters& lines, LineMetric metric) {
  if (!covers_grid(trace)) return;
  std::int64_t requests = 0;
  int sites = 0;
  for (const AccessSite& other : trace.sites) {
    if (other.position.line != site.position.line || other.position.file != site.position.file)
      continue;
    if (counted_metric(other) != metric || other.totals.requests == 0) continue;
    requests += other.totals.requests;
    ++sites;
  }
  const LineFigures counted = figures_at(lines, site.position.file, site.position.line);
  if (!counted[metric] || requests == 0) return;
  const double of_line = static_cast<double>(*counted[metric]) / static_cast<double>(requests);
  if (sites > 1) {
    f.summed = true;
    f.missing = fmt::format(
        "the set “lines” counted {:.2f} {} at this source line, for its {} "
        "instructions together",
        of_line, f.unit, sites);
    return;
  }
  f.measured = of_line;
  f.counted = "counted at this source line by the set “lines”";
}

}  // namespace

void add_line_counts(std::vector<SiteFigures>& figures, const Trace& trace,
                     const LineCounters* lines) {
  if (lines == nullptr) return;
  const bool by_instruction = counts_instructions(trace, *lines);
  for (SiteFigures& f : figures) {
    const AccessSite& site = trace.sites[f.site];
    const std::optional<LineMetric> metric = counted_metric(site);
    if (f.measured || !metric || site.totals.requests == 0) continue;
    if (by_instruction) {
      count_instruction(f, trace, site, counted_at(*lines, site.instruction), *metric);
    } else {
      count_line(f, trace, site, *lines, *metric);
    }
    if (!f.measured) continue;
    f.missing.clear();
    f.summed = false;
  }
}

std::string accesses_csv(const Trace& trace, const std::vector<MetricValue>& counters) {
  std::string csv = csv_row({"scene",
                             "variant",
                             "key",
                             "step",
                             "scope",
                             "file",
                             "line",
                             "instruction",
                             "space",
                             "kind",
                             "buffer",
                             "width_bytes",
                             "requests",
                             "cost",
                             "cost_unit",
                             "modelled_per_request",
                             "ideal_per_request",
                             "measured_per_request",
                             "efficiency_ratio",
                             "share_ratio",
                             "origin"});
  const std::string scope = trace.scope.grid ? "grid"
                            : trace.sample   ? scope_text(trace)
                                             : fmt::format("block {}", trace.scope.block);
  for (const SiteFigures& f : site_figures(trace, counters)) {
    const AccessSite& site = trace.sites[f.site];
    csv += csv_row({trace.scene,
                    trace.variant,
                    trace.key,
                    trace.step,
                    scope,
                    site.position.file,
                    std::to_string(site.position.line),
                    site.text,
                    to_text(site.space),
                    to_text(site.kind),
                    site.buffer,
                    std::to_string(site.width_bytes),
                    std::to_string(site.totals.requests),
                    std::to_string(cost_of(site.totals, site.space)),
                    cost_unit(site.totals, site.space),
                    fmt::format("{}", f.modelled),
                    fmt::format("{}", f.ideal),
                    f.measured ? fmt::format("{}", *f.measured) : "",
                    fmt::format("{}", f.efficiency_ratio),
                    fmt::format("{}", f.share_ratio),
                    "modelled"});
  }
  return csv;
}

}  // namespace warpscope
