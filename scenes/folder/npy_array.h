// scenes/folder/npy_array.h: arrays of any number type from NumPy's .npy files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/host/result.h"

namespace warpscope {

struct NpyArray {
  ElementType type = ElementType::f32;  // f16 for '<f2'; bf16 comes as u16
  std::vector<std::int64_t> shape;
  std::string bytes;  // the elements, C order, little-endian
  std::int64_t count() const;
};

// source: NumPy, numpy.lib.format, versions 1 to 3. error: input: not an .npy file, big-endian
// numbers, Fortran order, other types than ElementType's and bool (as u8), missing elements.
Result<NpyArray> parse_npy_array(std::string_view bytes, const std::string& name);

}  // namespace warpscope
