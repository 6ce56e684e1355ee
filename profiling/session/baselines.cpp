// profiling/session/baselines.cpp: what the points of a session are compared with.
#include "profiling/session/baselines.h"

#include "scenes/catalogue.h"

namespace warpscope {

const Measurement* baseline_of(const Session& session, const Measurement& point) {
  return Baselines(session).of(point);
}

const Measurement* Baselines::of(const Measurement& point) {
  const Result<const Scene*> scene = catalogue_of(point).find(point.scene);
  if (!scene) return nullptr;
  const Configuration axes = with_defaults((*scene)->axes, point.axes);
  const Variant* variant = baseline_at(**scene, axes, point.variant);
  if (variant == nullptr) return nullptr;
  // The point's own axes are its tuning, not the baseline's.
  Configuration problem = axes;
  for (const Axis& axis : (*scene)->axes) {
    if (!of_problem(axis)) problem.unset(axis.name);
  }
  const std::string key = configuration_key((*scene)->axes, problem, variant->name);
  const std::string device = device_of(point.conditions).id();
  if (const auto* exact = session_.latest({point.scene, variant->name, key, "", device}))
    return exact;
  const auto [of_variant, unseen] =
      of_variants_.try_emplace(PointId{point.scene, variant->name, "", "", device});
  if (unseen) {
    for (const Measurement* candidate : session_.points(point.scene, variant->name, device))
      of_variant->second.try_emplace(problem_of(*candidate), candidate);
  }
  const auto first = of_variant->second.find(problem_of(point));
  return first != of_variant->second.end() && comparable(*first->second, point) ? first->second
                                                                                : nullptr;
}

}  // namespace warpscope
