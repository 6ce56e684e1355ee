// scenes/registry.h: the list of scenes: adding one is one file and one line in registry.cpp.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "scenes/base/scene.h"

namespace warpscope {

// All scenes in the order of the scene menu.
const std::vector<Scene>& all_scenes();

// error: usage, naming the scenes there are.
Result<const Scene*> find_scene(std::string_view name);
// Where an engine looks a job's scene up: find_scene, or a test's own.
using SceneFinder = std::function<Result<const Scene*>(std::string_view)>;

// error: usage, naming the nearest variants of the scene.
Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name);

}  // namespace warpscope
