// profiling/messages/json_codec_lines.cpp: counters by source line, and samples of where warps
// wait, as JSON and back.
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

// One list per instruction: its offset, then for each reason its place among the reasons, the
// samples, and those without an issued instruction.
json encode_samples(const InstructionSamples& at) {
  json cells = {at.offset};
  for (const StallCount& count : at.counts)
    cells.insert(cells.end(), {count.reason, count.samples, count.not_issued});
  return cells;
}

// Counts of reasons that have no name are left out.
InstructionSamples decode_samples(const json& cells, std::size_t reasons) {
  InstructionSamples at;
  at.offset = natural(cells.at(0));
  constexpr std::size_t kCells = 3;  // of a reason
  for (std::size_t k = 1; k + kCells <= cells.size(); k += kCells) {
    const std::uint64_t reason = natural(cells[k]);
    if (reason >= reasons) continue;
    at.counts.push_back(
        {static_cast<std::uint32_t>(reason), integer(cells[k + 1]), integer(cells[k + 2])});
  }
  return at;
}

}  // namespace

json encode(const StallSamples& samples) {
  json object = {{"runs", samples.runs}};
  if (samples.runs > 0) {
    object["reasons"] = samples.reasons;
    object["compute_capability"] = samples.compute_capability;
    object["code_bytes"] = samples.code_bytes;
    object["multiprocessors"] = samples.multiprocessors;
    object["period_log2"] = samples.period_log2;
    if (samples.dropped != 0) object["dropped"] = samples.dropped;
    if (samples.elsewhere != 0) object["elsewhere"] = samples.elsewhere;
  }
  for (const InstructionSamples& at : samples.instructions)
    object["instructions"].push_back(encode_samples(at));
  if (!samples.missing.empty()) object["metrics"] = encode_metrics(samples.missing);
  return object;
}

void decode(const json& object, StallSamples& samples) {
  read(object, "runs", samples.runs);
  read(object, "reasons", samples.reasons);
  read(object, "compute_capability", samples.compute_capability);
  read(object, "code_bytes", samples.code_bytes);
  read(object, "multiprocessors", samples.multiprocessors);
  read(object, "period_log2", samples.period_log2);
  read(object, "dropped", samples.dropped);
  read(object, "elsewhere", samples.elsewhere);
  if (const auto list = object.find("instructions"); list != object.end()) {
    for (const json& cells : rows_of(*list))
      samples.instructions.push_back(decode_samples(cells, samples.reasons.size()));
  }
  decode_metrics(object, samples.missing);
}

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
