// profiling/export/report/emulated_tables.cpp: what emulated launches cost, and what is wrong or
// wasteful in them.
#include <algorithm>

#include "profiling/export/report/material.h"
#include "profiling/export/report/summary.h"
#include "profiling/findings/findings.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

std::string name_of(const Trace& trace) {
  return trace.scene.empty() ? trace.entry : trace.scene + "/" + trace.variant;
}

struct Sums {
  AccessTotals global, shared;
};

Sums sums_of(const Trace& trace) {
  Sums sums;
  for (const LineTotals& line : trace.lines) sums.global += line.global, sums.shared += line.shared;
  return sums;
}

std::vector<std::string> launch_row(const Session& session, const Trace& trace) {
  const Sums sums = sums_of(trace);
  std::int64_t faults = 0;
  for (const Fault& fault : trace.faults) faults += is_wrong(fault) ? 1 : 0;
  const auto share = [](std::int64_t part, std::int64_t all) {
    return all > 0 ? format_value(static_cast<double>(part) / static_cast<double>(all), "ratio")
                   : std::string("–");
  };
  return {name_of(trace),
          trace.key.empty() ? "–" : values_of_key(session.catalogue(), trace.scene, trace.key),
          trace.entry,
          scope_text(trace),
          grouped(trace.warp_instructions),
          grouped(sums.global.requests),
          sums.global.requests > 0 ? format_value(sums.global.sectors_per_request(), "1") : "–",
          share(sums.global.ideal_sectors, sums.global.sectors),
          grouped(sums.shared.wavefronts),
          grouped(sums.shared.wavefronts - sums.shared.ideal_wavefronts),
          std::to_string(faults)};
}

}  // namespace

std::vector<ReportTable> emulated_tables(const Session& session) {
  const std::vector<const Trace*> traces = session.traces();
  if (traces.empty()) return {};
  ReportTable launches{"What each launch costs",
                       {"variant", "at", "kernel", "what ran", "warp instructions",
                        "global requests", "sectors per request", "sectors needed",
                        "shared wavefronts", "bank conflicts, wavefronts", "faults"},
                       {}};
  launches.note =
      "Emulated on the CPU, not measured. Sectors needed: of the sectors that the requests take, "
      "as "
      "many as their bytes would fill. " +
      selection_note(traces.size(), "launches");
  ReportTable findings{
      "Findings in emulated launches",
      {"variant", "line", "severity", "finding", "figure", "what is better", "possible gain"},
      {}};
  std::size_t found = 0;
  for (std::size_t i = 0; i < std::min(traces.size(), kMostShown); ++i) {
    const Trace& trace = *traces[i];
    launches.rows.push_back(launch_row(session, trace));
    for (const Finding& finding : findings_of(trace).findings) {
      if (found++ >= kMostShown) continue;
      findings.rows.push_back(
          {name_of(trace),
           finding.position.line > 0
               ? finding.position.file + ":" + std::to_string(finding.position.line)
               : "–",
           to_text(finding.severity),
           std::string(rule_of(finding.kind).title) + ". " + finding.what, finding.figure,
           finding.better, finding.gain.empty() ? "–" : finding.gain});
    }
  }
  findings.note = selection_note(found, "findings");
  std::vector<ReportTable> tables = {std::move(launches)};
  if (!findings.rows.empty()) tables.push_back(std::move(findings));
  return tables;
}

}  // namespace warpscope
