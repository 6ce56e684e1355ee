// tests/scenes/small_configurations.h: configurations of any scene that are made in milliseconds.
#pragma once

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope {

// Sizes in place of kSmall, by scene. In `led`, frames are not a whole tile, LEDs are not a whole
// group, and windows are wider and higher than a block of 128.
inline const std::map<std::string, std::map<std::string, std::int64_t>>& small_sizes() {
  static const std::map<std::string, std::map<std::string, std::int64_t>> sizes = {
      {"led",
       {{"leds", 21},
        {"channels", 2},
        {"height", 140},
        {"width", 176},
        {"block", 32},
        {"frames", 9}}},
      // A map of 2×2 after two pools; channels that do not fill a block and begin at multiples of
      // 16 bytes.
      {"autoencoder", {{"batch", 2}, {"channels", 8}, {"size", 8}}},
      // Two blocks of the published tile across, and one down.
      {"esmm", {{"m", 128}, {"n", 256}, {"k", 32}, {"band", 20}}},
      // Levels that halve to odd sides, a last block that is not full.
      {"deform", {{"batch", 2}, {"queries", 21}, {"height0", 13}, {"width0", 10}}},
      {"deform_backward", {{"batch", 2}, {"queries", 9}, {"height0", 13}, {"width0", 10}}}};
  return sizes;
}

// The applying axes of the problem and of every variant, for telling configurations apart.
inline std::string all_axes(const Scene& scene, const Configuration& configuration) {
  std::string text;
  for (const Axis& axis : scene.axes) {
    if (configuration.has(axis.name) && applies(axis, configuration))
      text += (text.empty() ? "" : ",") + axis.name + "=" + to_text(configuration.at(axis.name));
  }
  return text;
}

enum class Choices { one_by_one, in_pairs };

// The scene's defaults with every size of a thousand or more lowered, under every choice or every
// pair of choices of two axes, and every mark of a compile-time axis, of choices one by one the
// first and the last; of a scene without choices, the one that is left. Choices that need a file
// are left out. What is measured once runs at fewer sizes: where its constraint says how, there
// too.
inline std::vector<Configuration> small_configurations(const Scene& scene,
                                                       Choices choices = Choices::in_pairs) {
  constexpr std::int64_t kSmall = 192;
  Configuration base = with_defaults(scene.axes, {});
  for (const Axis& axis : scene.axes) {
    if (axis.kind == AxisKind::integer && axis.maximum >= 1000 && axis.name != "seed")
      base.set(axis.name, std::min(kSmall, base.integer(axis.name)));
  }
  if (const auto found = small_sizes().find(scene.name); found != small_sizes().end()) {
    for (const auto& [axis, value] : found->second) base.set(axis, value);
  }
  std::map<std::string, Configuration> made;  // by key
  const auto keep = [&](const Configuration& axes) {
    if (scene.admit(axes) && (!scene.settle || scene.settle(axes)))
      made.emplace(all_axes(scene, axes), axes);
  };
  const auto with_choices = [&](const Configuration& from, auto&& then) {
    for (const Axis& axis : scene.axes) {
      if (!applies(axis, from)) continue;
      for (const std::string& choice : axis.choices) {
        Configuration changed = from;
        changed.set(axis.name, choice);
        then(changed);
      }
    }
  };
  const auto with_marks = [&](const Configuration& one) {
    for (const Axis& axis : scene.axes) {
      if (axis.binds != Binding::compile_time || !applies(axis, one)) continue;
      for (const double stop : axis.stops) {
        const bool end = stop == axis.stops.front() || stop == axis.stops.back();
        if (choices == Choices::one_by_one && !end) continue;
        Configuration changed = one;
        changed.set(axis.name, static_cast<std::int64_t>(stop));
        keep(changed);
      }
    }
  };
  keep(base);
  with_marks(base);
  with_choices(base, [&](const Configuration& one) {
    keep(one);
    if (choices == Choices::one_by_one) return;
    with_choices(one, keep);
    with_marks(one);
  });
  std::vector<Configuration> mended;
  for (const auto& [key, axes] : made) {
    for (const Variant& variant : scene.variants) {
      if (!variant.measured_once || !applies(variant, axes)) continue;
      for (const Constraint& constraint : variant.constraints) {
        if (!constraint.remedy || !constraint.violated({axes, {}}, {})) continue;
        const std::optional<AxisChange> change = constraint.remedy({axes, {}}, {});
        if (!change) continue;
        if (const auto there = with_values(scene.axes, axes, change->values))
          mended.push_back(*there);
      }
    }
  }
  for (const Configuration& axes : mended) keep(axes);
  std::vector<Configuration> all;
  for (auto& [key, axes] : made) all.push_back(std::move(axes));
  // The defaults first.
  const auto first = std::find_if(all.begin(), all.end(), [&](const Configuration& axes) {
    return all_axes(scene, axes) == all_axes(scene, base);
  });
  if (first != all.end()) std::rotate(all.begin(), first, first + 1);
  return all;
}

// Scenes whose choices in pairs take minutes: the slow tests have these.
inline const std::set<std::string>& scenes_of_many_pairs() {
  static const std::set<std::string> scenes = {"autoencoder",     "csrmm", "deform",
                                               "deform_backward", "esmm",  "led"};
  return scenes;
}

// A scene with what tests of it try: every choice, or every pair of choices.
struct TriedScene {
  const Scene* scene = nullptr;
  Choices choices = Choices::in_pairs;
  // If choices go one by one, also the first pair at which a variant runs that runs at none of
  // them.
  std::vector<Configuration> configurations() const {
    std::vector<Configuration> all = small_configurations(*scene, choices);
    if (choices == Choices::in_pairs) return all;
    std::set<std::string> seen;
    const auto is_new = [&](const Variant& variant, const Configuration& axes) {
      return seen.count(variant.name) == 0 && applies(variant, axes);
    };
    const auto sees_more = [&](const Configuration& axes) {
      if (std::ranges::none_of(scene->variants, [&](const auto& v) { return is_new(v, axes); }))
        return false;
      Inputs inputs;
      Workload w{axes, {}};
      if (!regenerate_inputs(*scene, nullptr, axes, inputs, w.facts)) return false;
      const std::size_t before = seen.size();
      for (const Variant& variant : scene->variants) {
        if (is_new(variant, axes) && !unavailable(variant, w, {})) seen.insert(variant.name);
      }
      return seen.size() > before;
    };
    for (const Configuration& axes : all) sees_more(axes);
    for (Configuration& axes : small_configurations(*scene, Choices::in_pairs)) {
      if (sees_more(axes)) all.push_back(std::move(axes));
    }
    return all;
  }
};
inline void PrintTo(const TriedScene& tried, std::ostream* out) { *out << tried.scene->name; }

// As parameters of a suite: what ./check tries of each scene, and the pairs for the slow tests.
inline std::vector<TriedScene> tried_scenes(const std::vector<const Scene*>& scenes) {
  std::vector<TriedScene> all;
  for (const Scene* scene : scenes) {
    const bool many = scenes_of_many_pairs().count(scene->name) != 0;
    all.push_back({scene, many ? Choices::one_by_one : Choices::in_pairs});
  }
  return all;
}
inline std::vector<TriedScene> scenes_in_pairs(const std::vector<const Scene*>& scenes) {
  std::vector<TriedScene> all;
  for (const Scene* scene : scenes) {
    if (scenes_of_many_pairs().count(scene->name) != 0) all.push_back({scene, Choices::in_pairs});
  }
  return all;
}
inline const auto by_name_of_tried = [](const auto& info) { return info.param.scene->name; };

}  // namespace warpscope
