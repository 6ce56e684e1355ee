// scenes/catalogue.cpp: the built-in scenes, and names that are looked up.
#include "scenes/catalogue.h"

#include <algorithm>
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

std::string league_of(std::string_view scene, std::string_view variant) {
  const Result<const Scene*> found = built_in_catalogue().find(scene);
  const Variant* row = found ? find_variant(**found, variant) : nullptr;
  return row == nullptr ? "" : row->league;
}

const Variant* baseline_at(const Scene& scene, const Configuration& axes,
                           std::string_view variant) {
  const Variant* of = find_variant(scene, variant);
  const auto league =
      std::find_if(scene.leagues.begin(), scene.leagues.end(),
                   [of](const League& each) { return of != nullptr && each.name == of->league; });
  if (league == scene.leagues.end()) return variant_at(scene, axes, scene.baseline);
  const Variant* baseline = find_variant(scene, league->baseline);
  if (baseline != nullptr && applies(*baseline, axes)) return baseline;
  const Variant* slow = nullptr;
  for (const Variant& each : scene.variants) {
    if (each.league != league->name || !applies(each, axes)) continue;
    if (!each.measured_once) return &each;
    if (slow == nullptr) slow = &each;
  }
  return slow;
}

Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name) {
  if (const Variant* variant = find_variant(scene, name)) return variant;
  std::vector<std::string> names;
  for (const Variant& variant : scene.variants) names.push_back(variant.name);
  return failure(ErrorKind::usage, "scene " + scene.name + " has no variant of this name",
                 "variant " + std::string(name), suggest(name, names));
}

}  // namespace warpscope
