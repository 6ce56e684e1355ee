// profiling/json_codec.cpp: the structs of measurements and messages as JSON values and back.
#include "profiling/json_codec.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "profiling/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

constexpr int kOutcomes = 11;

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
  read(*found, "samples_ns", read_timing.samples_ns);
  read(*found, "runs_per_sample", read_timing.runs_per_sample);
  read(*found, "dropped_samples", read_timing.dropped_samples);
  read(*found, "graph_replay", read_timing.graph_replay);
  read(*found, "sm_clock_mhz", read_timing.sm_clock_mhz);
  read(*found, "stop_reason", read_timing.stop_reason);
  summarise(read_timing);  // statistics are made from the samples, never stored beside them
  timing = std::move(read_timing);
}

json encode_axes(const Configuration& axes) {
  json object = json::object();
  for (const auto& [name, value] : axes.values()) {
    std::visit([&object, &name](const auto& v) { object[name] = v; }, value);
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
    object["resources"] = {{"registers", r.registers_per_thread},
                           {"static_shared_bytes", r.static_shared_bytes},
                           {"dynamic_shared_bytes", r.dynamic_shared_bytes},
                           {"local_bytes", r.local_bytes_per_thread},
                           {"blocks_per_multiprocessor", r.blocks_per_multiprocessor},
                           {"occupancy", r.theoretical_occupancy_ratio}};
  }
  if (!step.metrics.empty()) object["metrics"] = encode_metrics(step.metrics);
  if (!step.lines.rows.empty() || !step.lines.missing.empty()) object["lines"] = encode(step.lines);
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
    step.resources = r;
  }
  decode_metrics(object, step.metrics);
  if (const auto lines = object.find("lines"); lines != object.end()) decode(*lines, step.lines);
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

void decode_verdict(const json& parent, Verdict& verdict) {
  const auto found = parent.find("verdict");
  if (found == parent.end()) return;
  std::string outcome;
  read(*found, "outcome", outcome);
  verdict.outcome = enum_of<Outcome>(outcome, kOutcomes, to_text);
  if (outcome != to_text(verdict.outcome)) verdict.outcome = Outcome::unchecked;
  read(*found, "sentence", verdict.sentence);
  read(*found, "remedy", verdict.remedy);
  read(*found, "checked_elements", verdict.checked_elements);
  read(*found, "mismatches", verdict.mismatches);
  read(*found, "worst_error_ratio", verdict.worst_error_ratio);
}

// A row of a pipe has the pipe's name for a level.
json encode_roof(const Roof& roof) {
  json row = {{"level", roof.level == Level::pipe ? to_text(roof.pipe) : to_text(roof.level)},
              {"value", roof.value},
              {"unit", roof.unit},
              {"method", roof.method}};
  if (!roof.trusted) row["trusted"] = false;
  write(row, "note", roof.note);
  write(row, "library", roof.library);
  write(row, "scene", roof.scene);
  write(row, "name", roof.name);
  if (roof.level == Level::dram && roof.scene.empty()) {
    row["mix"] = roof.mix.name;
    row["write_share"] = roof.mix.write_share;
    if (roof.mix.segment_bytes != 0) row["segment_bytes"] = roof.mix.segment_bytes;
    if (roof.mix.moved_ratio != 1) row["moved_ratio"] = roof.mix.moved_ratio;
  }
  return row;
}

// Level, pipe and library by the name in a row. Rows without a mix are of before DRAM had several:
// they are of a copy; so are FP16, which was half2, and TF32 and BF16, which were cuBLAS's rates.
// False: a level of a newer version.
bool decode_level(const std::string& name, Roof& roof) {
  if (name == "FP16") {
    roof.level = Level::pipe;
    roof.pipe = Pipe::half2;
    return true;
  }
  if (name == "TF32" || name == "BF16") {
    roof.level = Level::pipe;
    roof.pipe = name == "TF32" ? Pipe::wgmma_tf32 : Pipe::wgmma_bf16;
    roof.library = "cuBLAS";
    return true;
  }
  roof.level = enum_of<Level>(name, level_count, to_text);
  if (name == to_text(roof.level)) return roof.level != Level::pipe;
  roof.level = Level::pipe;
  roof.pipe = enum_of<Pipe>(name, pipe_count, to_text);
  return name == to_text(roof.pipe);
}

}  // namespace

json encode(const Conditions& c) {
  json object = json::object();
  write(object, "device", c.device);
  write(object, "device_uuid", c.device_uuid);
  write(object, "driver", c.driver);
  write(object, "toolkit", c.toolkit);
  write(object, "build", c.build);
  write(object, "date", c.date);
  write(object, "source_hash", c.source_hash);
  write(object, "code_id", c.code_id);
  write(object, "sm_clock_mhz", c.sm_clock_mhz);
  write(object, "memory_clock_mhz", c.memory_clock_mhz);
  write(object, "power_w", c.power_w);
  write(object, "temperature_c", c.temperature_c);
  write(object, "throttle", c.throttle);
  return object;
}

