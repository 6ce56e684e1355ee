// profiling/points/point.cpp: what a figure belongs to, whether two points may be compared, and
// recorded points made fit for today's axes.
#include "profiling/points/point.h"

#include <algorithm>
#include <optional>

#include "profiling/points/measurement.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr std::size_t kUuidShown = 12;  // "GPU-c84bc8ec": enough to tell cards apart

// Null: the catalogue has none of this name.
const Scene* scene_of(const Catalogue& catalogue, const std::string& name) {
  const Result<const Scene*> scene = catalogue.find(name);
  return scene ? *scene : nullptr;
}
const Scene* scene_of(const Measurement& m) { return scene_of(catalogue_of(m), m.scene); }

std::string value_text(const Configuration& axes, const std::string& name) {
  return axes.has(name) ? to_text(axes.at(name)) : "not recorded";
}

// The first axis of the problem that the two have at different values, in the scene's order; of a
// scene that is not in the catalogue any axis may be the problem's.
std::optional<std::string> differing_axis(const Measurement& a, const Measurement& b) {
  const auto differs = [&](const std::string& name) {
    return value_text(a.axes, name) != value_text(b.axes, name);
  };
  const Scene* scene = scene_of(a);
  if (scene != nullptr) {
    for (const Axis& axis : scene->axes) {
      // applies() may read axes that a recording lacks: it is asked of a completed configuration.
      if (!of_problem(axis) || !differs(axis.name)) continue;
      if (applies(axis, with_defaults(scene->axes, a.axes)) ||
          applies(axis, with_defaults(scene->axes, b.axes)))
        return axis.name;
    }
    return std::nullopt;
  }
  for (const Measurement* m : {&a, &b}) {
    for (const auto& [name, value] : m->axes.values()) {
      if (differs(name)) return name;
    }
  }
  return std::nullopt;
}

// The recorded values with those that are lacking, or no value if the catalogue does not know an
// axis of them, or of another kind.
std::optional<Configuration> completed(const Scene& scene, const std::string& variant,
                                       const Configuration& recorded,
                                       std::vector<std::string>* lacking) {
  for (const auto& [name, value] : recorded.values()) {
    const Axis* axis = find_axis(scene.axes, name);
    if (axis == nullptr || axis->default_value.index() != value.index()) return std::nullopt;
  }
  const auto is_there = [&](const Axis& axis) {
    return of_variant(axis, variant) == recorded.has(axis.name);
  };
  if (std::all_of(scene.axes.begin(), scene.axes.end(), is_there)) return recorded;
  Configuration axes = recorded;
  std::vector<const Axis*> added;
  for (const Axis& axis : scene.axes) {
    if (axes.has(axis.name) || !of_variant(axis, variant)) continue;
    axes.set(axis.name, before_of(axis, variant));
    added.push_back(&axis);
  }
  axes = for_variant(scene.axes, axes, variant);
  for (const Axis* axis : added) {
    if (lacking != nullptr && applies(*axis, axes)) lacking->push_back(axis->name);
  }
  return axes;
}

// "unroll=4, load_width=16": the variant's own axes of which `shown` holds.
template <typename Shown>
std::string own_axes(const Measurement& measurement, Shown shown) {
  const Scene* scene = scene_of(measurement);
  if (scene == nullptr) return "";
  const Configuration all = with_defaults(scene->axes, measurement.axes);
  std::string text;
  for (const Axis& axis : scene->axes) {
    if (of_problem(axis) || !measurement.axes.has(axis.name) || !applies(axis, all)) continue;
    if (!shown(axis)) continue;
    text += (text.empty() ? "" : ", ") + axis.name + "=" + to_text(measurement.axes.at(axis.name));
  }
  return text;
}

}  // namespace

PointId id_of(const Measurement& measurement) {
  return {measurement.scene, measurement.variant, measurement.key, measurement.conditions.code_id,
          device_of(measurement.conditions).id()};
}

std::string to_text(const DeviceName& device) {
  if (device.name.empty() && device.uuid.empty()) return "an unknown device";
  return device.name + (device.uuid.empty() ? "" : " (" + device.uuid.substr(0, kUuidShown) + ")");
}

DeviceName device_of(const Conditions& conditions) {
  return {conditions.device, conditions.device_uuid};
}

bool on_a_device(const Measurement& measurement) {
  return !measurement.conditions.device_uuid.empty() || measurement.cold || measurement.warm;
}

bool same_device(const Conditions& a, const Conditions& b) {
  return a.device_uuid.empty() || b.device_uuid.empty() ? a.device == b.device
                                                        : a.device_uuid == b.device_uuid;
}

