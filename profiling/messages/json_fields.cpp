// profiling/messages/json_fields.cpp: launches and metric values as JSON and back.
#include "profiling/messages/json_fields.h"

#include <stdexcept>

namespace warpscope {
namespace {

using nlohmann::json;

void decode_dim(const json& object, const char* name, Dim3& d) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array() || found->size() != 3) return;
  d = {(*found)[0].get<std::int64_t>(), (*found)[1].get<std::int64_t>(),
       (*found)[2].get<std::int64_t>()};
}

}  // namespace

const json& rows_of(const json& list) {
  if (list.size() <= kMostRows) return list;
  throw std::length_error("a list of the message has " + std::to_string(list.size()) +
                          " rows, no message has more than " + std::to_string(kMostRows));
}

json encode_dim(const Dim3& d) { return json::array({d.x, d.y, d.z}); }

json encode_launch(const Launch& launch) {
  json object = {{"grid", encode_dim(launch.grid)}, {"block", encode_dim(launch.block)}};
  if (launch.dynamic_shared_bytes != 0)
    object["dynamic_shared_bytes"] = launch.dynamic_shared_bytes;
  if (launch.cluster != Dim3{}) object["cluster"] = encode_dim(launch.cluster);
  if (launch.cooperative) object["cooperative"] = true;
  return object;
}

void decode_launch(const json& parent, Launch& launch) {
  const auto found = parent.find("launch");
  if (found == parent.end()) return;
  decode_dim(*found, "grid", launch.grid);
  decode_dim(*found, "block", launch.block);
  decode_dim(*found, "cluster", launch.cluster);
  read(*found, "dynamic_shared_bytes", launch.dynamic_shared_bytes);
  read(*found, "cooperative", launch.cooperative);
}

json encode_position(const SourcePosition& p) { return json::array({p.file, p.line, p.column}); }

SourcePosition decode_position(const json& row) {
  return {row.at(0).get<std::string>(), row.at(1).get<int>(), row.at(2).get<int>()};
}

json encode_metrics(const std::vector<MetricValue>& values) {
  json list = json::array();
  for (const MetricValue& value : values) {
    json row = {{"id", value.id}};
    write(row, "value", value.value);
    if (value.origin != Origin::measured) row["origin"] = to_text(value.origin);
    write(row, "reason", value.reason);
    write(row, "remedy", value.remedy);
    if (value.sampled) {
      json sampled = {{"blocks", value.sampled->blocks}, {"of_blocks", value.sampled->of_blocks}};
      write(sampled, "spread", value.sampled->spread);
      row["sampled"] = std::move(sampled);
    }
    list.push_back(std::move(row));
  }
  return list;
}

void decode_metrics(const json& parent, std::vector<MetricValue>& values) {
  const auto list = parent.find("metrics");
  if (list == parent.end()) return;
  for (const json& row : rows_of(*list)) {
    MetricValue value;
    std::string origin = "measured";
    read(row, "id", value.id);
    read(row, "value", value.value);
    read(row, "origin", origin);
    read(row, "reason", value.reason);
    read(row, "remedy", value.remedy);
    if (const auto sampled = row.find("sampled"); sampled != row.end()) {
      value.sampled.emplace();
      read(*sampled, "blocks", value.sampled->blocks);
      read(*sampled, "of_blocks", value.sampled->of_blocks);
      read(*sampled, "spread", value.sampled->spread);
    }
    value.origin = enum_of<Origin>(origin, to_text);
    values.push_back(std::move(value));
  }
}

}  // namespace warpscope
