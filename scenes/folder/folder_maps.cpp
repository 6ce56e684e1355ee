// scenes/folder/folder_maps.cpp: tensor maps among the arguments of a description.
#include <algorithm>
#include <charconv>
#include <iterator>

#include "scenes/base/user_argument.h"
#include "scenes/folder/folder_model.h"

namespace warpscope::folder {
namespace {

constexpr std::size_t kMostDimensions = 5;
constexpr const char* kWriteMap =
    "write buffer, type, extents, bytes from one row to the next, box: "
    "map:{x,f16,(64,n),(128),(64,64),swizzle:128}";
constexpr ElementType kTypes[] = {
    ElementType::u8,  ElementType::i8,  ElementType::u16,  ElementType::i32, ElementType::u32,
    ElementType::i64, ElementType::f16, ElementType::bf16, ElementType::f32, ElementType::f64};

// "x", "x+256": neither a value nor a structure.
bool is_buffer(std::string_view text) {
  return !text.empty() && text.find(':') == std::string_view::npos;
}

// "(64,n)"; false: it is not such a list.
bool read_list(const Fields& fields, std::string_view text, std::size_t least,
               const FolderModel& model, std::vector<Expression>& to) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = text.substr(1, text.size() - 2);
  const std::vector<std::string_view> parts =
      text.empty() ? std::vector<std::string_view>() : members_in(text);
  if (parts.size() < least || parts.size() > kMostDimensions) return false;
  for (const std::string_view part : parts) {
    Node value;
    value.kind = Node::Kind::text;
    value.text = std::string(part);
    value.line = fields.find("arguments")->line;
    std::optional<Expression> number =
        fields.expression(value, fields.at("arguments"), model.scope.names());
    if (!number) return false;
    to.push_back(std::move(*number));
  }
  return true;
}

// "swizzle:128", "fetch:256"; false: there is no such part.
bool read_part(std::string_view text, MapRow& row) {
  const std::size_t colon = text.find(':');
  const std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  std::int64_t bytes = 0;
  const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), bytes);
  if (digits.empty() || failed != std::errc() || end != digits.data() + digits.size()) return false;
  if (text.starts_with("fetch:") && (bytes == 0 || bytes == 64 || bytes == 128 || bytes == 256)) {
    row.fetched_bytes = bytes;
    return true;
  }
  if (!text.starts_with("swizzle:")) return false;
  for (const TensorSwizzle swizzle : {TensorSwizzle::none, TensorSwizzle::bytes_32,
                                      TensorSwizzle::bytes_64, TensorSwizzle::bytes_128}) {
    if (row_bytes(swizzle) != bytes) continue;
    row.swizzle = swizzle;
    return true;
  }
  return false;
}

Result<std::vector<std::int64_t>> numbers_of(const std::vector<Expression>& expressions,
                                             const Expression::Lookup& lookup) {
  std::vector<std::int64_t> numbers;
  for (const Expression& expression : expressions) {
    const Result<std::int64_t> number = expression.whole(lookup);
    if (!number) return tl::unexpected(number.error());
    numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace

MapText read_map(const Fields& fields, const std::string& text, const FolderModel& model) {
  const std::string inside =
      text.starts_with("map:{") && text.ends_with('}') ? text.substr(5, text.size() - 6) : "";
  const std::vector<std::string_view> parts = members_in(inside);
  MapRow row;
  bool good = parts.size() >= 5 && is_buffer(parts[0]);
  if (good) {
    const auto* type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                    [&](ElementType t) { return parts[1] == to_text(t); });
    good = type != std::end(kTypes);
    if (good) row.type = *type;
  }
  good = good && read_list(fields, parts[2], 1, model, row.extents) &&
         read_list(fields, parts[3], 0, model, row.strides) &&
         read_list(fields, parts[4], 1, model, row.box);
  for (std::size_t i = 5; good && i < parts.size(); ++i) good = read_part(parts[i], row);
  if (good) return {std::string(parts[0]), std::make_shared<const MapRow>(std::move(row))};
  fields.refuse("arguments", "“" + text + "” is not a tensor map", kWriteMap);
  return {};
}

UserArgument reference_to(const ArgumentRow& row) {
  UserArgument member;
  member.kind = UserArgument::Kind::reference;
  member.name = row.buffer;
  member.offset_bytes = row.offset_bytes;
  return member;
}

UserArgument map_member(const ArgumentRow& row) {
  constexpr std::size_t kBytes = 128, kAlignment = 64;
  UserArgument map, aligned, rest;
  map.kind = UserArgument::Kind::record;
  aligned.kind = rest.kind = UserArgument::Kind::raw;
  aligned.raw_alignment = kAlignment;
  rest.raw.resize(kBytes - sizeof(std::uint64_t));
  map.members = {aligned, reference_to(row), rest};
  return map;
}

Result<TensorMapArgument> map_at(const ArgumentRow& row, const Expression::Lookup& lookup) {
  TensorMapArgument map;
  map.buffer = row.buffer;
  map.offset_bytes = row.offset_bytes;
  map.type = row.map->type;
  map.swizzle = row.map->swizzle;
  map.fetched_bytes = row.map->fetched_bytes;
  struct List {
    const std::vector<Expression>& from;
    std::vector<std::int64_t>& to;
  };
  for (const List& list :
       {List{row.map->extents, map.extents}, List{row.map->strides, map.strides_bytes},
        List{row.map->box, map.box}}) {
    Result<std::vector<std::int64_t>> numbers = numbers_of(list.from, lookup);
    if (!numbers) return tl::unexpected(numbers.error());
    list.to = std::move(*numbers);
  }
  return map;
}

}  // namespace warpscope::folder
