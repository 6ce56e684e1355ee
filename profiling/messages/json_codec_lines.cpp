// profiling/messages/json_codec_lines.cpp: counters by source line, samples of where warps wait,
// and warps over time, as JSON and back.
#include <nlohmann/json.hpp>
#include <stdexcept>

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

json encode_span(const ProbedSpan& span) {
  json object = {{"kind", to_text(span.kind)},
                 {"at", encode_position(span.position)},
                 {"text", span.text},
                 {"hits", span.hits}};
  if (span.depth != 0) object["depth"] = span.depth;
  if (span.dropped) object["dropped"] = true;
  if (span.warps != 0) object["warps"] = span.warps;
  return object;
}

ProbedSpan decode_span(const json& object) {
  ProbedSpan span;
  std::string kind;
  read(object, "kind", kind);
  span.kind = enum_of<SpanKind>(kind, to_text);
  if (const auto at = object.find("at"); at != object.end()) span.position = decode_position(*at);
  read(object, "text", span.text);
  read(object, "hits", span.hits);
  read(object, "depth", span.depth);
  read(object, "dropped", span.dropped);
  read(object, "warps", span.warps);
  return span;
}

// Records are pairs: cycles since the record before (the first: since the warp began), and the
// number of the probe.
json encode_warp(const WarpRow& row) {
  json records = json::array();
  std::int64_t before = row.begin;
  for (const WarpRecord& at : row.records) {
    records.push_back(at.cycle - before);
    records.push_back(at.probe);
    before = at.cycle;
  }
  json object = {{"block", row.block},
                 {"warp", row.warp},
                 {"multiprocessor", row.multiprocessor},
                 {"slot", row.slot},
                 {"begin", row.begin},
                 {"end", row.end},
                 {"records", std::move(records)}};
  if (row.lost != 0) object["lost"] = row.lost;
  return object;
}

WarpRow decode_warp(const json& object) {
  WarpRow row;
  read(object, "block", row.block);
  read(object, "warp", row.warp);
  read(object, "multiprocessor", row.multiprocessor);
  read(object, "slot", row.slot);
  read(object, "begin", row.begin);
  read(object, "end", row.end);
  read(object, "lost", row.lost);
  if (const auto list = object.find("records"); list != object.end()) {
    const json& cells = rows_of(*list);
    std::int64_t cycle = row.begin;
    for (std::size_t k = 0; k + 1 < cells.size(); k += 2) {
      cycle += integer(cells[k]);
      row.records.push_back({cycle, static_cast<std::uint32_t>(natural(cells[k + 1]))});
    }
  }
  return row;
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

json encode(const WarpTimeline& t) {
  json object = {{"job", t.job},
                 {"scene", t.scene},
                 {"variant", t.variant},
                 {"key", t.key},
                 {"step", t.step},
                 {"entry", t.entry},
                 {"source", t.source},
                 {"spans", encode_list<ProbedSpan>(t.spans, encode_span)},
                 {"rows", encode_list<WarpRow>(t.rows, encode_warp)},
                 {"blocks", t.blocks},
                 {"warps_per_block", t.warps_per_block},
                 {"clock_hz", t.clock_hz},
                 {"aligned_within_ns", t.aligned_within_ns},
                 {"plain_ns", t.plain_ns},
                 {"probed_ns", t.probed_ns},
                 {"all_probes_ns", t.all_probes_ns},
                 {"launches", t.launches},
                 {"plain_registers", t.plain_registers},
                 {"probed_registers", t.probed_registers},
                 {"conditions", encode(t.conditions)}};
  if (!t.notes.empty()) object["notes"] = t.notes;
  return object;
}

void decode(const json& object, WarpTimeline& t) {
  read(object, "job", t.job);
  read(object, "scene", t.scene);
  read(object, "variant", t.variant);
  read(object, "key", t.key);
  read(object, "step", t.step);
  read(object, "entry", t.entry);
  read(object, "source", t.source);
  decode_list<ProbedSpan>(object, "spans", t.spans, decode_span);
  decode_list<WarpRow>(object, "rows", t.rows, decode_warp);
  read(object, "blocks", t.blocks);
  read(object, "warps_per_block", t.warps_per_block);
  read(object, "clock_hz", t.clock_hz);
  read(object, "aligned_within_ns", t.aligned_within_ns);
  read(object, "plain_ns", t.plain_ns);
  read(object, "probed_ns", t.probed_ns);
  read(object, "all_probes_ns", t.all_probes_ns);
  read(object, "launches", t.launches);
  read(object, "plain_registers", t.plain_registers);
  read(object, "probed_registers", t.probed_registers);
  read(object, "notes", t.notes);
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, t.conditions);
  for (const WarpRow& row : t.rows) {
    for (const WarpRecord& at : row.records) {
      if (at.span() >= t.spans.size())
        throw std::length_error("a record is of a span that is not listed");
    }
  }
}

}  // namespace warpscope
