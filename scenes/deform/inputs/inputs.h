// scenes/deform/inputs/inputs.h: values, locations and weights: random ones, or those of a dump.
#pragma once

#include <cstdint>
#include <span>

#include "scenes/base/scene.h"
#include "scenes/deform/inputs/shapes.h"

// Every element is a function of the axes and its index, with streams of its own; a dump is read
// whole.

namespace warpscope::deform {

// Elements of value, loc, weight and logits from `first` on; see InputGroup::elements and by_index.
void make_elements(const Workload& w, const std::string& array, std::int64_t first,
                   std::span<std::byte> bytes);
bool has_elements(const Workload& w, const std::string& array);

// Writes shapes i64[L, 2] and starts i64[L].
Result<void> generate_levels(const Configuration& axes, Inputs& inputs, Facts& facts);
// Writes value, and weight with what it is made of, where a dump holds them.
Result<void> generate_values(const Configuration& axes, Inputs& inputs, Facts& facts);
Result<void> generate_weights(const Configuration& axes, Inputs& inputs, Facts& facts);
// Writes expected where a file says what the outputs are.
Result<void> generate_expected(const Configuration& axes, Inputs& inputs, Facts& facts);
// Writes loc where a dump holds it; fact valid_ratio: the share of samples inside their level, of
// all, or of a million spread evenly.
Result<void> generate_locations(const Configuration& axes, Inputs& inputs, Facts& facts);

// A point of the unit square: (x, y).
struct Point {
  double x = 0, y = 0;
};
// Where query q looks: the centre of its padded cell, a cell of the ring moved to the border, where
// there is a query for each; else a cell of a raster shaped like the first level.
Point reference_point(const Shape& shape, std::int64_t query);
// Queries in a row of their picture: of the padded first level where there is a query for each
// cell, else of the raster.
std::int64_t query_columns(const Shape& shape);

}  // namespace warpscope::deform
