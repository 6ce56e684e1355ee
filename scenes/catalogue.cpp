// scenes/catalogue.cpp: the built-in scenes, and names that are looked up.
#include "scenes/catalogue.h"

#include <string>

#include "scenes/host/nearest.h"
#include "scenes/opened_scenes.h"

namespace warpscope {

#define SCENE(name) Scene name##_scene();
#include "scenes/built_in.inc"
#undef SCENE

const Catalogue& built_in_catalogue() {
  static const Catalogue catalogue({
#define SCENE(name) name##_scene(),
#include "scenes/built_in.inc"
#undef SCENE
  });
  return catalogue;
}

Result<const Scene*> Catalogue::find(std::string_view name) const {
  for (const Scene& scene : scenes_) {
    if (scene.name == name) return &scene;
  }
  if (const Scene* opened = opened_scene(name)) return opened;
  std::vector<std::string> names;
  for (const Scene* scene : all()) names.push_back(scene->name);
  return failure(ErrorKind::usage, "there is no scene of this name", "scene " + std::string(name),
                 suggest(name, names));
}

std::vector<const Scene*> Catalogue::all() const {
  std::vector<const Scene*> all;
  for (const Scene& scene : scenes_) all.push_back(&scene);
  for (const Scene* scene : opened_scenes()) all.push_back(scene);
  return all;
}

Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name) {
  if (const Variant* variant = find_variant(scene, name)) return variant;
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return failure(ErrorKind::usage, "scene " + scene.name + " has no variant of this name",
                 "variant " + std::string(name), suggest(name, names));
}

}  // namespace warpscope
