// tests/scenes/tested_scenes.h: the scenes that tests go through: those of the menu and the
// template.
#pragma once

#include <string>
#include <vector>

#include "scenes/catalogue.h"

namespace warpscope {

Scene template_scene();  // scenes/template/template.cpp, which no menu has

inline const std::vector<Scene>& tested_scenes() {
  static const std::vector<Scene> scenes = [] {
    std::vector<Scene> all = built_in_catalogue().scenes();
    all.push_back(template_scene());
    return all;
  }();
  return scenes;
}

// The same as parameters of a suite; each case has its scene's name.
inline std::vector<const Scene*> each_tested_scene() {
  std::vector<const Scene*> all;
  for (const Scene& scene : tested_scenes()) all.push_back(&scene);
  return all;
}
inline const auto by_scene_name = [](const auto& info) { return info.param->name; };

}  // namespace warpscope
