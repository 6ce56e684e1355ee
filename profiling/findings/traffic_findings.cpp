// profiling/findings/traffic_findings.cpp: sectors and wavefronts that a launch could do without.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "profiling/access/trace_view.h"
#include "profiling/figures/metric.h"
#include "profiling/findings/access_causes.h"
#include "profiling/findings/finding_parts.h"
#include "profiling/findings/lane_pattern.h"

namespace warpscope {
namespace {

std::string per_request(std::int64_t count, std::int64_t requests) {
  const double mean = requests > 0 ? static_cast<double>(count) / static_cast<double>(requests) : 0;
  return fmt::format("{:.2f}", mean);
}

bool is_atomic(AccessKind kind) {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}

std::int64_t all_sectors(const Trace& trace) {
  return std::accumulate(trace.sites.begin(), trace.sites.end(), std::int64_t{0},
                         [](std::int64_t sum, const AccessSite& site) {
                           const bool counts =
                               site.space == Space::global || site.space == Space::local;
                           return sum + (counts ? site.totals.sectors : 0);
                         });
}

Finding begun(const Trace& trace, const AccessGroup& group, FindingKind kind, std::int64_t extra,
              std::int64_t all, const char* unit) {
  Finding f;
  f.kind = kind;
  f.position = group.position;
  f.count = extra;
  f.all = all;
  f.unit = unit;
  f.severity = severity_of_share(f.share_ratio());
  f.gain = gain_text(trace, extra, all, unit);
  f.site = group.worst;
  f.diagram = group.space == Space::shared ? FindingDiagram::shared_requests
                                           : FindingDiagram::global_requests;
  return f;
}

std::int64_t all_requests(const Trace& trace) {
  return std::accumulate(trace.sites.begin(), trace.sites.end(), std::int64_t{0},
                         [](std::int64_t sum, const AccessSite& site) {
                           return sum + (site.space == Space::global ? site.totals.requests : 0);
                         });
}

// Atomics whose lanes share addresses, or whose warps all do. No value: neither costs anything.
std::optional<Finding> atomic_finding(const Trace& trace, const AccessGroup& group,
                                      std::int64_t sectors) {
  if (!is_atomic(group.kind)) return std::nullopt;
  const SharedAddresses shared = shared_addresses(trace, group.requests);
  const std::string array = array_text(trace, group);
  const std::int64_t extra = extra_of(group.totals, false);
  if (is_listed(trace, extra, sectors) && shared.in_requests) {
    Finding f = begun(trace, group, FindingKind::atomic_conflict, extra, sectors, "sectors");
    f.what =
        fmt::format("Lanes of a warp update the same element of {}, one after another.", array);
    f.figure = fmt::format("{} sectors per request, where the addresses lie in {}",
                           per_request(group.totals.sectors, group.totals.requests),
                           per_request(group.totals.ideal_sectors, group.totals.requests));
    f.better =
        "Combine the lanes' values in the warp first (__reduce_add_sync or shuffles), then let one "
        "lane update the element.";
    return f;
  }
  // One request per block has to remain.
  const std::int64_t needed = std::min(group.totals.requests, block_count(trace.launch));
  const std::int64_t requests = group.totals.requests - needed;
  const std::int64_t all = all_requests(trace);
  if (group.requests.size() < 2 || !shared.one || !covers_grid(trace) ||
      !is_listed(trace, requests, all))
    return std::nullopt;
  Finding f = begun(trace, group, FindingKind::atomic_conflict, requests, all, "requests");
  f.what = fmt::format("Every warp of a block updates the same element of {}.", array);
  f.figure =
      fmt::format("{} requests of {} blocks update one address", brief_count(group.totals.requests),
                  brief_count(block_count(trace.launch)));
  f.better =
      "Combine the values in the block first (shared memory or shuffles), then let one thread per "
      "block update the element.";
  return f;
}

Finding sector_finding(const Trace& trace, const AccessGroup& group, std::int64_t sectors) {
  const AccessCause cause = global_cause(trace, group);
  const AccessTotals& t = group.totals;
  Finding f = begun(trace, group, cause.kind, extra_of(t, false), sectors, "sectors");
  f.what = cause.what;
  f.better = cause.better;
  f.figure = fmt::format(
      "{} sectors per request, where {} hold the bytes; {} of the {} in these sectors are used",
      per_request(t.sectors, t.requests), per_request(t.ideal_sectors, t.requests),
      format_value(t.sector_efficiency(), "ratio"),
      format_value(static_cast<double>(t.sectors) * static_cast<double>(kSectorBytes), "B"));
  return f;
}

void add_local(const Trace& trace, std::int64_t sectors, std::vector<Finding>& list) {
  for (const LineTotals& line : trace.lines) {
    const AccessTotals& t = line.local;
    if (!is_listed(trace, t.sectors, sectors)) continue;
    AccessGroup group;
    group.position = line.position;
    group.space = Space::local;
    Finding f = begun(trace, group, FindingKind::local_memory, t.sectors, sectors, "sectors");
    f.site = -1;
    for (std::size_t i = 0; i < trace.sites.size() && f.site < 0; ++i) {
      if (trace.sites[i].space == Space::local &&
          trace.sites[i].position.line == line.position.line &&
          trace.sites[i].position.file == line.position.file)
        f.site = static_cast<std::int64_t>(i);
    }
    f.what =
        "The threads keep an array or a structure in local memory here: it is indexed with a "
        "variable, or its address is taken.";
    f.figure = fmt::format("{} requests to local memory move {} sectors", brief_count(t.requests),
                           brief_count(t.sectors));
    f.better =
        "Unroll the loop so that each index is a constant and the array stays in registers, or "
        "keep it in shared memory.";
    list.push_back(std::move(f));
  }
}

}  // namespace

std::vector<Finding> global_findings(const Trace& trace) {
  std::vector<Finding> list;
  const std::int64_t sectors = all_sectors(trace);
  for (const AccessGroup& group : access_groups(trace, false)) {
    if (auto atomic = atomic_finding(trace, group, sectors)) {
      list.push_back(std::move(*atomic));
    } else if (is_listed(trace, extra_of(group.totals, false), sectors)) {
      list.push_back(sector_finding(trace, group, sectors));
    }
  }
  add_local(trace, sectors, list);
  return list;
}

std::vector<Finding> shared_findings(const Trace& trace) {
  std::vector<Finding> list;
  std::int64_t all = 0;
  const std::vector<AccessGroup> groups = access_groups(trace, true);
  for (const AccessGroup& group : groups) all += group.totals.wavefronts;
  for (const AccessGroup& group : groups) {
    const AccessTotals& t = group.totals;
    const std::int64_t extra = extra_of(t, true);
    if (!is_listed(trace, extra, all)) continue;
    const AccessCause cause = bank_cause(trace, group);
    Finding f = begun(trace, group, cause.kind, extra, all, "wavefronts");
    f.what = cause.what;
    f.better = cause.better;
    f.figure = fmt::format("{} wavefronts per request, where {} are enough without conflicts",
                           per_request(t.wavefronts, t.requests),
                           per_request(t.ideal_wavefronts, t.requests));
    list.push_back(std::move(f));
  }
  return list;
}

}  // namespace warpscope
