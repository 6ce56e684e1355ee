// scenes/choice_scenes.cpp: which scenes have automatic rows, and what their costs may depend on.
#include "scenes/choice_scenes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scenes/csrmm/automatic.h"
#include "scenes/deform/automatic.h"
#include "scenes/esmm/automatic.h"
#include "scenes/host/nearest.h"
#include "scenes/led/steps.h"

namespace warpscope {

const std::vector<ChoiceScene>& choice_scenes() {
  static const std::vector<ChoiceScene> all = {
      {"csrmm", {"auto"}, false, csrmm::choice_features},
      {"led", {"pick_by_shape"}, true, led::choice_features},
      {"esmm",
       {"auto", "auto_fp32_tensor", "auto_tf32", "auto_bf16"},
       false,
       esmm::choice_features},
      {"deform", {"auto"}, false, deform::choice_features},
  };
  return all;
}

Result<const ChoiceScene*> find_choice_scene(std::string_view name) {
  std::vector<std::string> names;
  for (const ChoiceScene& scene : choice_scenes()) {
    if (scene.scene == name) return &scene;
    names.emplace_back(scene.scene);
  }
  return failure(ErrorKind::usage, "no fitted choice is made for the scene " + std::string(name),
                 "scene", suggest(name, names));
}

std::vector<const Variant*> choice_candidates(const Scene& scene, std::string_view automatic) {
  const Variant* alike = find_variant(scene, automatic);
  const Result<const ChoiceScene*> about = find_choice_scene(scene.name);
  std::vector<const Variant*> found;
  if (alike == nullptr) return found;
  for (const Variant& variant : scene.variants) {
    if (variant.expected_fault || variant.expected_launch_failure) continue;
    if (about && std::ranges::count((*about)->rows, variant.name) > 0) continue;
    if (variant.reference == alike->reference && variant.accuracy == alike->accuracy &&
        variant.league == alike->league)
      found.push_back(&variant);
  }
  return found;
}

Workload workload_of(const std::vector<Axis>& axes, const Workload& workload,
                     const ChosenRow& row) {
  Workload own = workload;
  own.axes = for_variant(axes, own.axes, row.variant);
  if (Result<Configuration> tuned = with_values(axes, own.axes, row.axes); tuned)
    own.axes = std::move(*tuned);
  return own;
}

std::vector<ExpectedTime> runnable_rows(const Scene& scene, const ChoiceFeatures& features,
                                        const CostTable& table, const Workload& workload,
                                        const DeviceLimits& device) {
  std::vector<ExpectedTime> rows = expected_times(table, features, workload);
  std::erase_if(rows, [&](const ExpectedTime& each) {
    const Variant* variant = find_variant(scene, each.row.variant);
    return variant == nullptr || !applies(*variant, workload.axes) ||
           unavailable(*variant, workload_of(scene.axes, workload, each.row), device).has_value();
  });
  return rows;
}

CostTable where_checked(CostTable table) {
  for (RowCosts& costs : table.rows) costs.never.clear();
  return table;
}

Variant taking(const Scene& scene, const Variant& automatic, const ChosenRow& row) {
  const auto taken = std::make_shared<const Variant>(*find_variant(scene, row.variant));
  const auto own = [axes = scene.axes, row](const Workload& w) {
    return workload_of(axes, w, row);
  };
  Variant v = automatic;
  v.choice = nullptr;
  v.steps = [taken, own](const Workload& w) { return taken->steps(own(w)); };
  v.scratch = [taken, own](const Workload& w) {
    return taken->scratch ? taken->scratch(own(w)) : std::vector<BufferSpec>{};
  };
  v.constraints = {{"what the picked variant needs",
                    [taken, own](const Workload& w, const DeviceLimits& device) {
                      return unavailable(*taken, own(w), device);
                    }}};
  return v;
}

}  // namespace warpscope
