// workbench/serve/serve_protocol.h: what `warpscope serve` takes and answers: one JSON object a
// line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

#include "scenes/host/result.h"

// A request has an id of the asker's and a name; its answer has that id, the version, and ok with a
// result or an error of kind, what, where and remedy. These rows are the one description of it:
// requests are compared with them when they are read, answers when they are sent, and the schema
// that ships (assets/serve.schema.json) is made of them.
//
//   → {"id": 1, "request": "verify", "variant": "csrmm/row_split", "axes": {"m": 500}}
//   ← {"id": 1, "version": 1, "ok": true, "result": {"points": […]}}
//   → {"id": 2, "request": "vary"}
//   ← {"id": 2, "version": 1, "ok": false, "error": {"kind": "usage", "what": "there is no …", …}}

namespace warpscope {

inline constexpr int kServeVersion = 1;

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
// No request is longer; of a longer line no more than this is kept.
inline constexpr std::size_t kMostRequestBytes = 16 << 20;

enum class FieldType { text, whole, real, truth, object, list };
struct FieldRow {
  const char* name;
  FieldType type;
  bool required;
  const char* sentence;
  // For numbers, whole ones too: what is outside is refused. Every bound is exact as a double.
  double least = -kUnbounded, most = kUnbounded;
};
struct ServeRow {
  const char* name;
  const char* sentence;
  std::span<const FieldRow> takes, gives;
};
std::span<const ServeRow> serve_rows();

struct ServeRequest {
  nlohmann::json id;  // as it came; null where there is none
  const ServeRow* row = nullptr;
  nlohmann::json fields;
  std::string text(const char* name) const;
  std::int64_t number(const char* name) const;  // of a row with bounds; 0: there is none
};
// A line that is not a request still has the id that it came with, where one can be read.
struct RefusedRequest {
  nlohmann::json id;
  Error error;
};
// Fields that no row names are ignored. error: input: no JSON object, a line over 16 MiB; usage: an
// unknown request, by its name with the nearest; a field that is missing, of another type, outside
// its range, or a text with a NUL in it.
tl::expected<ServeRequest, RefusedRequest> parse_request(std::string_view line);
RefusedRequest overlong_request();  // of a line over kMostRequestBytes

// One line each, without its end.
std::string answer_line(const nlohmann::json& id, const nlohmann::json& result);
std::string refusal_line(const nlohmann::json& id, const Error& error);

// Why an object is not what the rows say; empty: it is.
std::string against_rows(std::span<const FieldRow> rows, const nlohmann::json& object);

// JSON Schema (draft 2020-12) of a request's line and of an answer's.
nlohmann::ordered_json serve_schema();

}  // namespace warpscope
