// scenes/esmm/inputs/npy_file.cpp: matrices of floating-point numbers from NumPy's .npy files.
#include "scenes/esmm/inputs/npy_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "scenes/host/input_file.h"

namespace warpscope {
namespace {

constexpr std::int64_t kMostBytes = 64LL << 30;
constexpr std::int64_t kMostHeaderBytes = 1 << 20;
constexpr std::string_view kMagic = "\x93NUMPY";

tl::unexpected<Error> bad(const std::string& name, std::string what,
                          std::string remedy = "save the matrix with numpy.save as f32") {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

// What follows "'key':" in the header's dictionary, from its first character on.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    const std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    const std::size_t colon = header.find(':', at + quoted.size());
    if (colon == std::string_view::npos) return std::nullopt;
    const std::size_t first = header.find_first_not_of(" \t", colon + 1);
    if (first == std::string_view::npos) return std::nullopt;
    return header.substr(first);
  }
  return std::nullopt;
}

Result<std::vector<std::int64_t>> shape_of(std::string_view text, const std::string& name) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    return bad(name, "shape is not a tuple");
  std::vector<std::int64_t> extents;
  const char* at = text.data() + 1;
  const char* const last = text.data() + end;
  while (at < last) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    std::int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, last, extent);
    if (error != std::errc() || extent < 0)
      return bad(name, "shape does not hold numbers of elements");
    extents.push_back(extent);
    at = next;
    if (at < last && *at == 'L') ++at;  // of Python 2
  }
  return extents;
}

Result<std::string> descr_of(std::string_view text, const std::string& name) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"'))
    return bad(name, "descr is a structure of fields: a matrix must have one type");
  const std::size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos) return bad(name, "descr does not end");
  const std::string descr(text.substr(1, end - 1));
  if (descr == "<f4" || descr == "<f8" || descr == "<f2") return descr;
  if (!descr.empty() && descr[0] == '>')
    return bad(name, "descr is " + descr + ": big-endian numbers are not supported");
  if (descr.find('O') != std::string::npos)
    return bad(name, "descr is " + descr + ": Python objects are not supported");
  return bad(name, "descr is " + descr + ": only f2, f4 and f8 are supported");
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
  constexpr std::size_t kVersion = 6, kShort = 8;
  if (bytes.size() < kShort + 2 || bytes.substr(0, kMagic.size()) != kMagic)
    return bad(name, "it does not begin like a .npy file");
  const int major = static_cast<unsigned char>(bytes[kVersion]);
  if (major < 1 || major > 3)
    return bad(name, "version " + std::to_string(major) + " of the format is not known");
  const std::size_t size_bytes = major == 1 ? 2 : 4;
  std::size_t length = 0;
  if (bytes.size() < kShort + size_bytes) return bad(name, "the header is cut off");
  for (std::size_t i = 0; i < size_bytes; ++i)
    length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[kShort + i])) << (8 * i);
  const std::size_t begin = kShort + size_bytes;
  if (length > static_cast<std::size_t>(kMostHeaderBytes) || bytes.size() < begin + length)
    return bad(name, "the header is cut off");
  const std::string_view text = bytes.substr(begin, length);
  const auto descr = value_of(text, "descr"), order = value_of(text, "fortran_order"),
             shape = value_of(text, "shape");
  if (!descr) return bad(name, "the header has no descr");
  if (!order) return bad(name, "the header has no fortran_order");
  if (!shape) return bad(name, "the header has no shape");
  const Result<std::string> type = descr_of(*descr, name);
  if (!type) return tl::unexpected(type.error());
  const Result<std::vector<std::int64_t>> extents = shape_of(*shape, name);
  if (!extents) return tl::unexpected(extents.error());
  if (extents->size() != 2)
    return bad(name, "shape has " + std::to_string(extents->size()) + " extents: a matrix has 2",
               "reshape it to rows and columns");
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  if ((*extents)[0] > kMostElements / std::max<std::int64_t>(1, (*extents)[1]) ||
      (*extents)[1] > kMostElements)
    return bad(name, "shape has more than 2^40 elements");
  return NpyHeader{*type, order->starts_with("True"), (*extents)[0], (*extents)[1],
                   static_cast<std::int64_t>(begin + length)};
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
