// profiling/findings/findings.cpp: the ranked list of findings, and what all parts share.
#include "profiling/findings/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "profiling/access/trace_view.h"
#include "profiling/findings/finding_parts.h"

namespace warpscope {
namespace {

bool comes_before(const Finding& a, const Finding& b) {
  const auto is_waste = [](const Finding& f) { return f.kind >= FindingKind::uncoalesced_access; };
  if (is_waste(a) != is_waste(b)) return is_waste(b);
  return is_waste(a) && a.share_ratio() > b.share_ratio();
}

// What the trace knows with its lines, else what `resources` say of the whole kernel.
std::optional<SpilledRegisters> spills_of(const Trace& trace, const KernelResources* resources) {
  if (trace.spills || resources == nullptr) return trace.spills;
  SpilledRegisters spills;
  spills.registers_per_thread = resources->registers_per_thread;
  spills.store_bytes = resources->spill_store_bytes;
  spills.load_bytes = resources->spill_load_bytes;
  return spills;
}

// "; by line: 8 (store 40 B, load 96 B), 6 (store 68 B, load 28 B)"
std::string spilled_lines(const std::vector<SpilledRegisters::Line>& lines) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, lines.size()); ++i) {
    text += fmt::format("{}{} (store {} B, load {} B)", i == 0 ? "; by line: " : ", ",
                        lines[i].position.line, lines[i].store_bytes, lines[i].load_bytes);
  }
  return text + (lines.size() > kShown ? ", …" : "");
}

std::vector<Finding> spill_findings(const Trace& trace, const KernelResources* resources) {
  const std::optional<SpilledRegisters> spills = spills_of(trace, resources);
  if (!spills || spills->store_bytes + spills->load_bytes == 0) return {};
  Finding f;
  f.kind = FindingKind::register_spill;
  f.severity = FindingSeverity::note;
  f.position = {trace.source, 0, 0};
  if (!spills->lines.empty()) f.position = spills->lines.front().position;
  f.count = spills->store_bytes + spills->load_bytes;
  f.unit = "B";
  f.what = fmt::format("The kernel needs more than the {} registers that a thread has.",
                       spills->registers_per_thread);
  f.figure = fmt::format("spills store {} B and load {} B per thread, where each is executed once",
                         spills->store_bytes, spills->load_bytes) +
             spilled_lines(spills->lines);
  f.better =
      "Allow more registers per thread (__launch_bounds__, maxrregcount), or keep fewer values "
      "alive: shorter unrolling, smaller tiles.";
  f.gain = fmt::format("at most {} B per thread fewer", f.count);
  return {f};
}

std::string scope_of(const Trace& trace) {
  return fmt::format(
      "Figures: {}, emulated. Not listed: waste below {:.0f} % of all sectors, wavefronts or warp "
      "instructions, or below {:g} per warp instruction.",
      scope_text(trace), kLeastWasteShare * 100, kLeastWastePerInstruction);
}

}  // namespace

std::string brief_count(std::int64_t count) {
  constexpr std::pair<double, const char*> kPrefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  constexpr std::int64_t kWhole = 10'000;
  if (count < kWhole) return grouped(count);
  const auto value = static_cast<double>(count);
  for (const auto& [scale, prefix] : kPrefixes) {
    const double scaled = value / scale;
    if (scaled < 1) continue;
    return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, prefix);
  }
  return grouped(count);
}

std::string gain_text(const Trace& trace, std::int64_t extra, std::int64_t all, const char* unit) {
  const double share = all > 0 ? static_cast<double>(extra) / static_cast<double>(all) : 0;
  return fmt::format("at most {} {} fewer ({} of the {})", brief_count(extra), unit,
                     format_value(share, "ratio"),
                     covers_grid(trace) ? "launch's" : "traced block's");
}

