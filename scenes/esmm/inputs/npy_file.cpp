// scenes/esmm/inputs/npy_file.cpp: matrices of floating-point numbers from NumPy's .npy files.
#include "scenes/esmm/inputs/npy_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "scenes/base/texts/npy_array.h"
#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostBytes = 64LL << 30;

tl::unexpected<Error> bad(const std::string& name, std::string what,
                          std::string remedy = "save the matrix with numpy.save as f32") {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

float from_half(std::uint16_t bits) {
  const int sign = bits >> 15, exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    value = std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  }
  return sign != 0 ? -value : value;
}

template <typename T>
T element(const char* data, std::int64_t index) {
  T value;
  std::memcpy(&value, data + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
  return value;
}

}  // namespace

Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& name) {
  const Result<NpyHead> head = parse_npy_head(bytes, name);
  if (!head) return tl::unexpected(head.error());
  const std::string& descr = head->descr;
  if (descr != "<f4" && descr != "<f8" && descr != "<f2")
    return bad(name, "descr is " + descr + ": only f2, f4 and f8 are supported");
  if (head->shape.size() != 2)
    return bad(name, "shape has " + std::to_string(head->shape.size()) + " extents: a matrix has 2",
               "reshape it to rows and columns");
  return NpyHeader{descr, head->fortran_order, head->shape[0], head->shape[1], head->data_offset};
}

Result<NpyMatrix> parse_npy(std::string_view bytes, const std::string& name) {
  const Result<NpyHeader> header = parse_npy_header(bytes, name);
  if (!header) return tl::unexpected(header.error());
  const std::int64_t size = header->descr[2] - '0', count = header->rows * header->columns;
  const auto there = static_cast<std::int64_t>(bytes.size()) - header->data_offset;
  if (there / size < count) {
    return bad(name,
               "the elements end after " + std::to_string(there) + " of " +
                   std::to_string(count * size) + " bytes",
               "save it again");
  }
  NpyMatrix matrix{header->rows, header->columns, {}, 0};
  matrix.values.resize(static_cast<std::size_t>(count));
  const char* const data = bytes.data() + header->data_offset;
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    for (std::int64_t column = 0; column < matrix.columns; ++column) {
      const std::int64_t from =
          header->fortran_order ? column * matrix.rows + row : row * matrix.columns + column;
      float& to = matrix.values[static_cast<std::size_t>(row * matrix.columns + column)];
      if (size == 4) {
        to = element<float>(data, from);
      } else if (size == 2) {
        to = from_half(element<std::uint16_t>(data, from));
      } else {
        const auto wide = element<double>(data, from);
        to = static_cast<float>(wide);
        matrix.inexact += !std::isnan(wide) && static_cast<double>(to) != wide ? 1 : 0;
      }
    }
  }
  return matrix;
}

Result<NpyHeader> read_npy_header(const std::filesystem::path& path) {
  Result<InputFile> file = InputFile::open(path, kMostBytes);
  if (!file) return tl::unexpected(file.error());
  std::string bytes(static_cast<std::size_t>(std::min<std::int64_t>(file->bytes(), 1 << 16)), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const Result<std::size_t> read = file->read(bytes.data() + filled, bytes.size() - filled);
    if (!read) return tl::unexpected(read.error());
    if (*read == 0) break;
    filled += *read;
  }
  return parse_npy_header(std::string_view(bytes).substr(0, filled), path.string());
}

Result<NpyMatrix> load_npy(const std::filesystem::path& path) {
  const Result<std::string> bytes = read_input(path, kMostBytes);
  if (!bytes) return tl::unexpected(bytes.error());
  return parse_npy(*bytes, path.string());
}

}  // namespace warpscope
