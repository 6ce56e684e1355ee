// scenes/deform/inputs/shapes.cpp: the sizes that follow from the axes of `deform`.
#include "scenes/deform/inputs/shapes.h"

namespace warpscope::deform {

std::vector<Level> level_sizes(const Configuration& axes) {
  std::vector<Level> levels;
  if (axes.text("level_sizes") == "list") {
    const std::vector<double> sizes = axes.list("level_list");
    for (std::size_t i = 0; i + 1 < sizes.size(); i += 2)
      levels.push_back(
          {static_cast<std::int64_t>(sizes[i]), static_cast<std::int64_t>(sizes[i + 1])});
    return levels;
  }
  Level level{axes.integer("height0"), axes.integer("width0")};
  for (std::int64_t l = 0; l < axes.integer("levels"); ++l) {
    levels.push_back(level);
    level.height = ceil_divide(level.height, 2);
    level.width = ceil_divide(level.width, 2);
  }
  return levels;
}

Shape shape_of(const Configuration& axes) {
  Shape s{.batch = axes.integer("batch"),
          .queries = axes.integer("queries"),
          .heads = axes.integer("heads"),
          .points = axes.integer("points"),
          .channels = axes.integer("channels"),
          .levels = level_sizes(axes)};
  for (Level& level : s.levels) {
    level.first_row = s.rows;
    s.rows += level.rows();
  }
  return s;
}

ElementType value_type(const Configuration& axes) {
  const std::string& type = axes.text("dtype");
  return type == "fp32" ? ElementType::f32 : type == "bf16" ? ElementType::bf16 : ElementType::f16;
}

// A bf16 has no fractions of a pixel from 128 pixels on.
ElementType location_type(const Configuration& axes) {
  return value_type(axes) == ElementType::f32 ? ElementType::f32 : ElementType::f16;
}

bool from_dump(const Configuration& axes) {
  return axes.has("inputs") && axes.text("inputs") == "raw files";
}
bool has_expected(const Configuration& axes) {
  return from_dump(axes) && !axes.text("expected_file").empty();
}
bool has_logits(const Configuration& axes) {
  return !from_dump(axes) && axes.text("weights") == "softmax";
}
bool ring_is_zero(const Configuration& axes) { return axes.text("ring") == "zero"; }

}  // namespace warpscope::deform
