// profiling/tuning/choice_table.cpp: the times of all rows that an automatic row chooses from.
#include "profiling/tuning/choice_table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "profiling/points/point.h"
#include "scenes/base/kernel_parts.h"

namespace warpscope {
namespace {

constexpr std::size_t kEnoughRows = 5;

ChosenRow chosen_row_of(const Scene& scene, const Measurement& point) {
  ChosenRow row{point.variant, {}};
  for (const Axis& axis : scene.axes) {
    if (of_problem(axis) || !of_variant(axis, point.variant) || !point.axes.has(axis.name))
      continue;
    if (point.axes.at(axis.name) != default_of(axis, point.variant))
      row.axes[axis.name] = to_text(point.axes.at(axis.name));
  }
  return row;
}

void add(ChoicePoint& at, const Scene& scene, const Measurement& m, bool cold) {
  const std::optional<Timing>& time = cold ? m.cold : m.warm;
  const ChosenRow row = chosen_row_of(scene, m);
  if (m.verdict.outcome == Outcome::correct && time && time->median_ns > 0) {
    at.ns[row] = time->median_ns;
    if (calls_library(m)) at.libraries.insert(row);
  } else if (m.verdict.outcome != Outcome::unchecked && m.verdict.outcome != Outcome::correct) {
    at.refused.insert(row);
  }
}

// Asks everything that a choice asks of a workload. Returns false if a fact of it is missing.
bool find_unusable(ChoicePoint& at, const Scene& scene,
                   const std::vector<const Variant*>& candidates, const ChoiceFeatures& features) {
  try {
    for (const ChoiceFeature& feature : features) {
      if (feature.number) static_cast<void>(feature.number(at.workload));
      if (feature.text) static_cast<void>(feature.text(at.workload));
    }
    for (const Variant* variant : candidates) {
      const Workload own{for_variant(scene.axes, at.workload.axes, variant->name),
                         at.workload.facts};
      if (!applies(*variant, own.axes) || unavailable(*variant, own, kDesignDevice))
        at.unusable.insert(variant->name);
    }
  } catch (const std::out_of_range&) {  // what a map of facts throws
    return false;
  }
  return true;
}

void find_best(ChoicePoint& at) {
  const auto best = std::min_element(
      at.ns.begin(), at.ns.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  at.best = best->first;
  at.best_ns = best->second;
}

}  // namespace

std::optional<double> ChoicePoint::ratio(const ChosenRow& row) const {
  const auto found = ns.find(row);
  return found == ns.end() ? std::nullopt : std::optional(best_ns / found->second);
}

ChoiceTable choice_table(const Session& session, const Scene& scene, const ChoiceScene& about,
                         std::string_view automatic) {
  ChoiceTable table;
  table.row = automatic;
  table.cold = about.cold;
  const std::vector<const Variant*> candidates = choice_candidates(scene, automatic);
  std::map<std::pair<std::string, std::string>, ChoicePoint> points;
  for (const Measurement* m : session.newest_points()) {
    if (m->scene != scene.name || m->partial || !on_a_device(*m)) continue;
    const bool recorded = m->variant == automatic;
    const bool candidate = std::any_of(candidates.begin(), candidates.end(),
                                       [m](const Variant* v) { return v->name == m->variant; });
    if (!recorded && !candidate) continue;
    ChoicePoint& at = points[{device_of(m->conditions).id(), problem_of(*m)}];
    at.workload = {problem_axes(*m), m->facts};
    if (recorded) {
      const std::optional<Timing>& time = about.cold ? m->cold : m->warm;
      at.recorded_choice = m->choice;
      if (m->verdict.outcome == Outcome::correct && time) at.recorded_ns = time->median_ns;
    } else {
      add(at, scene, *m, about.cold);
    }
    if (m->conditions.date >= table.date) {
      table.date = m->conditions.date;
      table.device = m->conditions.device;
      table.driver = m->conditions.driver;
      table.build = m->conditions.build;
    }
  }
  const ChoiceFeatures features = about.features(scene.axes);
  for (auto& [place, at] : points) {
    if (at.ns.empty() || !find_unusable(at, scene, candidates, features)) {
      ++table.left_out;
      continue;
    }
    const std::size_t applying = candidates.size() - at.unusable.size();
    const std::size_t needed = std::clamp<std::size_t>((applying + 1) / 2, 2, kEnoughRows);
    if (at.ns.size() < needed) {
      ++table.left_out;
      continue;
    }
    at.device = place.first;
    at.problem = place.second;
    find_best(at);
    table.measured += static_cast<int>(at.ns.size());
    table.points.push_back(std::move(at));
  }
  return table;
}

void summarise(ChoiceScore& score) {
  score.unknown = score.refused = score.within_3 = score.within_5 = 0;
  score.worst = 1;
  double sum = 0;
  for (const ChoiceScore::Judged& each : score.judged) {
    if (!each.ratio) {
      ++score.unknown;
      score.refused += each.refused ? 1 : 0;
      continue;
    }
    score.within_3 += *each.ratio >= 1 / 1.03 ? 1 : 0;
    score.within_5 += *each.ratio >= 1 / 1.05 ? 1 : 0;
    score.worst = std::min(score.worst, *each.ratio);
    sum += std::log(*each.ratio);
  }
  score.geometric_mean = score.known() > 0 ? std::exp(sum / score.known()) : 1;
}

ChoiceScore score_of(const CostTable& table, const ChoiceFeatures& features,
                     const std::vector<const ChoicePoint*>& points, std::size_t timed) {
  ChoiceScore score;
  const CostTable asked = timed > 1 ? where_checked(table) : table;
  for (const ChoicePoint* point : points) {
    std::vector<ExpectedTime> nearest = expected_times(asked, features, point->workload);
    std::erase_if(nearest, [point](const ExpectedTime& e) { return !point->usable(e.row); });
    const bool known = !nearest.empty() && nearest.front().measured;
    nearest.resize(std::min(nearest.size(), known ? 1 : timed));
    ChosenRow taken;
    if (!nearest.empty()) taken = nearest.front().row;
    for (const ExpectedTime& each : nearest) {
      if (point->ratio(each.row).value_or(0) > point->ratio(taken).value_or(0)) taken = each.row;
    }
    score.judged.push_back({point, taken, point->ratio(taken),
                            taken.variant.empty() || point->refused.count(taken) != 0});
  }
  summarise(score);
  return score;
}

ChoiceScore recorded_score(const std::vector<const ChoicePoint*>& points) {
  ChoiceScore score;
  for (const ChoicePoint* point : points) {
    // A row that was measured twice can come out faster than the best row.
    score.judged.push_back({point,
                            {point->recorded_choice, {}},
                            point->recorded_ns
                                ? std::optional(std::min(1.0, point->best_ns / *point->recorded_ns))
                                : std::nullopt});
  }
  summarise(score);
  return score;
}

std::vector<const ChoicePoint*> all_points_of(const ChoiceTable& table) {
  std::vector<const ChoicePoint*> points;
  for (const ChoicePoint& point : table.points) points.push_back(&point);
  return points;
}

}  // namespace warpscope
