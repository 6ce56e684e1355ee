// profiling/export/report/winners.cpp: who is fastest at every problem, and what limits it.
#include <algorithm>

#include "profiling/export/report/summary.h"
#include "profiling/figures/time_unit.h"
#include "profiling/points/level_bytes.h"
#include "profiling/points/point.h"

namespace warpscope {
namespace {

constexpr const char* kBytesUnknown = "bytes not counted";

// "84.50 % of the L1 roof"; or why no roof is named.
std::string limit_text(ReportMaterial& material, const Measurement& best) {
  if (material.roofs_of(best).roofs == nullptr) return "roofs not measured";
  const std::optional<RooflineStanding> standing = material.standing_of(best);
  if (!standing || !standing->binding) return kBytesUnknown;
  const std::string roof =
      format_value(standing->binding_ratio, "ratio") + " of the " + standing->binding_name;
  return is_limited(*standing) ? roof : "no roof; the nearest: " + roof;
}

std::vector<std::string> row_of(ReportMaterial& material, const std::string& league,
                                const std::vector<const Measurement*>& points, bool leagues,
                                double shortest_ns) {
  const Measurement& best = *points.front();
  const Measurement* base = material.baseline_of(best);
  const Comparison lead =
      points.size() > 1 ? compare_times(*points[1], best, CacheState::warm) : Comparison();
  const bool tie = points.size() > 1 && lead.difference != Difference::faster;
  std::vector<std::string> row = {values_of(best)};
  if (leagues) row.push_back(league.empty() ? "–" : league);
  row.push_back(tuned_label_of(best) + (tie ? ", undecided" : ""));
  row.push_back(time_beside(best.warm->median_ns, shortest_ns));
  row.push_back(format_value(best.warm->noise_ratio, "ratio"));
  row.push_back(points.size() > 1 ? label_of(*points[1]) + ": " + lead.sentence : "no other ran");
  row.push_back(base == nullptr ? "–"
                : base == &best ? "baseline"
                                : compare_times(*base, best, CacheState::warm).sentence);
  row.push_back(limit_text(material, best));
  return row;
}

}  // namespace

std::vector<ReportTable> winner_tables(ReportMaterial& material) {
  std::vector<ReportTable> tables;
  for (const MeasuredScene& scene : material.scenes()) {
    std::vector<std::string> shown = scene.problems;
    shown.resize(std::min(shown.size(), kMostShown));
    bool leagues = false;
    double shortest_ns = 0;
    for (const std::string& problem : shown) {
      for (const auto& [league, points] : leagues_at(scene, problem)) {
        leagues = leagues || !league.empty();
        const double ns = points.front()->warm->median_ns;
        if (shortest_ns == 0 || ns < shortest_ns) shortest_ns = ns;
      }
    }
    ReportTable table{
        "Fastest variants of " + scene.scene + material.on_device(scene.device), {"at"}, {}};
    if (leagues) table.header.emplace_back("league");
    for (const char* name : {"fastest", "warm", "noise", "compared with the second",
                             "compared with the baseline", "limited by"})
      table.header.emplace_back(name);
    for (const std::string& problem : shown) {
      const auto at = leagues_at(scene, problem);
      const bool choice = std::any_of(at.begin(), at.end(),
                                      [](const auto& each) { return each.second.size() > 1; });
      if (!choice) continue;
      for (const auto& [league, points] : at)
        table.rows.push_back(row_of(material, league, points, leagues, shortest_ns));
    }
    if (table.rows.empty()) continue;
    table.note =
        "“Undecided”: the second is within the noise. “Bytes not counted”: measure with the "
        "counters “standard”. " +
        selection_note(scene.problems.size(), "configurations");
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace warpscope
