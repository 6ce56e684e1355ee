// profiling/messages/json_codec_measurement.cpp: measurements as JSON and back.
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiling/messages/json_codec.h"
#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

// Samples to a tenth of a nanosecond: finer than any timer, and sessions stay small.
json encode_timing(const Timing& timing) {
  json samples = json::array();
  for (const double sample : timing.samples_ns) {
    const double tenths = std::round(sample * 10) / 10;
    if (tenths == std::floor(tenths)) {
      samples.push_back(static_cast<std::int64_t>(tenths));  // shorter than "131712.0"
    } else {
      samples.push_back(tenths);
    }
  }
  json object = {{"cache", to_text(timing.cache)}, {"samples_ns", std::move(samples)}};
  if (timing.runs_per_sample != 1) object["runs_per_sample"] = timing.runs_per_sample;
  if (timing.dropped_samples != 0) object["dropped_samples"] = timing.dropped_samples;
  if (timing.graph_replay) object["graph_replay"] = true;
  if (timing.sm_clock_mhz > 0) object["sm_clock_mhz"] = timing.sm_clock_mhz;
  write(object, "stop_reason", timing.stop_reason);
  return object;
}

void decode_timing(const json& parent, const char* name, CacheState cache,
                   std::optional<Timing>& timing) {
  const auto found = parent.find(name);
  if (found == parent.end() || found->is_null()) return;
  Timing read_timing;
  read_timing.cache = cache;
  std::vector<double> samples;
  read(*found, "samples_ns", samples);
  read_timing.samples_ns = samples;
  read(*found, "runs_per_sample", read_timing.runs_per_sample);
  read(*found, "dropped_samples", read_timing.dropped_samples);
  read(*found, "graph_replay", read_timing.graph_replay);
  read(*found, "sm_clock_mhz", read_timing.sm_clock_mhz);
  read(*found, "stop_reason", read_timing.stop_reason);
  summarise(read_timing);  // statistics are made from the samples, never stored beside them
  timing = std::move(read_timing);
}

}  // namespace

json encode_axes(const Configuration& axes) {
  json object = json::object();
  for (const auto& [name, value] : axes.values()) {
    json& place = object[name];
    std::visit([&place](const auto& v) { place = v; }, value);
  }
  return object;
}

void decode_axes(const json& parent, Configuration& axes) {
  const auto found = parent.find("axes");
  if (found == parent.end()) return;
  for (const auto& [name, value] : found->items()) {
    if (value.is_number_integer()) {
      axes.set(name, value.get<std::int64_t>());
    } else if (value.is_number_float()) {
      axes.set(name, value.get<double>());
    } else {
      axes.set(name, value.get<std::string>());
    }
  }
}

json encode_step(const StepRecord& step) {
  json object = {{"name", step.name}, {"kind", step.kind}, {"source", step.source}};
  if (step.phase == Phase::prepare) object["phase"] = "prepare";
  write(object, "text_hash", step.text_hash);
  write(object, "entry", step.entry);
  if (step.kind == "kernel") object["launch"] = encode_launch(step.launch);
  if (!step.tags.empty()) object["tags"] = step.tags;
  write(object, "time_ns", step.time_ns);
  write(object, "how", step.how);
  if (step.resources) {
    const KernelResources& r = *step.resources;
    json resources = {{"registers", r.registers_per_thread},
                      {"static_shared_bytes", r.static_shared_bytes},
                      {"dynamic_shared_bytes", r.dynamic_shared_bytes},
                      {"local_bytes", r.local_bytes_per_thread},
                      {"blocks_per_multiprocessor", r.blocks_per_multiprocessor},
                      {"occupancy", r.theoretical_occupancy_ratio}};
    if (r.spill_store_bytes != 0) resources["spill_store_bytes"] = r.spill_store_bytes;
    if (r.spill_load_bytes != 0) resources["spill_load_bytes"] = r.spill_load_bytes;
    if (r.most_block_threads != 0) resources["most_block_threads"] = r.most_block_threads;
    object["resources"] = std::move(resources);
  }
  write(object, "refusal", step.refusal);
  if (!step.metrics.empty()) object["metrics"] = encode_metrics(step.metrics);
  if (!step.lines.rows.empty() || !step.lines.missing.empty()) object["lines"] = encode(step.lines);
  if (step.samples.runs > 0 || !step.samples.missing.empty())
    object["samples"] = encode(step.samples);
  write(object, "compile_log", step.compile_log);
  return object;
}

