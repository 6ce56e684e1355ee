// scenes/base/npy_array.cpp: arrays of any number type from NumPy's .npy files.
#include "scenes/base/npy_array.h"

#include <algorithm>
#include <array>
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
constexpr std::int64_t kMostHeaderBytes = 1 << 20;

tl::unexpected<Error> bad(const std::string& name, std::string what,
                          std::string remedy = "save it again with numpy.save") {
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
    return bad(name, "descr is a structure of fields: an array must have one type");
  const std::size_t end = text.find(text[0], 1);
  if (end == std::string_view::npos) return bad(name, "descr does not end");
  const std::string descr(text.substr(1, end - 1));
  if (!descr.empty() && descr[0] == '>')
    return bad(name, "descr is " + descr + ": big-endian numbers are not supported");
  if (descr.find('O') != std::string::npos)
    return bad(name, "descr is " + descr + ": Python objects are not supported");
  return descr;
}

}  // namespace

std::int64_t NpyShape::count() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

Result<NpyHead> parse_npy_head(std::string_view bytes, const std::string& name) {
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
  std::int64_t count = 1;
  for (const std::int64_t extent : *extents) {
    if (extent > 0 && count > kMostElements / extent)
      return bad(name, "shape has more than 2^40 elements");
    count *= extent;
  }
  return NpyHead{*type, order->starts_with("True"), *extents,
                 static_cast<std::int64_t>(begin + length)};
}

Result<NpyArray> parse_npy_array(std::string_view bytes, const std::string& name) {
  return view_npy_array(bytes, name, nullptr).map([](NpyView&& view) {
    return NpyArray{std::move(view), std::string(view.bytes)};
  });
}

Result<NpyView> view_npy_array(std::string_view bytes, const std::string& name,
                               std::shared_ptr<const void> kept) {
  Result<NpyHead> head = parse_npy_head(bytes, name);
  if (!head) return tl::unexpected(head.error());
  NpyView array;
  const auto known = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const Named& row) { return row.descr == head->descr; });
  if (known == kTypes.end())
    return bad(name, "its elements are of type '" + head->descr + "'",
               "save f2, f4, f8, i1, i4, i8, u1, u2, u4 or bool, little-endian");
  array.type = known->type;
  if (head->fortran_order)
    return bad(name, "it is in Fortran order", "save numpy.ascontiguousarray of it");
  array.shape = std::move(head->shape);
  const auto wanted = static_cast<std::size_t>(array.count() * element_bytes(array.type));
  const auto begin = static_cast<std::size_t>(head->data_offset);
  if (bytes.size() - begin < wanted)
    return bad(name, "elements are missing at its end", "save it again with numpy.save");
  array.bytes = bytes.substr(begin, wanted);
  array.kept = std::move(kept);
  return array;
}

std::string npy_text(ElementType type, const std::vector<std::int64_t>& shape,
                     std::span<const std::byte> elements) {
  // source: NumPy, numpy.lib.format: what stands before the elements fills multiples of 64 bytes.
  constexpr std::size_t kAlignment = 64, kBeforeHeader = 10;
  const ElementType stored = type == ElementType::bf16 ? ElementType::u16 : type;
  std::string descr, extents;
  for (const Named& row : kTypes) {
    if (row.type == stored) descr = row.descr;
  }
  for (const std::int64_t extent : shape)
    extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  if (shape.size() == 1) extents += ",";  // a tuple of one
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + extents + "), }";
  header.append(kAlignment - (kBeforeHeader + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() & 255);
  text += static_cast<char>(header.size() >> 8);
  text += header;
  text.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  return text;
}

}  // namespace warpscope
