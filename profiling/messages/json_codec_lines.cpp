// profiling/messages/json_codec_lines.cpp: counters by source line as JSON and back.
#include <nlohmann/json.hpp>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

json encode_row(const LineCount& row) {
  json figures = json::object();
  for (const LineMetricRow& metric : line_metrics()) {
    if (const auto value = row.figures[metric.metric]) figures[std::string(metric.id)] = *value;
  }
  json object = {{"at", encode_position(row.position)},
                 {"machine_instructions", row.machine_instructions},
                 {"figures", std::move(figures)}};
  for (const SourcePosition& p : row.inlined_at) object["inlined_at"].push_back(encode_position(p));
  return object;
}

LineCount decode_row(const json& object) {
  LineCount row;
  if (const auto at = object.find("at"); at != object.end()) row.position = decode_position(*at);
  read(object, "machine_instructions", row.machine_instructions);
  if (const auto figures = object.find("figures"); figures != object.end()) {
    for (const LineMetricRow& metric : line_metrics())
      read(*figures, std::string(metric.id).c_str(), row.figures[metric.metric]);
  }
  if (const auto list = object.find("inlined_at"); list != object.end()) {
    for (const json& p : rows_of(*list)) row.inlined_at.push_back(decode_position(p));
  }
  return row;
}

// One list per instruction: its offset, and by line metric what was counted there, or null.
json encode_instruction(const InstructionCount& count) {
  json cells = {count.offset};
  for (const std::optional<std::int64_t>& value : count.figures.values)
    cells.push_back(value ? json(*value) : json());
  return cells;
}

InstructionCount decode_instruction(const json& cells) {
  InstructionCount count;
  count.offset = natural(cells.at(0));
  for (std::size_t k = 0; k < kLineMetricCount && k + 1 < cells.size(); ++k) {
    if (!cells[k + 1].is_null()) count.figures.values[k] = integer(cells[k + 1]);
  }
  return count;
}

}  // namespace

json encode(const LineCounters& lines) {
  json object = {{"passes", lines.passes}};
  for (const LineCount& row : lines.rows) object["rows"].push_back(encode_row(row));
  for (const InstructionCount& count : lines.instructions)
    object["instructions"].push_back(encode_instruction(count));
  // As measurements have their figures: by id, with reason and remedy.
  if (!lines.missing.empty()) object["metrics"] = encode_metrics(lines.missing);
  return object;
}

void decode(const json& object, LineCounters& lines) {
  read(object, "passes", lines.passes);
  if (const auto rows = object.find("rows"); rows != object.end()) {
    for (const json& row : rows_of(*rows)) lines.rows.push_back(decode_row(row));
  }
  if (const auto list = object.find("instructions"); list != object.end()) {
    for (const json& cells : rows_of(*list))
      lines.instructions.push_back(decode_instruction(cells));
  }
  decode_metrics(object, lines.missing);
}

}  // namespace warpscope
