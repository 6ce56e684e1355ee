// scenes/base/npy_array.h: arrays of any number type from NumPy's .npy files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/base/array.h"
#include "scenes/host/result.h"

namespace warpscope {

struct NpyShape {
  ElementType type = ElementType::f32;  // f16 for '<f2'; bf16 comes as u16
  std::vector<std::int64_t> shape;
  std::int64_t count() const;
};

struct NpyArray : NpyShape {
  std::string bytes;  // the elements, C order, little-endian
};

// The same within the bytes of a file that `kept` keeps.
struct NpyView : NpyShape {
  std::string_view bytes;
  std::shared_ptr<const void> kept;
};

// What stands before the elements.
struct NpyHead {
  std::string descr;  // "<f4"; never big-endian numbers, objects or structures
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t data_offset = 0;  // bytes
};
// source: NumPy, numpy.lib.format, versions 1 to 3. `bytes` may end after the header. error: input,
// naming the field: no .npy file, big-endian numbers, objects, over 2^40 elements.
Result<NpyHead> parse_npy_head(std::string_view bytes, const std::string& name);

// error: as above; input: Fortran order, other types than ElementType's and bool (as u8), missing
// elements.
Result<NpyArray> parse_npy_array(std::string_view bytes, const std::string& name);
Result<NpyView> view_npy_array(std::string_view bytes, const std::string& name,
                               std::shared_ptr<const void> kept);
// The file of an array, version 1; bf16 goes as u16.
std::string npy_text(ElementType type, const std::vector<std::int64_t>& shape,
                     std::span<const std::byte> elements);

}  // namespace warpscope
