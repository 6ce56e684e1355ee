// scenes/esmm/inputs/npy_file.h: matrices of floating-point numbers from NumPy's .npy files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// source: NumPy, numpy.lib.format: magic, version, a header that is a Python dictionary of descr,
// fortran_order and shape, then the elements.
//
//   Result<NpyMatrix> a = load_npy("a.npy");

namespace warpscope {

struct NpyMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> values;  // row-major, whatever order the file has
  std::int64_t inexact = 0;   // elements of f64 that f32 does not hold exactly; NaN is exact
};

struct NpyHeader {
  std::string descr;  // "<f4": little-endian f32; also "<f2" and "<f8"
  bool fortran_order = false;
  std::int64_t rows = 0, columns = 0;
  std::int64_t data_offset = 0;  // bytes
};

// error: input, naming the field: another rank than 2, big-endian numbers, integers or objects.
Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& name);
// error: the same; elements that are missing.
Result<NpyMatrix> parse_npy(std::string_view bytes, const std::string& name);

// The header alone. error: as above; no such file.
Result<NpyHeader> read_npy_header(const std::filesystem::path& path);
Result<NpyMatrix> load_npy(const std::filesystem::path& path);

}  // namespace warpscope
