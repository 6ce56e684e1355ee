// scenes/variant_families.h: the groups of a scene's variants, as people read them.
#pragma once

#include <string>

#include "scenes/base/scene.h"

namespace warpscope {

// The group of this family: the scene's, or one of its own where the scene names none.
VariantGroup family_group(const Scene& scene, const std::string& family);

// What people read in place of a family's id: "published".
std::string family_label(const Scene& scene, const std::string& family);

}  // namespace warpscope
