// scenes/catalogue.h: the scenes there are, and how a scene and its variants are found by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/base/scene.h"

// A catalogue is a value. The built-in one has the scenes that scenes/built_in.inc lists; a test
// makes its own. Every one of them also finds the scenes that this process opened
// (opened_scenes.h). Whoever keeps a scene for longer than a call keeps its name and looks it up.
//
//   const Result<const Scene*> scene = built_in_catalogue().find("csrmm");
//   const Result<const Variant*> row = find_variant_or_explain(**scene, "warp_row");

namespace warpscope {

class Catalogue {
 public:
  explicit Catalogue(std::vector<Scene> scenes) : scenes_(std::move(scenes)) {}
  // In the order of the scene menu; never moved while the catalogue lives.
  const std::vector<Scene>& scenes() const { return scenes_; }
  // Those, and behind them the ones that were opened.
  std::vector<const Scene*> all() const;
  // An opened one too. error: usage, with the nearest name or all there are.
  Result<const Scene*> find(std::string_view name) const;

 private:
  std::vector<Scene> scenes_;
};

const Catalogue& built_in_catalogue();

// The league of a variant of the built-in catalogue; empty: it is not there, or in none.
std::string league_of(std::string_view scene, std::string_view variant);

// What a variant is compared with: the baseline of its league where that applies at this
// configuration, else the first of its league in the ladder that does, but for those that are
// measured once. In a scene without leagues the scene's, as variant_at has it. Null: none applies.
const Variant* baseline_at(const Scene& scene, const Configuration& axes, std::string_view variant);

// error: usage, with the nearest names of the scene's variants.
Result<const Variant*> find_variant_or_explain(const Scene& scene, std::string_view name);

}  // namespace warpscope
