// scenes/folder/npy_array.cpp: arrays of any number type from NumPy's .npy files.
#include "scenes/folder/npy_array.h"

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>

namespace warpscope {
namespace {

struct Named {
  std::string_view descr;
  ElementType type;
};
constexpr std::array<Named, 10> kTypes = {{{"|b1", ElementType::u8},
                                           {"|u1", ElementType::u8},
                                           {"|i1", ElementType::i8},
                                           {"<u2", ElementType::u16},
                                           {"<i4", ElementType::i32},
                                           {"<u4", ElementType::u32},
                                           {"<i8", ElementType::i64},
                                           {"<f2", ElementType::f16},
                                           {"<f4", ElementType::f32},
                                           {"<f8", ElementType::f64}}};
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMostElements = 1LL << 40;

tl::unexpected<Error> refuse(const std::string& name, std::string what, std::string remedy) {
  return failure(ErrorKind::input, std::move(what), name, std::move(remedy));
}

// What stands behind 'key': in the header's dictionary.
std::string_view field(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size());
  const std::size_t colon = header.find(':');
  if (colon == std::string_view::npos) return {};
  header.remove_prefix(colon + 1);
  const std::size_t first = header.find_first_not_of(' ');
  return first == std::string_view::npos ? std::string_view() : header.substr(first);
}

std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  if (!text.starts_with('(')) return std::nullopt;
  std::vector<std::int64_t> shape;
  std::int64_t count = 1;
  text.remove_prefix(1);
  while (!text.empty() && text[0] != ')') {
    if (text[0] == ',' || text[0] == ' ') {
      text.remove_prefix(1);
      continue;
    }
    std::int64_t extent = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (end.ec != std::errc() || extent < 0 || (extent > 0 && count > kMostElements / extent))
      return std::nullopt;
    count *= extent;
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end.ptr - text.data()));
  }
  if (text.empty()) return std::nullopt;
  return shape;
}

}  // namespace

std::int64_t NpyArray::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

Result<NpyArray> parse_npy_array(std::string_view bytes, const std::string& name) {
  constexpr std::size_t kFixed = 12;  // magic, version, length of the header at its longest
  if (!bytes.starts_with(kMagic) || bytes.size() < kFixed)
    return refuse(name, "it is not a .npy file", "save it with numpy.save");
  const auto byte = [&bytes](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool longer = byte(6) >= 2;
  const std::size_t length =
      longer ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  const std::size_t begin = longer ? 12 : 10;
  if (length > bytes.size() - begin)
    return refuse(name, "its header is cut off", "save it again with numpy.save");
  const std::string_view header = bytes.substr(begin, length);
  const std::string_view descr = field(header, "'descr'");
  NpyArray array;
  bool known = false;
  for (const Named& row : kTypes) {
    if (descr.size() < 5 || descr.substr(1, 3) != row.descr) continue;
    array.type = row.type;
    known = true;
  }
  if (!known) {
    return refuse(name, "its elements are of type " + std::string(descr.substr(0, 6)),
                  "save f2, f4, f8, i1, i4, i8, u1, u2, u4 or bool, little-endian");
  }
  if (!field(header, "'fortran_order'").starts_with("False"))
    return refuse(name, "it is in Fortran order", "save numpy.ascontiguousarray of it");
  auto shape = shape_of(field(header, "'shape'"));
  if (!shape) return refuse(name, "its shape cannot be read", "save it again with numpy.save");
  array.shape = std::move(*shape);
  const auto wanted = static_cast<std::size_t>(array.count() * element_bytes(array.type));
  if (bytes.size() - begin - length < wanted)
    return refuse(name, "elements are missing at its end", "save it again with numpy.save");
  array.bytes = std::string(bytes.substr(begin + length, wanted));
  return array;
}

}  // namespace warpscope
