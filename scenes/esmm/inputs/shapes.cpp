// scenes/esmm/inputs/shapes.cpp: the sizes that follow from the axes of `esmm`.
#include "scenes/esmm/inputs/shapes.h"

namespace warpscope::esmm {

Shape shape_of(const Configuration& axes) {
  return {axes.integer("m"), axes.integer("n"), axes.integer("k")};
}

bool a_prepared(const Configuration& axes) { return axes.text("preprocessing") == "both_prepared"; }
bool b_prepared(const Configuration& axes) { return axes.text("preprocessing") != "both_per_call"; }
std::int64_t products_a_preparation(const Configuration& axes) {
  return b_prepared(axes) || !axes.has("reuse") ? 1 : axes.integer("reuse");
}
bool shows_broken(const Configuration& axes) { return axes.text("broken") == "on"; }

}  // namespace warpscope::esmm