StepRecord decode_step(const json& object) {
  StepRecord step;
  std::string phase;
  read(object, "name", step.name);
  read(object, "kind", step.kind);
  read(object, "source", step.source);
  read(object, "text_hash", step.text_hash);
  read(object, "entry", step.entry);
  read(object, "phase", phase);
  step.phase = phase == "prepare" ? Phase::prepare : Phase::run;
  decode_launch(object, step.launch);
  read(object, "tags", step.tags);
  read(object, "time_ns", step.time_ns);
  read(object, "how", step.how);
  if (const auto found = object.find("resources"); found != object.end()) {
    KernelResources r;
    read(*found, "registers", r.registers_per_thread);
    read(*found, "static_shared_bytes", r.static_shared_bytes);
    read(*found, "dynamic_shared_bytes", r.dynamic_shared_bytes);
    read(*found, "local_bytes", r.local_bytes_per_thread);
    read(*found, "blocks_per_multiprocessor", r.blocks_per_multiprocessor);
    read(*found, "occupancy", r.theoretical_occupancy_ratio);
    read(*found, "spill_store_bytes", r.spill_store_bytes);
    read(*found, "spill_load_bytes", r.spill_load_bytes);
    read(*found, "most_block_threads", r.most_block_threads);
    step.resources = r;
  }
  read(object, "refusal", step.refusal);
  decode_metrics(object, step.metrics);
  if (const auto lines = object.find("lines"); lines != object.end()) decode(*lines, step.lines);
  if (const auto samples = object.find("samples"); samples != object.end())
    decode(*samples, step.samples);
  read(object, "compile_log", step.compile_log);
  return step;
}

json encode_verdict(const Verdict& verdict) {
  json object = {{"outcome", to_text(verdict.outcome)}};
  write(object, "sentence", verdict.sentence);
  write(object, "remedy", verdict.remedy);
  if (verdict.checked_elements != 0) {
    object["checked_elements"] = verdict.checked_elements;
    object["mismatches"] = verdict.mismatches;
    write(object, "worst_error_ratio", std::optional<double>(verdict.worst_error_ratio));
  }
  return object;
}

void decode_verdict(const json& value, Verdict& verdict) {
  std::string outcome;
  read(value, "outcome", outcome);
  verdict.outcome = enum_of<Outcome>(outcome, to_text);
  if (outcome != to_text(verdict.outcome)) verdict.outcome = Outcome::unchecked;
  read(value, "sentence", verdict.sentence);
  read(value, "remedy", verdict.remedy);
  read(value, "checked_elements", verdict.checked_elements);
  read(value, "mismatches", verdict.mismatches);
  read(value, "worst_error_ratio", verdict.worst_error_ratio);
}

namespace {

json encode_reported(const ReportedError& error) {
  return {{"reference", error.reference},
          {"worst_error_ratio", error.worst_error_ratio},
          {"mismatches", error.mismatches},
          {"checked_elements", error.checked_elements},
          {"sentence", error.sentence}};
}

ReportedError decode_reported(const json& row) {
  ReportedError error;
  read(row, "reference", error.reference);
  read(row, "worst_error_ratio", error.worst_error_ratio);
  read(row, "mismatches", error.mismatches);
  read(row, "checked_elements", error.checked_elements);
  read(row, "sentence", error.sentence);
  return error;
}

json encode_tried(const TriedRow& tried) {
  json object = {{"row", tried.row.variant}, {"expected_ns", tried.expected_ns}};
  if (!tried.row.axes.empty()) object["axes"] = tried.row.axes;
  write(object, "ns", tried.ns);
  write(object, "left_out", tried.left_out);
  return object;
}

TriedRow decode_tried(const json& object) {
  TriedRow tried;
  read(object, "row", tried.row.variant);
  read(object, "axes", tried.row.axes);
  read(object, "expected_ns", tried.expected_ns);
  read(object, "ns", tried.ns);
  read(object, "left_out", tried.left_out);
  return tried;
}

}  // namespace

