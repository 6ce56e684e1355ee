// tests/engine/step_scene_parts.h: what the small scenes of steps are made of.
#pragma once

#include <cstdint>
#include <string>

#include "scenes/base/scene.h"

namespace warpscope {

// A thread per element.
Launch over(std::int64_t n);
std::int32_t narrow(std::int64_t value);

// With one axis, n.
Scene scene_of(std::string name, std::int64_t n);
// A variant that is compared with the reference “double”.
Variant held_to_double(const std::string& name);

// `source` holds the kernels.
Scene training_scene(const std::string& source);
Scene pieces_scene(const std::string& source);
Scene library_scene(const std::string& source);
Scene constants_scene(const std::string& source);

}  // namespace warpscope
