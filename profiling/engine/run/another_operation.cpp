// profiling/engine/run/another_operation.cpp: a variant that does not compute what is asked for.
#include "profiling/engine/run/another_operation.h"

namespace warpscope {

std::string remedy_of_another(const Scene& scene, const Variant& variant,
                              const Configuration& axes) {
  const auto elsewhere = where_applies(scene, variant, axes);
  if (elsewhere) {
    for (const auto& [name, value] : elsewhere->values()) {
      if (!axes.has(name) || value != axes.at(name)) return "set " + name + "=" + to_text(value);
    }
  }
  return "choose another variant";
}

}  // namespace warpscope