const char* verb_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::store:
    case AccessKind::matrix_store:
    case AccessKind::bulk_store:
      return "write";
    case AccessKind::atomic:
    case AccessKind::reduction:
    case AccessKind::bulk_reduction:
      return "update";
    case AccessKind::async_copy:
    case AccessKind::bulk_copy:
      return "copy";
    default:
      return "read";
  }
}

std::string array_text(const Trace& trace, const AccessGroup& group) {
  if (group.space == Space::shared) return "shared memory";
  if (const TracedBuffer* buffer = find_buffer(trace, group.buffer))
    return buffer->symbol.empty() ? buffer->name : buffer->symbol;
  return group.buffer.empty() ? "global memory" : group.buffer;
}

std::int64_t extra_of(const AccessTotals& totals, bool shared) {
  return shared ? totals.wavefronts - totals.ideal_wavefronts
                : totals.sectors - totals.ideal_sectors;
}

std::vector<AccessGroup> access_groups(const Trace& trace, bool shared) {
  std::vector<AccessGroup> groups;
  std::vector<std::ptrdiff_t> of_site(trace.sites.size(), -1);
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const AccessSite& site = trace.sites[i];
    if (site.space != (shared ? Space::shared : Space::global) || site.totals.requests == 0)
      continue;
    const auto id = static_cast<std::uint32_t>(i);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const AccessGroup& g) {
      return g.position.file == site.position.file && g.position.line == site.position.line &&
             verb_of(g.kind) == verb_of(site.kind) && g.buffer == site.buffer;
    });
    if (group == groups.end()) {
      groups.push_back(
          {site.position, site.space, site.kind, site.width_bytes, site.buffer, {}, id, {}});
      group = std::prev(groups.end());
    }
    if (extra_of(site.totals, shared) > extra_of(trace.sites[group->worst].totals, shared)) {
      group->worst = id;
      group->width_bytes = site.width_bytes;
      group->kind = site.kind;
    }
    of_site[i] = group - groups.begin();
    group->totals += site.totals;
  }
  constexpr std::size_t kMostKept = 1 << 14;  // further ones show the same pattern
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const WarpRequest& request = trace.requests[i];
    const std::ptrdiff_t of = of_site[request.site];
    if (of < 0 || request.active == 0) continue;
    std::vector<std::size_t>& kept = groups[static_cast<std::size_t>(of)].requests;
    if (kept.size() < kMostKept) kept.push_back(i);
  }
  return groups;
}

bool is_listed(const Trace& trace, std::int64_t extra, std::int64_t all) {
  if (extra <= 0 || all <= 0) return false;
  const auto value = static_cast<double>(extra);
  return value >= kLeastWasteShare * static_cast<double>(all) &&
         value >= kLeastWastePerInstruction * static_cast<double>(trace.warp_instructions);
}

FindingSeverity severity_of_share(double share_ratio) {
  return share_ratio >= kWarningShare ? FindingSeverity::warning : FindingSeverity::note;
}

FindingList findings_of(const Trace& trace, const KernelResources* resources) {
  FindingList list;
  list.scope = scope_of(trace);
  for (std::vector<Finding>& part :
       std::vector{fault_findings(trace), global_findings(trace), shared_findings(trace),
                   lane_findings(trace), spill_findings(trace, resources)}) {
    std::move(part.begin(), part.end(), std::back_inserter(list.findings));
  }
  std::stable_sort(list.findings.begin(), list.findings.end(), comes_before);
  return list;
}

std::optional<std::size_t> worst_request(const Trace& trace, std::uint32_t site) {
  std::optional<std::size_t> worst;
  std::int64_t most = -1;
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    if (trace.requests[i].site != site) continue;
    const bool shared = trace.sites[site].space == Space::shared;
    const std::int64_t extra = extra_of(request_cost(trace, trace.requests[i]), shared);
    if (extra > most) std::tie(most, worst) = std::pair(extra, std::optional(i));
  }
  return worst;
}

}  // namespace warpscope
