// profiling/text/quick_json.cpp: JSON parsed with simdjson into what nlohmann's parser would give.
#include "profiling/text/quick_json.h"

#include <simdjson.h>

#include <string>
#include <utility>

namespace warpscope {
namespace {

using nlohmann::json;
using simdjson::dom::element;
using simdjson::dom::element_type;

// The parser keeps about ten times as much for as long as the thread runs.
constexpr std::size_t kLongestBytes = 1 << 20;

// Recursive: the caller has bounded the depth.
json value_of(const element& from) {
  switch (from.type()) {
    case element_type::OBJECT: {
      json::object_t object;
      const simdjson::dom::object members = from.get_object().value_unsafe();
      // The last of several equal names counts, as in nlohmann's parser.
      for (const auto& [name, value] : members) object[std::string(name)] = value_of(value);
      return object;
    }
    case element_type::ARRAY: {
      json::array_t array;
      const simdjson::dom::array values = from.get_array().value_unsafe();
      array.reserve(values.size());
      for (const element& value : values) array.push_back(value_of(value));
      return array;
    }
    case element_type::STRING:
      return std::string(from.get_string().value_unsafe());
    case element_type::INT64: {
      const std::int64_t value = from.get_int64().value_unsafe();
      return value < 0 ? json(value) : json(static_cast<std::uint64_t>(value));
    }
    case element_type::UINT64:
      return from.get_uint64().value_unsafe();
    case element_type::DOUBLE:
      return from.get_double().value_unsafe();
    case element_type::BOOL:
      return from.get_bool().value_unsafe();
    case element_type::NULL_VALUE:
      break;
  }
  return nullptr;
}

}  // namespace

std::optional<json> quick_json(std::string_view text) {
  thread_local simdjson::dom::parser parser(kLongestBytes);
  element root;
  if (text.size() > kLongestBytes ||
      parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS)
    return std::nullopt;
  json value = value_of(root);
  // It keeps some 14 bytes for each of the longest text. Long ones are traces, which are few.
  constexpr std::size_t kUsualBytes = 64 << 10;
  if (text.size() > kUsualBytes) parser = simdjson::dom::parser(kLongestBytes);
  return value;
}

}  // namespace warpscope
