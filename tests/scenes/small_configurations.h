// tests/scenes/small_configurations.h: configurations of any scene that are made in milliseconds.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "scenes/scene.h"

namespace warpscope {

// The scene's defaults with every size of a thousand or more lowered, under every pair of choices
// of two axes and every mark of a compile-time axis. Choices that need a file are left out.
inline std::vector<Configuration> small_configurations(const Scene& scene) {
  constexpr std::int64_t kSmall = 192;
  Configuration base = default_configuration(scene.axes);
  for (const Axis& axis : scene.axes) {
    if (axis.kind == AxisKind::integer && axis.maximum >= 1000 && axis.name != "seed")
      base.set(axis.name, std::min(kSmall, base.integer(axis.name)));
  }
  std::map<std::string, Configuration> made;  // by key
  const auto keep = [&](const Configuration& axes) {
    if (scene.admit(axes) && (!scene.settle || scene.settle(axes)))
      made.emplace(configuration_key(scene.axes, axes), axes);
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
  with_choices(base, [&](const Configuration& one) {
    with_choices(one, keep);
    for (const Axis& axis : scene.axes) {
      if (axis.binds != Binding::compile_time || !applies(axis, one)) continue;
      for (const double stop : axis.stops) {
        Configuration changed = one;
        changed.set(axis.name, static_cast<std::int64_t>(stop));
        keep(changed);
      }
    }
  });
  std::vector<Configuration> all;
  for (auto& [key, axes] : made) all.push_back(std::move(axes));
  return all;
}

}  // namespace warpscope