void decode(const json& object, Conditions& c) {
  read(object, "device", c.device);
  read(object, "device_uuid", c.device_uuid);
  read(object, "driver", c.driver);
  read(object, "toolkit", c.toolkit);
  read(object, "build", c.build);
  read(object, "date", c.date);
  read(object, "source_hash", c.source_hash);
  read(object, "code_id", c.code_id);
  read(object, "sm_clock_mhz", c.sm_clock_mhz);
  read(object, "memory_clock_mhz", c.memory_clock_mhz);
  read(object, "power_w", c.power_w);
  read(object, "temperature_c", c.temperature_c);
  read(object, "throttle", c.throttle);
}

json encode(const Error& error) {
  json object = {{"kind", to_text(error.kind)}, {"what", error.what}};
  write(object, "where", error.where);
  write(object, "remedy", error.remedy);
  return object;
}

void decode(const json& object, Error& error) {
  std::string kind;
  read(object, "kind", kind);
  error.kind = error_kind_from_text(kind);
  read(object, "what", error.what);
  read(object, "where", error.where);
  read(object, "remedy", error.remedy);
}

json encode(const Measurement& m) {
  json object = {{"job", m.job}, {"scene", m.scene}, {"variant", m.variant}, {"key", m.key}};
  object["axes"] = encode_axes(m.axes);
  write(object, "problem", m.problem);
  if (!m.completed_axes.empty()) object["completed_axes"] = m.completed_axes;
  object["facts"] = m.facts;
  if (m.partial) object["partial"] = true;
  if (m.submission == Submission::graph) object["submission"] = to_text(m.submission);
  for (const ReportedError& error : m.reported) {
    object["reported"].push_back({{"reference", error.reference},
                                  {"worst_error_ratio", error.worst_error_ratio},
                                  {"mismatches", error.mismatches},
                                  {"checked_elements", error.checked_elements},
                                  {"sentence", error.sentence}});
  }
  object["verdict"] = encode_verdict(m.verdict);
  if (m.cold) object["cold"] = encode_timing(*m.cold);
  if (m.warm) object["warm"] = encode_timing(*m.warm);
  write(object, "prepare_ns", m.prepare_ns);
  write(object, "choice", m.choice);
  write(object, "counters", m.counters);
  if (m.counter_passes != 0) object["counter_passes"] = m.counter_passes;
  if (m.cold_counters) object["cold_counters"] = true;
  json steps = json::array();
  for (const StepRecord& step : m.steps) steps.push_back(encode_step(step));
  object["steps"] = std::move(steps);
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
  if (const auto reported = object.find("reported"); reported != object.end()) {
    for (const json& row : rows_of(*reported)) {
      ReportedError error;
      read(row, "reference", error.reference);
      read(row, "worst_error_ratio", error.worst_error_ratio);
      read(row, "mismatches", error.mismatches);
      read(row, "checked_elements", error.checked_elements);
      read(row, "sentence", error.sentence);
      m.reported.push_back(std::move(error));
    }
  }
  decode_verdict(object, m.verdict);
  decode_timing(object, "cold", CacheState::cold, m.cold);
  decode_timing(object, "warm", CacheState::warm, m.warm);
  read(object, "prepare_ns", m.prepare_ns);
  read(object, "choice", m.choice);
  read(object, "counters", m.counters);
  read(object, "counter_passes", m.counter_passes);
  read(object, "cold_counters", m.cold_counters);
  if (const auto steps = object.find("steps"); steps != object.end()) {
    for (const json& step : rows_of(*steps)) m.steps.push_back(decode_step(step));
  }
  decode_metrics(object, m.metrics);
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, m.conditions);
}

json encode(const RoofSet& set) {
  json list = json::array();
  for (const Roof& roof : set.roofs) list.push_back(encode_roof(roof));
  return {{"roofs", std::move(list)}, {"conditions", encode(set.conditions)}};
}

void decode(const json& object, RoofSet& set) {
  if (const auto list = object.find("roofs"); list != object.end()) {
    for (const json& row : rows_of(*list)) {
      Roof roof;
      std::string level;
      read(row, "level", level);
      if (!decode_level(level, roof)) continue;
      read(row, "value", roof.value);
      read(row, "unit", roof.unit);
      read(row, "method", roof.method);
      read(row, "trusted", roof.trusted);
      read(row, "note", roof.note);
      read(row, "library", roof.library);
      read(row, "scene", roof.scene);
      read(row, "name", roof.name);
      read(row, "mix", roof.mix.name);
      read(row, "write_share", roof.mix.write_share);
      roof.mix.write_share = std::clamp(roof.mix.write_share, 0.0, 1.0);
      read(row, "segment_bytes", roof.mix.segment_bytes);
      read(row, "moved_ratio", roof.mix.moved_ratio);
      set.roofs.push_back(std::move(roof));
    }
  }
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, set.conditions);
}

