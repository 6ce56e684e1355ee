// profiling/export/json_text.cpp: points, roofs and timelines as JSON.
#include <nlohmann/json.hpp>
#include <utility>

#include "profiling/export/export.h"
#include "profiling/export/json_rows.h"
#include "profiling/messages/json_codec.h"
#include "profiling/steps/timeline_lanes.h"

namespace warpscope {
using nlohmann::json;

std::string points_json(const Session& session) {
  std::string text;
  write_points_json(session, [&text](std::string_view part) { text += part; });
  return text;
}

void write_points_json(const Session& session, const TextSink& write) {
  write_rows("", session.all_points(), "", write,
             [](const Measurement* point) { return encode(*point); });
}

std::string roofs_json(const RoofSet& roofs) {
  return encode(roofs).dump(2, ' ', false, json::error_handler_t::replace);
}

namespace {

// "thread_name", "process_name"
json name_event(const char* what, int process, std::size_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

// A complete event: in Perfetto those of one thread may nest but not cross.
json span_event(const std::string& name, int process, std::size_t thread, double start_ns,
                double end_ns) {
  return {{"ph", "X"},     {"name", name},         {"pid", process},
          {"tid", thread}, {"ts", start_ns / 1e3}, {"dur", (end_ns - start_ns) / 1e3}};
}

json events_of(const Timeline& timeline, int process, const std::string& name) {
  json events = json::array();
  const TimelineLanes lanes = lanes_of(timeline);
  events.push_back(name_event("process_name", process, 0, name));
  events.push_back(name_event("thread_name", process, 0, "NVTX ranges"));
  for (std::size_t i = 0; i < lanes.lanes.size(); ++i)
    events.push_back(name_event("thread_name", process, 1 + i, lane_name(lanes, lanes.lanes[i])));
  for (const TimelineRange& r : timeline.ranges)
    events.push_back(span_event(r.name, process, 0, r.start_ns, r.end_ns));
  for (std::size_t i = 0; i < timeline.activities.size(); ++i) {
    const TimelineActivity& a = timeline.activities[i];
    json event = span_event(a.name, process, 1 + lanes.lane_of[i], a.start_ns, a.end_ns);
    event["args"] = {{"bytes", a.bytes},
                     {"stream", a.stream},
                     {"registers", a.registers_per_thread},
                     {"grid", {a.launch.grid.x, a.launch.grid.y, a.launch.grid.z}},
                     {"block", {a.launch.block.x, a.launch.block.y, a.launch.block.z}}};
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

// source: Trace Event Format, complete events ("ph": "X"), times in microseconds.
void write_perfetto_json(const Session& session, const TextSink& write) {
  write(R"({"displayTimeUnit":"ns","traceEvents":[)");
  int process = 0;
  bool first = true;
  for (const Timeline* timeline : session.timelines()) {
    const std::string name =
        timeline->scene + "/" + timeline->variant + " at " + timeline->key +
        (session.devices().size() < 2 ? "" : " on " + to_text(device_of(timeline->conditions)));
    for (const json& event : events_of(*timeline, ++process, name)) {
      if (!std::exchange(first, false)) write(",");
      write(event.dump(-1, ' ', false, json::error_handler_t::replace));
    }
  }
  write("]}\n");
}

std::string perfetto_json(const Session& session) {
  std::string text;
  write_perfetto_json(session, [&text](std::string_view part) { text += part; });
  return text;
}

}  // namespace warpscope
