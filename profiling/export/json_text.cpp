// profiling/export/json_text.cpp: points, roofs and timelines as JSON.
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/export/export.h"
#include "profiling/messages/json_codec.h"

namespace warpscope {
using nlohmann::json;

std::string points_json(const Session& session) {
  json list = json::array();
  for (const Measurement* point : session.all_points()) list.push_back(encode(*point));
  return list.dump(2, ' ', false, json::error_handler_t::replace);
}

std::string roofs_json(const RoofSet& roofs) {
  return encode(roofs).dump(2, ' ', false, json::error_handler_t::replace);
}

// source: Trace Event Format, complete events ("ph": "X"), times in microseconds.
std::string perfetto_json(const Session& session) {
  json events = json::array();
  int process = 0;
  for (const Timeline* timeline : session.timelines()) {
    ++process;
    const std::string name =
        timeline->scene + "/" + timeline->variant + " at " + timeline->key +
        (session.devices().size() < 2 ? "" : " on " + to_text(device_of(timeline->conditions)));
    events.push_back(
        {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
    for (const auto& [thread, label] : {std::pair(0, "NVTX ranges"), std::pair(1, "kernels"),
                                        std::pair(2, "copies and memsets")}) {
      events.push_back({{"ph", "M"},
                        {"name", "thread_name"},
                        {"pid", process},
                        {"tid", thread},
                        {"args", {{"name", label}}}});
    }
    for (const TimelineRange& r : timeline->ranges) {
      events.push_back({{"ph", "X"},
                        {"name", r.name},
                        {"pid", process},
                        {"tid", 0},
                        {"ts", r.start_ns / 1e3},
                        {"dur", (r.end_ns - r.start_ns) / 1e3}});
    }
    for (const TimelineActivity& a : timeline->activities) {
      json arguments = {{"bytes", a.bytes},
                        {"registers", a.registers_per_thread},
                        {"grid", {a.launch.grid.x, a.launch.grid.y, a.launch.grid.z}},
                        {"block", {a.launch.block.x, a.launch.block.y, a.launch.block.z}}};
      events.push_back({{"ph", "X"},
                        {"name", a.name},
                        {"pid", process},
                        {"tid", a.kind == "kernel" ? 1 : 2},
                        {"ts", a.start_ns / 1e3},
                        {"dur", (a.end_ns - a.start_ns) / 1e3},
                        {"args", arguments}});
    }
  }
  return json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump(
             -1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

}  // namespace warpscope
