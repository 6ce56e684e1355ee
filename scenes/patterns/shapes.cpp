// scenes/patterns/shapes.cpp: the sizes that follow from the axes of `patterns`.
#include "scenes/patterns/shapes.h"

#include <string>

namespace warpscope::patterns {

bool op_is(const Configuration& axes, const char* op) { return axes.text("op") == op; }

std::int64_t input_elements(const Configuration& axes) {
  return op_is(axes, "transpose") ? axes.integer("rows") * axes.integer("columns")
                                  : axes.integer("n");
}

std::int64_t output_elements(const Configuration& axes) {
  if (op_is(axes, "copy")) return copied_vectors(axes) * elements_per_lane(axes);
  if (op_is(axes, "structures")) return structures(axes);
  if (op_is(axes, "reduction")) return ceil_divide(axes.integer("n"), kPiece);
  if (op_is(axes, "atomics")) return axes.integer("bins");
  return input_elements(axes);
}

std::int64_t elements_per_lane(const Configuration& axes) {
  return std::stoll(axes.text("width")) / kValueBytes;
}

std::int64_t copied_vectors(const Configuration& axes) {
  const std::int64_t per_lane = elements_per_lane(axes);
  const std::int64_t after_first = axes.integer("n") - axes.integer("offset") - per_lane;
  return after_first < 0 ? 0 : after_first / (axes.integer("stride") * per_lane) + 1;
}

std::int64_t structures(const Configuration& axes) { return axes.integer("n") / kFields; }

}  // namespace warpscope::patterns
