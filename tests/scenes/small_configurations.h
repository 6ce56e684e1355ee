// tests/scenes/small_configurations.h: configurations of any scene that are made in milliseconds.
#pragma once

#include <algorithm>
#include <map>
#include <string>
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

}  // namespace warpscope
