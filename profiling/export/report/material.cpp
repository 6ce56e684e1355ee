// profiling/export/report/material.cpp: the points of a report that may be ranked, and their roofs.
#include "profiling/export/report/material.h"

#include <algorithm>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr const char* kDefaultValues = "its default values";

const Variant* variant_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  return scene ? find_variant(**scene, m.variant) : nullptr;
}

std::string beside_defaults(const Scene* scene, const Configuration& axes) {
  std::string words;
  for (const auto& [name, value] : axes.values()) {
    const Axis* axis = scene != nullptr ? find_axis(scene->axes, name) : nullptr;
    if (axis != nullptr && axis->default_value == value) continue;
    words += (words.empty() ? "" : ", ") + name + "=" + to_text(value);
  }
  return words.empty() ? kDefaultValues : words;
}

// The problem at which most points are ranked; of equals the scene's default, else the first.
std::string chief_problem(const MeasuredScene& scene) {
  std::string chief;
  std::size_t most = 0;
  for (const std::string& problem : scene.problems) {
    const std::vector<const Measurement*>& points = scene.ranked.at(problem);
    const bool usual = values_of(*points.front()) == kDefaultValues;
    if (points.size() > most || (usual && points.size() == most))
      most = points.size(), chief = problem;
  }
  return chief;
}

}  // namespace

std::vector<const Measurement*> fastest_of_variants(const MeasuredScene& scene,
                                                    const std::string& problem) {
  std::map<std::string, const Measurement*> best;
  const auto ranked = scene.ranked.find(problem);
  if (ranked == scene.ranked.end()) return {};
  for (const Measurement* m : ranked->second) {
    const Measurement*& fastest = best[m->variant];
    if (fastest == nullptr || m->warm->median_ns < fastest->warm->median_ns) fastest = m;
  }
  std::vector<const Measurement*> points;
  for (const auto& [variant, point] : best) points.push_back(point);
  std::stable_sort(points.begin(), points.end(), [](const auto* a, const auto* b) {
    return a->warm->median_ns < b->warm->median_ns;
  });
  return points;
}

std::map<std::string, std::vector<const Measurement*>> leagues_at(const MeasuredScene& scene,
                                                                  const std::string& problem) {
  std::map<std::string, std::vector<const Measurement*>> leagues;
  for (const Measurement* m : fastest_of_variants(scene, problem))
    leagues[league_of(*m)].push_back(m);
  return leagues;
}

ReportMaterial::ReportMaterial(const Session& session)
    : session_(session),
      sources_(session.catalogue()),
      lent_(lent_roofs(session)),
      baselines_(session) {
  for (const Measurement* m : session.newest_points()) {
    if (!on_a_device(*m)) continue;
    const DeviceName device = device_of(m->conditions);
    auto found = std::find_if(scenes_.begin(), scenes_.end(), [&](const MeasuredScene& each) {
      return each.scene == m->scene && each.device.id() == device.id();
    });
    if (found == scenes_.end())
      found = scenes_.insert(scenes_.end(), {m->scene, device, {}, {}, {}, ""});
    found->points.push_back(m);
    if (!is_ranked(*m)) continue;
    std::vector<const Measurement*>& ranked = found->ranked[m->problem];
    if (ranked.empty()) found->problems.push_back(m->problem);
    ranked.push_back(m);
  }
  for (MeasuredScene& scene : scenes_) scene.chief = chief_problem(scene);
}

// What is wrong on purpose is not ranked, also where it is right by luck. An automatic choice runs
// the kernel of a variant that is ranked itself.
bool ReportMaterial::is_ranked(const Measurement& m) {
  if (m.verdict.outcome != Outcome::correct || !m.warm) return false;
  const Variant* variant = variant_of(m);
  if (variant != nullptr && variant->choice) return false;
  if (variant != nullptr && variant->expected_fault && variant->expected_fault({m.axes, m.facts}))
    return false;
  return sources_.of(m).state != SourceState::changed;
}

const Measurement* ReportMaterial::baseline_of(const Measurement& point) {
  const Measurement* base = baselines_.of(point);
  return base != nullptr && is_ranked(*base) ? base : nullptr;
}

const RoofJoin& ReportMaterial::roofs_of(const Measurement& point) {
  const Conditions& c = point.conditions;
  const auto [joined, unseen] = joins_.try_emplace({c.device, c.device_uuid});
  if (unseen) joined->second = join_roofs(session_, c, lent_);
  return joined->second;
}

std::optional<RooflineStanding> ReportMaterial::standing_of(const Measurement& point) {
  const RoofJoin& join = roofs_of(point);
  if (join.roofs == nullptr) return std::nullopt;
  return stand(point, CacheState::warm, *join.roofs, modelled_beside(session_, point));
}

std::string ReportMaterial::on_device(const DeviceName& device) const {
  return session_.devices().size() > 1 ? " on " + to_text(device) : "";
}

std::string values_of(const Measurement& m) {
  const Result<const Scene*> scene = catalogue_of(m).find(m.scene);
  return m.axes.values().empty() && !m.problem.empty()
             ? m.problem
             : beside_defaults(scene ? *scene : nullptr, problem_axes(m));
}

std::string values_of_key(const Catalogue& catalogue, const std::string& scene,
                          const std::string& key) {
  const Result<const Scene*> found = catalogue.find(scene);
  const auto axes = found ? parse_key((*found)->axes, key) : std::nullopt;
  return axes ? beside_defaults(*found, *axes) : key;
}

std::string label_of(const Measurement& m) {
  const Variant* variant = variant_of(m);
  return variant == nullptr ? m.variant : variant->label;
}

std::string tuned_label_of(const Measurement& m) {
  const std::string tuning = tuning_text(m);
  return label_of(m) + (tuning.empty() ? "" : " (" + tuning + ")");
}

}  // namespace warpscope
