// profiling/messages/json_fields.h: fields that several messages have, as members of JSON objects.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/figures/metric.h"
#include "scenes/base/step.h"
#include "scenes/host/enumerators.h"

// For the codecs alone: nothing else sees nlohmann's whole header. Reading throws
// nlohmann::json::exception on a wrong type and std::length_error for too long a list, as
// json_codec.h says.

namespace warpscope {

// Reads a member when it is there; a null means "no value".
template <typename T>
void read(const nlohmann::json& object, const char* name, T& value) {
  const auto found = object.find(name);
  if (found != object.end() && !found->is_null()) found->get_to(value);
}

template <typename T>
void read(const nlohmann::json& object, const char* name, std::optional<T>& value) {
  const auto found = object.find(name);
  if (found != object.end() && !found->is_null()) value = found->get<T>();
}

inline void read(const nlohmann::json& object, const char* name, SharedText& value) {
  std::string text = value;
  read(object, name, text);
  value = std::move(text);
}

inline void write(nlohmann::json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}
inline void write(nlohmann::json& object, const char* name, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) object[name] = *value;
}

// The enumerator whose text is `name`; the first one for text of a newer version.
template <typename Enum>
Enum enum_of(const std::string& name, const char* (*to_name)(Enum)) {
  return enumerator_of(name, static_cast<Enum>(0), to_name);
}

// Lists of a message are no longer than this: a trace keeps 200 000 requests, all others are
// shorter by far. A broken text must not become more than memory holds.
inline constexpr std::size_t kMostRows = 1 << 18;
// The list itself. Throws std::length_error where it is longer.
const nlohmann::json& rows_of(const nlohmann::json& list);

// Lists of rows, each of which one function writes or reads.
template <typename Row>
nlohmann::json encode_list(const std::vector<Row>& rows, nlohmann::json (*encode_row)(const Row&)) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) list.push_back(encode_row(row));
  return list;
}

template <typename Row>
void decode_list(const nlohmann::json& object, const char* name, std::vector<Row>& rows,
                 Row (*decode_row)(const nlohmann::json&)) {
  const auto list = object.find(name);
  if (list == object.end()) return;
  for (const nlohmann::json& row : rows_of(*list)) rows.push_back(decode_row(row));
}

// Integers only: a fraction or an exponent in their place is a wrong type.
inline std::int64_t integer(const nlohmann::json& value) {
  return value.get_ref<const nlohmann::json::number_integer_t&>();
}
inline std::uint64_t natural(const nlohmann::json& value) {
  return static_cast<std::uint64_t>(integer(value));
}

// Two hexadecimal digits per byte: gzip of a session brings them back to about the size of their
// content.
std::string hex_of(const std::vector<std::uint8_t>& bytes);
// Throws std::length_error for other characters, or for half a byte.
std::vector<std::uint8_t> bytes_of_hex(const std::string& text);

nlohmann::json encode_dim(const Dim3& d);  // [x, y, z]
nlohmann::json encode_launch(const Launch& launch);
void decode_launch(const nlohmann::json& parent, Launch& launch);  // its member "launch"
nlohmann::json encode_position(const SourcePosition& position);    // [file, line, column]
SourcePosition decode_position(const nlohmann::json& row);
nlohmann::json encode_metrics(const std::vector<MetricValue>& values);
void decode_metrics(const nlohmann::json& parent, std::vector<MetricValue>& values);  // "metrics"

}  // namespace warpscope
