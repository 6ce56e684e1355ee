// profiling/engine/run/another_operation.h: a variant that does not compute what is asked for.
#pragma once

#include <string>

#include "scenes/base/scene.h"

namespace warpscope {

inline constexpr const char* kComputesAnother = "it does not compute what is asked for here";

// What to do about it: "set op=transpose", or to choose another variant.
std::string remedy_of_another(const Scene& scene, const Variant& variant,
                              const Configuration& axes);

}  // namespace warpscope
