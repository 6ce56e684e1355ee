// scenes/variant_families.cpp: the groups of a scene's variants, as people read them.
#include "scenes/variant_families.h"

#include <string_view>

namespace warpscope {
namespace {

// In scenes that give the family no group.
struct FamilyLabel {
  std::string_view family, label;
};
constexpr FamilyLabel kLabels[] = {{"seed", "published"}};

}  // namespace

VariantGroup family_group(const Scene& scene, const std::string& family) {
  for (const VariantGroup& group : scene.groups) {
    if (group.family == family) return group;
  }
  for (const FamilyLabel& known : kLabels) {
    if (known.family == family) return {family, std::string(known.label), {}};
  }
  return {family, family, {}};
}

std::string family_label(const Scene& scene, const std::string& family) {
  return family_group(scene, family).label;
}

}  // namespace warpscope