Comparable comparable(const Measurement& a, const Measurement& b) {
  if (a.scene != b.scene) return {"the scene is " + a.scene + " here and " + b.scene + " there"};
  if (a.problem.empty() || a.problem != b.problem) {
    if (const auto axis = differing_axis(a, b))
      return {*axis + " is " + value_text(a.axes, *axis) + " here and " +
              value_text(b.axes, *axis) + " there"};
  }
  if (!same_device(a.conditions, b.conditions))
    return {"measured on another device: " + to_text(device_of(a.conditions)) + " here, " +
            to_text(device_of(b.conditions)) + " there"};
  return {};
}

Comparison compare_times(const Measurement& baseline, const Measurement& candidate,
                         CacheState cache) {
  if (const Comparable may = comparable(baseline, candidate); !may)
    return {Difference::not_comparable, 0, "not comparable: " + may.reason};
  for (const Measurement* m : {&baseline, &candidate}) {
    if (m->verdict.outcome == Outcome::no_reference)
      return {Difference::not_comparable, 0,
              "not comparable: nothing says whether " +
                  (m->variant.empty() ? "the output" : "the output of " + m->variant) +
                  " is right"};
  }
  const auto& x = cache == CacheState::cold ? baseline.cold : baseline.warm;
  const auto& y = cache == CacheState::cold ? candidate.cold : candidate.warm;
  if (!x || !y)
    return {Difference::not_comparable, 0,
            std::string("not comparable: no ") + to_text(cache) + " time " +
                (x ? "there" : "of the baseline")};
  // The device is the same already, by more than its name.
  return compare(*x, {"", baseline.conditions.toolkit, x->sm_clock_mhz}, *y,
                 {"", candidate.conditions.toolkit, y->sm_clock_mhz});
}

void complete_axes(Measurement& measurement) {
  const Scene* scene = scene_of(measurement);
  const Variant* variant = scene == nullptr ? nullptr : find_variant(*scene, measurement.variant);
  std::vector<std::string> lacking = measurement.completed_axes;
  std::optional<Configuration> axes =
      variant == nullptr || measurement.axes.values().empty()
          ? std::nullopt
          : completed(*scene, variant->name, measurement.axes, &lacking);
  if (axes) {
    measurement.axes = std::move(*axes);
    measurement.completed_axes = std::move(lacking);
    measurement.key = configuration_key(scene->axes, measurement.axes, variant->name);
    measurement.problem.clear();
  }
  if (measurement.problem.empty()) measurement.problem = problem_of(measurement);
}

std::string completed_key(const Catalogue& catalogue, const std::string& scene_name,
                          const std::string& variant, const std::string& key) {
  const Scene* scene = scene_of(catalogue, scene_name);
  if (scene == nullptr || find_variant(*scene, variant) == nullptr) return key;
  std::optional<Configuration> axes = parse_key(scene->axes, key);
  if (axes) axes = completed(*scene, variant, *axes, nullptr);
  return axes ? configuration_key(scene->axes, *axes, variant) : key;
}

std::string own_axes_text(const Measurement& measurement) {
  return own_axes(measurement, [](const Axis&) { return true; });
}

std::string tuning_text(const Measurement& measurement) {
  return own_axes(measurement, [&measurement](const Axis& axis) {
    return measurement.axes.at(axis.name) != default_of(axis, measurement.variant);
  });
}

Configuration problem_axes(const Measurement& measurement) {
  Configuration axes = measurement.axes;
  if (const Scene* scene = scene_of(measurement)) {
    for (const Axis& axis : scene->axes) {
      if (!of_problem(axis)) axes.unset(axis.name);
    }
  }
  return axes;
}

std::string problem_of(const Measurement& measurement) {
  const Scene* scene = scene_of(measurement);
  if (scene == nullptr || measurement.axes.values().empty()) return measurement.key;
  // Nobody knows whose axis it is if it is not in the catalogue: the whole key counts.
  for (const auto& [name, value] : measurement.axes.values()) {
    const Axis* axis = find_axis(scene->axes, name);
    if (axis == nullptr || axis->default_value.index() != value.index()) return measurement.key;
  }
  std::optional<Configuration> all;  // for axes that ask for it
  std::string key;
  for (const Axis& axis : scene->axes) {
    if (!of_problem(axis) || !measurement.axes.has(axis.name)) continue;
    if (axis.applies && !all) all = with_defaults(scene->axes, measurement.axes);
    if (axis.applies && !applies(axis, *all)) continue;
    key += (key.empty() ? "" : ",") + axis.name + "=" + to_text(measurement.axes.at(axis.name));
  }
  return key;
}

}  // namespace warpscope
