// scenes/scene.cpp: what can be studied: finding rows and making inputs anew where an axis moved.
#include "scenes/scene.h"

#include <algorithm>

namespace warpscope {

const Variant* find_variant(const Scene& scene, std::string_view name) {
  for (const Variant& variant : scene.variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

const Reference* find_reference(const Scene& scene, std::string_view name) {
  for (const Reference& reference : scene.references) {
    if (reference.name == name) return &reference;
  }
  return nullptr;
}

bool applies(const Variant& variant, const Configuration& axes) {
  return !variant.applies || variant.applies(axes);
}

const Variant* variant_at(const Scene& scene, const Configuration& axes, std::string_view wanted) {
  for (const std::string_view name : {wanted, std::string_view(scene.baseline)}) {
    const Variant* variant = find_variant(scene, name);
    if (variant != nullptr && applies(*variant, axes)) return variant;
  }
  for (const Variant& variant : scene.variants) {
    if (applies(variant, axes)) return &variant;
  }
  return nullptr;
}

std::optional<Configuration> where_applies(const Scene& scene, const Variant& variant,
                                           const Configuration& base) {
  if (applies(variant, base)) return base;
  for (const Axis& axis : scene.axes) {
    for (const std::string& choice : axis.choices) {
      Configuration changed = base;
      changed.set(axis.name, choice);
      if (applies(variant, changed)) return changed;
    }
  }
  return std::nullopt;
}

Result<std::vector<std::string>> regenerate_inputs(const Scene& scene,
                                                   const Configuration* previous,
                                                   const Configuration& next, Inputs& inputs,
                                                   Facts& facts) {
  std::vector<std::string> made;
  for (const InputGroup& group : scene.input_groups) {
    const bool moved = std::any_of(group.axes.begin(), group.axes.end(), [&](const auto& axis) {
      return previous == nullptr || previous->at(axis) != next.at(axis);
    });
    const bool follows = std::any_of(group.after.begin(), group.after.end(), [&](const auto& name) {
      return std::find(made.begin(), made.end(), name) != made.end();
    });
    if (previous != nullptr && !moved && !follows) continue;
    if (Result<void> done = group.generate(next, inputs, facts); !done) {
      return tl::unexpected(done.error());
    }
    made.push_back(group.name);
  }
  return made;
}

std::optional<std::string> unavailable(const Variant& variant, const Workload& workload,
                                       const DeviceLimits& device) {
  for (const Constraint& constraint : variant.constraints) {
    if (std::optional<std::string> reason = constraint.violated(workload, device)) return reason;
  }
  return std::nullopt;
}

Tolerance tolerance_of(const Variant& variant, const Configuration& axes) {
  return variant.tolerance_at ? variant.tolerance_at(axes) : variant.tolerance;
}

std::string range_name(const Scene& scene, const Variant& variant, const Configuration& axes) {
  return scene.name + "/" + variant.name + "/" + configuration_key(scene.axes, axes);
}

}  // namespace warpscope
