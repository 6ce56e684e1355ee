// scenes/deform/inputs/dump_files.h: inputs of `deform` from raw dumps, under either set of file
// names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scenes/base/scene.h"
#include "scenes/deform/inputs/shapes.h"

// A dump is a folder of little-endian files, f16 but for shapes and starts, which are i64. Heads,
// channels, points and images come from the axes, all other sizes from the lengths of the files.

namespace warpscope::deform {

// Writes sizes of levels and the number of queries over the typed ones. error: input: a file is
// missing, is of another length, names of both sets are mixed, the levels do not follow each other
// (all with a ring of one pixel, or all without), another type than f16.
Result<Configuration> settle(const Configuration& axes);

// Reads the file of an array: "value", "loc" or "weight". Values without rings get rings of zeros.
// error: input.
Result<void> read_dump(const Configuration& axes, const std::string& array, Inputs& inputs);

// Reads the file of the axis `expected_file` into "expected". error: input.
Result<void> read_expected(const Configuration& axes, Inputs& inputs);

// The levels that shapes [L, 2] and starts [L] tell, with `rows` pixels an image in all, as they
// lie with their rings. error: input, with both sizes: levels that do not follow each other.
Result<std::vector<Level>> levels_of_dump(std::span<const std::int64_t> shapes,
                                          std::span<const std::int64_t> starts, std::int64_t rows);

}  // namespace warpscope::deform
