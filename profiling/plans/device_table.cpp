// profiling/plans/device_table.cpp: each variant on several devices, below each device's own roofs.
#include "profiling/plans/device_table.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>

#include "profiling/figures/csv_text.h"
#include "profiling/points/derive.h"

namespace warpscope {
namespace {

std::optional<double> median_of(const Measurement& point, CacheState cache) {
  const std::optional<Timing>& timing = cache == CacheState::cold ? point.cold : point.warm;
  if (!has_figures(point.verdict.outcome) || !timing || timing->median_ns <= 0) return std::nullopt;
  return timing->median_ns;
}

std::string why_no_time(const Measurement& point, CacheState cache) {
  if (!has_figures(point.verdict.outcome))
    return std::string(to_text(point.verdict.outcome)) +
           (point.verdict.sentence.empty() ? "" : ": " + point.verdict.sentence);
  return std::string("it was measured without a ") + to_text(cache) + " time";
}

DeviceFigure figure_of(const Session& session, const Measurement& point, CacheState cache) {
  DeviceFigure figure;
  figure.point = &point;
  figure.time_ns = median_of(point, cache);
  if (figure.time_ns) {
    figure.roof = limiting_roof(session, point, cache);
    // Another card's roof does not belong to this one.
    if (!figure.roof.borrowed.empty()) figure.roof = {.why = figure.roof.borrowed};
  } else {
    figure.why = why_no_time(point, cache);
  }
  return figure;
}

void compare_devices(DeviceRow& row) {
  const auto first =
      std::find_if(row.figures.begin(), row.figures.end(),
                   [](const DeviceFigure& figure) { return figure.time_ns.has_value(); });
  for (DeviceFigure& figure : row.figures) {
    if (figure.time_ns) figure.to_first = *figure.time_ns / *first->time_ns;
    if (figure.point == nullptr) figure.why = "not measured on this device";
  }
}

// Between the two nearest of the sorted values.
std::optional<double> quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nullopt;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (at - static_cast<double>(below));
}

// What a summary is made of.
struct DeviceRatios {
  std::vector<double> ratios, roofs;
};

void summarise(DeviceSummary::Cell& cell, DeviceRatios& gathered) {
  constexpr double kLow = 0.05, kMiddle = 0.5, kHigh = 0.95;
  std::sort(gathered.ratios.begin(), gathered.ratios.end());
  std::sort(gathered.roofs.begin(), gathered.roofs.end());
  cell.roof_ratio = quantile(gathered.roofs, kMiddle);
  cell.ratio = quantile(gathered.ratios, kMiddle);
  cell.low_ratio = quantile(gathered.ratios, kLow);
  cell.high_ratio = quantile(gathered.ratios, kHigh);
}

std::string digits_of(const std::optional<double>& value) {
  if (!value) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", *value);
  return text;
}

}  // namespace

DeviceRow device_row(const Session& session, const std::vector<DeviceName>& devices,
                     const std::string& scene, const std::string& variant, const std::string& key,
                     CacheState cache) {
  DeviceRow row{scene, "", variant, key, "", std::vector<DeviceFigure>(devices.size())};
  for (const Measurement* point : session.points_at(scene, variant, key)) {
    const auto device = std::find(devices.begin(), devices.end(), device_of(point->conditions));
    if (device == devices.end() || !on_a_device(*point)) continue;
    row.figures[static_cast<std::size_t>(device - devices.begin())] =
        figure_of(session, *point, cache);
    row.problem = point->problem;
    row.own_axes = own_axes_text(*point);
  }
  compare_devices(row);
  return row;
}

DeviceTable device_table(const Session& session, CacheState cache) {
  DeviceTable table{session.devices(), {}};
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const Measurement* point : session.newest_points()) {
    const auto device =
        std::find(table.devices.begin(), table.devices.end(), device_of(point->conditions));
    if (device == table.devices.end() || !on_a_device(*point)) continue;
    const auto [at, added] =
        places.try_emplace({point->scene, point->variant, point->key}, table.rows.size());
    if (added)
      table.rows.push_back({point->scene, point->problem, point->variant, point->key,
                            own_axes_text(*point),
                            std::vector<DeviceFigure>(table.devices.size())});
    table.rows[at->second].figures[static_cast<std::size_t>(device - table.devices.begin())] =
        figure_of(session, *point, cache);
  }
  for (DeviceRow& row : table.rows) compare_devices(row);
  return table;
}

std::vector<DeviceSummary> summaries(const DeviceTable& table) {
  std::vector<DeviceSummary> list;
  std::vector<std::vector<DeviceRatios>> gathered;
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const DeviceRow& row : table.rows) {
    const auto [at, added] = places.try_emplace({row.scene, row.variant}, list.size());
    if (added) {
      list.push_back({row.scene, row.variant, 0, {}});
      list.back().cells.resize(table.devices.size());
      gathered.emplace_back(table.devices.size());
    }
    DeviceSummary& summary = list[at->second];
    ++summary.configurations;
    const bool on_first = !row.figures.empty() && row.figures.front().time_ns;
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      const DeviceFigure& figure = row.figures[i];
      DeviceSummary::Cell& cell = summary.cells[i];
      if (!figure.time_ns) {
        if (cell.why.empty() && figure.point != nullptr) cell.why = figure.why;
        continue;
      }
      ++cell.times;
      DeviceRatios& values = gathered[at->second][i];
      if (on_first) values.ratios.push_back(figure.to_first);
      if (!figure.roof.ratio) continue;
      values.roofs.push_back(*figure.roof.ratio);
      cell.at_least = cell.at_least || !figure.roof.limits;
    }
  }
  for (std::size_t row = 0; row < list.size(); ++row) {
    for (std::size_t i = 0; i < list[row].cells.size(); ++i)
      summarise(list[row].cells[i], gathered[row][i]);
  }
  return list;
}

std::string devices_csv(const DeviceTable& table, CacheState cache) {
  std::string text =
      csv_row({"scene", "variant", "key", "device", "device_uuid", "verdict",
               std::string(to_text(cache)) + " [ns]", "noise_ratio", "to first device [ratio]",
               "of its own roof [ratio]", "roof", "it limits", "why"});
  for (const DeviceRow& row : table.rows) {
    for (std::size_t i = 0; i < row.figures.size(); ++i) {
      const DeviceFigure& figure = row.figures[i];
      const std::optional<Timing>* timing = figure.point == nullptr     ? nullptr
                                            : cache == CacheState::cold ? &figure.point->cold
                                                                        : &figure.point->warm;
      const bool timed = figure.time_ns.has_value();
      text += csv_row(
          {row.scene, row.variant, row.key, table.devices[i].name, table.devices[i].uuid,
           figure.point == nullptr ? "not measured" : to_text(figure.point->verdict.outcome),
           digits_of(figure.time_ns), timed ? digits_of((*timing)->noise_ratio) : "",
           timed ? digits_of(figure.to_first) : "", digits_of(figure.roof.ratio),
           figure.roof.ratio ? figure.roof.name : "",
           !figure.roof.ratio   ? ""
           : figure.roof.limits ? "yes"
                                : "not known",
           timed ? figure.roof.why : figure.why});
    }
  }
  return text;
}

}  // namespace warpscope
