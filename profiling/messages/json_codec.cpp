// profiling/messages/json_codec.cpp: conditions, errors, roofs, timelines and hellos as JSON and
// back.
#include "profiling/messages/json_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiling/messages/json_fields.h"

namespace warpscope {
namespace {

using nlohmann::json;

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
  roof.level = enum_of<Level>(name, to_text);
  if (name == to_text(roof.level)) return roof.level != Level::pipe;
  roof.level = Level::pipe;
  roof.pipe = enum_of<Pipe>(name, to_text);
  return name == to_text(roof.pipe);
}

json encode_range(const TimelineRange& r) {
  return {{"name", r.name}, {"start_ns", r.start_ns}, {"end_ns", r.end_ns}, {"depth", r.depth}};
}

TimelineRange decode_range(const json& row) {
  TimelineRange r;
  read(row, "name", r.name);
  read(row, "start_ns", r.start_ns);
  read(row, "end_ns", r.end_ns);
  read(row, "depth", r.depth);
  return r;
}

json encode_activity(const TimelineActivity& a) {
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
  return row;
}

TimelineActivity decode_activity(const json& row) {
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
  return a;
}

json encode_capability(const Capability& c) {
  json row = {{"name", c.name}, {"available", c.available}};
  write(row, "version", c.version);
  write(row, "reason", c.reason);
  write(row, "remedy", c.remedy);
  return row;
}

Capability decode_capability(const json& row) {
  Capability c;
  read(row, "name", c.name);
  read(row, "available", c.available);
  read(row, "version", c.version);
  read(row, "reason", c.reason);
  read(row, "remedy", c.remedy);
  return c;
}

json encode_device(const DeviceDescription& d) {
  return {{"name", d.name},
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

DeviceDescription decode_device(const json& row) {
  DeviceDescription d;
  read(row, "name", d.name);
  read(row, "uuid", d.uuid);
  read(row, "compute_capability", d.compute_capability);
  read(row, "multiprocessors", d.multiprocessors);
  read(row, "memory_bytes", d.memory_bytes);
  read(row, "free_bytes", d.free_bytes);
  read(row, "l2_bytes", d.l2_bytes);
  read(row, "shared_bytes_per_block", d.shared_bytes_per_block);
  read(row, "shared_bytes_per_multiprocessor", d.shared_bytes_per_multiprocessor);
  read(row, "registers_per_multiprocessor", d.registers_per_multiprocessor);
  read(row, "sm_clock_mhz", d.sm_clock_mhz);
  read(row, "memory_clock_mhz", d.memory_clock_mhz);
  return d;
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

json encode(const RoofSet& set) {
  return {{"roofs", encode_list<Roof>(set.roofs, encode_roof)},
          {"conditions", encode(set.conditions)}};
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
  return {{"job", t.job},
          {"scene", t.scene},
          {"variant", t.variant},
          {"key", t.key},
          {"ranges", encode_list<TimelineRange>(t.ranges, encode_range)},
          {"activities", encode_list<TimelineActivity>(t.activities, encode_activity)},
          {"conditions", encode(t.conditions)}};
}

void decode(const json& object, Timeline& t) {
  read(object, "job", t.job);
  read(object, "scene", t.scene);
  read(object, "variant", t.variant);
  read(object, "key", t.key);
  decode_list<TimelineRange>(object, "ranges", t.ranges, decode_range);
  decode_list<TimelineActivity>(object, "activities", t.activities, decode_activity);
  if (const auto c = object.find("conditions"); c != object.end()) decode(*c, t.conditions);
}

json encode(const Hello& hello) {
  json object = {{"protocol", hello.protocol},
                 {"role", hello.role},
                 {"build", hello.build},
                 {"date", hello.date},
                 {"process", hello.process},
                 {"capabilities", encode_list<Capability>(hello.capabilities, encode_capability)}};
  write(object, "driver", hello.driver);
  write(object, "toolkit", hello.toolkit);
  if (hello.device) {
    object["device"] = encode_device(*hello.device);
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
  decode_list<Capability>(object, "capabilities", hello.capabilities, decode_capability);
  if (const auto found = object.find("device"); found != object.end() && found->is_object()) {
    hello.device = decode_device(*found);
  }
}

}  // namespace warpscope