json encode(const Timeline& t) {
  json ranges = json::array(), activities = json::array();
  for (const TimelineRange& r : t.ranges) {
    ranges.push_back(
        {{"name", r.name}, {"start_ns", r.start_ns}, {"end_ns", r.end_ns}, {"depth", r.depth}});
  }
  for (const TimelineActivity& a : t.activities) {
    json row = {{"kind", a.kind},
                {"name", a.name},
                {"start_ns", a.start_ns},
                {"end_ns", a.end_ns},
                {"stream", a.stream}};
    if (a.bytes != 0) row["bytes"] = a.bytes;
    if (a.graph_node != 0) row["graph_node"] = a.graph_node;
    if (a.kind == "kernel") {
      row["launch"] = encode_launch(a.launch);
      row["registers"] = a.registers_per_thread;
      row["static_shared_bytes"] = a.static_shared_bytes;
    }
    activities.push_back(std::move(row));
  }
  return {{"job", t.job},
          {"scene", t.scene},
          {"variant", t.variant},
          {"key", t.key},
          {"ranges", ranges},
          {"activities", activities},
          {"conditions", encode(t.conditions)}};
}

void decode(const json& object, Timeline& t) {
  read(object, "job", t.job);
  read(object, "scene", t.scene);
  read(object, "variant", t.variant);
  read(object, "key", t.key);
  if (const auto list = object.find("ranges"); list != object.end()) {
    for (const json& row : rows_of(*list)) {
      TimelineRange r;
      read(row, "name", r.name);
      read(row, "start_ns", r.start_ns);
      read(row, "end_ns", r.end_ns);
      read(row, "depth", r.depth);
      t.ranges.push_back(std::move(r));
    }
  }
  if (const auto list = object.find("activities"); list != object.end()) {
    for (const json& row : rows_of(*list)) {
      TimelineActivity a;
      read(row, "kind", a.kind);
      read(row, "name", a.name);
      read(row, "start_ns", a.start_ns);
      read(row, "end_ns", a.end_ns);
      read(row, "stream", a.stream);
      read(row, "bytes", a.bytes);
      read(row, "graph_node", a.graph_node);
      decode_launch(row, a.launch);
      read(row, "registers", a.registers_per_thread);
      read(row, "static_shared_bytes", a.static_shared_bytes);
      t.activities.push_back(std::move(a));
    }
  }
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, t.conditions);
}

json encode(const Hello& hello) {
  json capabilities = json::array();
  for (const Capability& c : hello.capabilities) {
    json row = {{"name", c.name}, {"available", c.available}};
    write(row, "version", c.version);
    write(row, "reason", c.reason);
    write(row, "remedy", c.remedy);
    capabilities.push_back(std::move(row));
  }
  json object = {{"protocol", hello.protocol}, {"role", hello.role},
                 {"build", hello.build},       {"date", hello.date},
                 {"process", hello.process},   {"capabilities", std::move(capabilities)}};
  write(object, "driver", hello.driver);
  write(object, "toolkit", hello.toolkit);
  if (hello.device) {
    const DeviceDescription& d = *hello.device;
    object["device"] = {{"name", d.name},
                        {"uuid", d.uuid},
                        {"compute_capability", d.compute_capability},
                        {"multiprocessors", d.multiprocessors},
                        {"memory_bytes", d.memory_bytes},
                        {"free_bytes", d.free_bytes},
                        {"l2_bytes", d.l2_bytes},
                        {"shared_bytes_per_block", d.shared_bytes_per_block},
                        {"shared_bytes_per_multiprocessor", d.shared_bytes_per_multiprocessor},
                        {"registers_per_multiprocessor", d.registers_per_multiprocessor},
                        {"sm_clock_mhz", d.sm_clock_mhz},
                        {"memory_clock_mhz", d.memory_clock_mhz}};
  }
  return object;
}

void decode(const json& object, Hello& hello) {
  read(object, "protocol", hello.protocol);
  read(object, "role", hello.role);
  read(object, "build", hello.build);
  read(object, "date", hello.date);
  read(object, "process", hello.process);
  read(object, "driver", hello.driver);
  read(object, "toolkit", hello.toolkit);
  if (const auto list = object.find("capabilities"); list != object.end()) {
    for (const json& row : rows_of(*list)) {
      Capability c;
      read(row, "name", c.name);
      read(row, "available", c.available);
      read(row, "version", c.version);
      read(row, "reason", c.reason);
      read(row, "remedy", c.remedy);
      hello.capabilities.push_back(std::move(c));
    }
  }
  if (const auto found = object.find("device"); found != object.end() && found->is_object()) {
    DeviceDescription d;
    read(*found, "name", d.name);
    read(*found, "uuid", d.uuid);
    read(*found, "compute_capability", d.compute_capability);
    read(*found, "multiprocessors", d.multiprocessors);
    read(*found, "memory_bytes", d.memory_bytes);
    read(*found, "free_bytes", d.free_bytes);
    read(*found, "l2_bytes", d.l2_bytes);
    read(*found, "shared_bytes_per_block", d.shared_bytes_per_block);
    read(*found, "shared_bytes_per_multiprocessor", d.shared_bytes_per_multiprocessor);
    read(*found, "registers_per_multiprocessor", d.registers_per_multiprocessor);
    read(*found, "sm_clock_mhz", d.sm_clock_mhz);
    read(*found, "memory_clock_mhz", d.memory_clock_mhz);
    hello.device = d;
  }
}

}  // namespace warpscope