json encode(const PickedRow& picked) {
  json object = {{"row", picked.row.variant}, {"reason", to_text(picked.reason)}};
  if (!picked.row.axes.empty()) object["axes"] = picked.row.axes;
  if (!picked.tried.empty()) object["tried"] = encode_list<TriedRow>(picked.tried, encode_tried);
  return object;
}

void decode(const json& object, PickedRow& picked) {
  read(object, "row", picked.row.variant);
  read(object, "axes", picked.row.axes);
  std::string reason;
  read(object, "reason", reason);
  picked.reason = enum_of<PickReason>(reason, to_text);
  decode_list<TriedRow>(object, "tried", picked.tried, decode_tried);
}

json encode(const Measurement& m) {
  json object = {{"job", m.job}, {"scene", m.scene}, {"variant", m.variant}, {"key", m.key}};
  object["axes"] = encode_axes(m.axes);
  write(object, "problem", m.problem);
  if (!m.completed_axes.empty()) object["completed_axes"] = m.completed_axes;
  object["facts"] = m.facts;
  if (m.partial) object["partial"] = true;
  if (m.submission == Submission::graph) object["submission"] = to_text(m.submission);
  if (!m.reported.empty())
    object["reported"] = encode_list<ReportedError>(m.reported, encode_reported);
  object["verdict"] = encode_verdict(m.verdict);
  if (m.cold) object["cold"] = encode_timing(*m.cold);
  if (m.warm) object["warm"] = encode_timing(*m.warm);
  write(object, "prepare_ns", m.prepare_ns);
  write(object, "choice", m.choice);
  if (m.picked) object["picked"] = encode(*m.picked);
  write(object, "counters", m.counters);
  if (m.counter_passes != 0) object["counter_passes"] = m.counter_passes;
  if (m.cold_counters) object["cold_counters"] = true;
  object["steps"] = encode_list<StepRecord>(m.steps, encode_step);
  object["metrics"] = encode_metrics(m.metrics);
  object["conditions"] = encode(m.conditions);
  return object;
}

void decode(const json& object, Measurement& m) {
  read(object, "job", m.job);
  read(object, "scene", m.scene);
  read(object, "variant", m.variant);
  read(object, "key", m.key);
  read(object, "problem", m.problem);
  read(object, "completed_axes", m.completed_axes);
  decode_axes(object, m.axes);
  read(object, "facts", m.facts);
  read(object, "partial", m.partial);
  std::string submission;
  read(object, "submission", submission);
  m.submission = submission == to_text(Submission::graph) ? Submission::graph : Submission::stream;
  decode_list<ReportedError>(object, "reported", m.reported, decode_reported);
  if (const auto verdict = object.find("verdict"); verdict != object.end())
    decode_verdict(*verdict, m.verdict);
  decode_timing(object, "cold", CacheState::cold, m.cold);
  decode_timing(object, "warm", CacheState::warm, m.warm);
  read(object, "prepare_ns", m.prepare_ns);
  read(object, "choice", m.choice);
  if (const auto found = object.find("picked"); found != object.end() && !found->is_null()) {
    static_cast<void>(found->get_ref<const json::object_t&>());  // throws for anything else
    PickedRow picked;
    decode(*found, picked);
    m.picked = std::make_shared<const PickedRow>(std::move(picked));
  }
  read(object, "counters", m.counters);
  read(object, "counter_passes", m.counter_passes);
  read(object, "cold_counters", m.cold_counters);
  decode_list<StepRecord>(object, "steps", m.steps, decode_step);
  decode_metrics(object, m.metrics);
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, m.conditions);
}

}  // namespace warpscope
