// scenes/registry.cpp: the list of scenes.
#include "scenes/registry.h"

#include "scenes/csrmm/csrmm.h"
#include "scenes/host/nearest.h"
#include "scenes/led/led.h"
#include "scenes/patterns/patterns.h"

namespace warpscope {

const std::vector<Scene>& all_scenes() {
  static const std::vector<Scene> scenes = {
      csrmm_scene(),
      patterns_scene(),
      led_scene(),
  };
  return scenes;
}

Result<const Scene*> find_scene(std::string_view name) {
  std::vector<std::string> names;
  for (const Scene& scene : all_scenes()) {
    if (scene.name == name) return &scene;
    names.push_back(scene.name);
  }
  return failure(ErrorKind::usage, "there is no scene of this name", "scene " + std::string(name),
                 suggest(name, names));
}

Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name) {
  if (const Variant* variant = find_variant(scene, name)) return variant;
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return failure(ErrorKind::usage, "scene " + scene.name + " has no variant of this name",
                 "variant " + std::string(name), suggest(name, names));
}

}  // namespace warpscope
