// profiling/export/csv.cpp: sessions as tidy and wide CSV.
#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/export/export.h"
#include "profiling/figures/csv_text.h"
#include "scenes/catalogue.h"

namespace warpscope {
namespace {

constexpr std::string_view kLineEnd = "\r\n";  // of csv_row

std::string number(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// A row that begins with cells which several rows have; `beginning` is what `cells_of` made of
// them.
std::string cells_of(const std::vector<std::string>& cells) {
  std::string row = csv_row(cells);
  row.resize(row.size() - kLineEnd.size());
  return row + ",";
}

std::vector<std::string> axis_names(const std::vector<const Measurement*>& points) {
  std::set<std::string> names;
  for (const Measurement* point : points) {
    for (const auto& [name, value] : point->axes.values()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

void add_axes(std::vector<std::string>& cells, const Measurement& m,
              const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    cells.push_back(m.axes.has(name) ? to_text(m.axes.at(name)) : "");
  }
}

std::vector<std::string> condition_cells(const Conditions& c) {
  return {c.date,    c.device,      c.device_uuid,
          c.driver,  c.toolkit,     c.build,
          c.code_id, c.source_hash, c.sm_clock_mhz ? number(*c.sm_clock_mhz) : "",
          c.throttle};
}
const std::vector<std::string> kConditionNames = {
    "date",  "device",  "device_uuid", "driver",       "toolkit",
    "build", "code_id", "source_hash", "sm_clock_mhz", "throttle"};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// After the conditions and names: the league, the problem, the whole configuration, axes that the
// recording lacks, what an automatic row picked and why, and then every axis.
const std::vector<std::string> kPointNames = {"league",         "problem", "key",
                                              "completed_axes", "picked",  "picked_because"};
void add_point(std::vector<std::string>& cells, const Measurement& m,
               const std::vector<std::string>& axes) {
  cells.insert(cells.end(), {league_of(m), m.problem.empty() ? problem_of(m) : m.problem, m.key,
                             joined(m.completed_axes), m.picked ? to_text(m.picked->row) : "",
                             m.picked ? to_text(m.picked->reason) : ""});
  add_axes(cells, m, axes);
}

const Timing* timing_of(const Measurement& m, const std::string& id) {
  if (id == "time.cold" && m.cold) return &*m.cold;
  if (id == "time.warm" && m.warm) return &*m.warm;
  return nullptr;
}

// A point as its rows begin, measured or emulated.
struct RowsOf {
  const Measurement& point;
  std::string point_cells;  // after the verdict
};

void write_metrics(const TextSink& write, const RowsOf& rows, const Conditions& conditions,
                   const std::string& step, const std::vector<MetricValue>& values) {
  if (values.empty()) return;
  const Measurement& m = rows.point;
  std::vector<std::string> begin = condition_cells(conditions);
  begin.insert(begin.end(), {m.scene, m.variant, step, to_text(m.verdict.outcome)});
  const std::string beginning = cells_of(begin) + rows.point_cells;
  for (const MetricValue& value : values) {
    const Metric* metric = find_metric(value.id);
    const Timing* timing = timing_of(m, value.id);
    write(beginning);
    write(csv_row({value.id, metric != nullptr ? metric->label : value.id.string(),
                   metric != nullptr ? metric->cupti_name : "",
                   value.value ? number(*value.value) : "", metric != nullptr ? metric->unit : "",
                   to_text(value.origin), timing != nullptr ? to_text(timing->cache) : "",
                   timing != nullptr ? std::to_string(timing->samples_ns.size()) : "",
                   timing != nullptr ? number(timing->noise_ratio) : "", value.reason,
                   value.sampled && value.sampled->spread ? number(*value.sampled->spread) : "",
                   sampled_text(value)}));
  }
}

// What made a trace, which was not a device: one of the same name stands in every such row.
Conditions conditions_of(const Session& session, const std::vector<const Trace*>& traces) {
  Conditions made;
  made.device = "emulator";
  std::set<std::string> hashes;
  for (const Trace* trace : traces) {
    if (const Hello* emulator = session.emulator_of(*trace)) {
      made.toolkit = emulator->toolkit;
      made.build = emulator->build;
    }
    if (!trace->source_hash.empty()) hashes.insert(trace->source_hash);
  }
  made.source_hash = joined({hashes.begin(), hashes.end()});
  return made;
}

// What the emulator says of a configuration, of the whole run and of its steps.
void write_modelled(const TextSink& write, const Session& session, const RowsOf& rows) {
  const Measurement& point = rows.point;
  std::vector<const Trace*> traces;
  for (const StepRecord& step : point.steps) {
    if (step.kind != "kernel" || step.name.empty()) continue;
    if (const Trace* trace = session.trace(id_of(point), step.name)) traces.push_back(trace);
  }
  write_metrics(write, rows, conditions_of(session, traces), "", modelled_beside(session, point));
  for (const Trace* trace : traces)
    write_metrics(write, rows, conditions_of(session, {trace}), trace->step,
                  emulated_metrics(*trace));
}

// For every configuration, the point that its emulated rows follow, whatever devices and sources
// measured it: the first for which the emulator has figures, or a reason for having none.
std::set<const Measurement*> points_with_emulated_rows(const Session& session) {
  if (session.traces().empty()) return {};
  std::map<PointId, std::pair<int, const Measurement*>> chosen;
  for (const Measurement* point : session.all_points()) {
    const std::vector<MetricValue> values = modelled_beside(session, *point);
    const bool any = std::any_of(values.begin(), values.end(),
                                 [](const MetricValue& value) { return value.value.has_value(); });
    const int worth = any ? 2 : values.empty() ? 0 : 1;
    auto& best = chosen[{point->scene, point->variant, point->key, "", ""}];
    if (best.second == nullptr || worth > best.first) best = {worth, point};
  }
  std::set<const Measurement*> points;
  for (const auto& [id, best] : chosen) points.insert(best.second);
  return points;
}

}  // namespace

void write_tidy_csv(const Session& session, const TextSink& write) {
  const std::vector<const Measurement*> points = session.all_points();
  const std::vector<std::string> axes = axis_names(points);
  std::vector<std::string> header = kConditionNames;
  header.insert(header.end(), {"scene", "variant", "step", "verdict"});
  header.insert(header.end(), kPointNames.begin(), kPointNames.end());
  header.insert(header.end(), axes.begin(), axes.end());
  header.insert(header.end(), {"metric", "label", "cupti_name", "value", "unit", "origin", "cache",
                               "samples", "noise_ratio", "missing_because", "spread", "estimated"});
  write(csv_row(header));
  const std::set<const Measurement*> emulated = points_with_emulated_rows(session);
  for (const Measurement* point : points) {
    std::vector<std::string> cells;
    add_point(cells, *point, axes);
    const RowsOf rows{*point, cells_of(cells)};
    write_metrics(write, rows, point->conditions, "", point->metrics);
    for (const StepRecord& step : point->steps)
      write_metrics(write, rows, point->conditions, step.name, step.metrics);
    if (emulated.count(point) != 0) write_modelled(write, session, rows);
  }
}

void write_wide_csv(const Session& session, const TextSink& write) {
  const std::vector<const Measurement*> points = session.all_points();
  const std::vector<std::string> axes = axis_names(points);
  std::vector<std::string> ids;
  std::set<std::string, std::less<>> seen;
  for (const Measurement* point : points) {
    for (const MetricValue& value : point->metrics) {
      if (seen.find(value.id.string()) != seen.end()) continue;
      seen.insert(value.id);
      ids.push_back(value.id);
    }
  }
  std::vector<std::string> header = kConditionNames;
  header.insert(header.end(), {"scene", "variant", "verdict", "sentence"});
  header.insert(header.end(), kPointNames.begin(), kPointNames.end());
  header.insert(header.end(), axes.begin(), axes.end());
  for (const std::string& id : ids) {
    const Metric* metric = find_metric(id);
    header.push_back(metric == nullptr ? id : id + " [" + metric->unit + "]");
  }
  write(csv_row(header));
  for (const Measurement* point : points) {
    std::vector<std::string> cells = condition_cells(point->conditions);
    cells.insert(cells.end(), {point->scene, point->variant, to_text(point->verdict.outcome),
                               point->verdict.sentence});
    add_point(cells, *point, axes);
    for (const std::string& id : ids) {
      const std::optional<double> value = value_of(point->metrics, id);
      cells.push_back(value ? number(*value) : "");
    }
    write(csv_row(cells));
  }
}

std::string tidy_csv(const Session& session) {
  std::string csv;
  write_tidy_csv(session, [&csv](std::string_view part) { csv += part; });
  return csv;
}

std::string wide_csv(const Session& session) {
  std::string csv;
  write_wide_csv(session, [&csv](std::string_view part) { csv += part; });
  return csv;
}

}  // namespace warpscope
