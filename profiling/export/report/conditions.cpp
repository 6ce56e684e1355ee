// profiling/export/report/conditions.cpp: under which conditions each device measured.
#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include "profiling/export/report/figures/drawing.h"
#include "profiling/export/report/summary.h"
#include "profiling/points/point.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

using Points = std::vector<const Measurement*>;

// The points of one device, at least one.
struct Measured {
  DeviceName device;
  Points points;
  const Hello* engine = nullptr;  // that describes the device; null: none does
  const RoofSet* roofs = nullptr;
};

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "not recorded" : text;
}

std::string all_of(const Points& points,
                   const std::function<std::string(const Measurement&)>& word) {
  std::set<std::string> words;
  for (const Measurement* m : points)
    if (std::string found = word(*m); !found.empty()) words.insert(std::move(found));
  return joined(words);
}

// "1830 to 1980 MHz": the least and the largest value seen.
std::string range_of(const Points& points, const char* unit,
                     const std::function<std::optional<double>(const Measurement&)>& figure) {
  std::vector<double> values;
  for (const Measurement* m : points)
    if (const auto value = figure(*m)) values.push_back(*value);
  if (values.empty()) return "not read";
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const std::string low = tick_text(*least, unit), high = tick_text(*most, unit);
  return low == high ? low : low + " to " + high;
}

std::string dates_of(const Points& points) {
  const auto [first, last] = std::minmax_element(
      points.begin(), points.end(),
      [](const auto* a, const auto* b) { return a->conditions.date < b->conditions.date; });
  const std::string& from = (*first)->conditions.date;
  const std::string& to = (*last)->conditions.date;
  return from == to ? from : from + " to " + to;
}

std::string throttling_of(const Points& points) {
  std::set<std::string> reasons;
  std::int64_t read = 0, throttled = 0;
  for (const Measurement* m : points) {
    const std::string& throttle = m->conditions.throttle;
    if (throttle.empty()) continue;
    ++read;
    if (throttle == "none") continue;
    ++throttled;
    reasons.insert(throttle);
  }
  if (read == 0) return "not read";
  return throttled == 0 ? "none in " + plural(read, "point")
                        : joined(reasons) + " in " + std::to_string(throttled) + " of " +
                              plural(read, "point");
}

// The sets that were asked for, each once: "lines, live, standard".
std::string counters_of(const Points& points) {
  std::set<std::string> sets;
  for (const Measurement* m : points) {
    std::istringstream all(m->counters);
    for (std::string set; std::getline(all, set, ',');)
      if (!set.empty() && set != "none") sets.insert(set);
  }
  return sets.empty() ? "none" : joined(sets);
}

std::string described(const Measured& measured,
                      const std::function<std::string(const DeviceDescription&)>& word) {
  return measured.engine != nullptr && measured.engine->device ? word(*measured.engine->device)
                                                               : "not recorded";
}

struct ConditionRow {
  const char* name;
  std::string (*words)(const Measured&);
};
constexpr ConditionRow kRows[] = {
    {"UUID",
     [](const Measured& m) { return m.device.uuid.empty() ? "not recorded" : m.device.uuid; }},
    {"compute capability",
     [](const Measured& m) {
       return described(m, [](const DeviceDescription& d) {
         return std::to_string(d.compute_capability / 10) + "." +
                std::to_string(d.compute_capability % 10);
       });
     }},
    {"multiprocessors",
     [](const Measured& m) {
       return described(
           m, [](const DeviceDescription& d) { return std::to_string(d.multiprocessors); });
     }},
    {"memory, L2 cache",
     [](const Measured& m) {
       return described(m, [](const DeviceDescription& d) {
         return format_value(static_cast<double>(d.memory_bytes), "B") + ", " +
                format_value(static_cast<double>(d.l2_bytes), "B");
       });
     }},
    {"driver",
     [](const Measured& m) {
       return all_of(m.points, [](const Measurement& p) { return p.conditions.driver; });
     }},
    {"CUDA toolkit",
     [](const Measured& m) {
       return all_of(m.points, [](const Measurement& p) { return p.conditions.toolkit; });
     }},
    {"Warpscope",
     [](const Measured& m) {
       return all_of(m.points, [](const Measurement& p) { return p.conditions.build; });
     }},
    {"measured (UTC)", [](const Measured& m) { return dates_of(m.points); }},
    {"points",
     [](const Measured& m) { return grouped(static_cast<std::int64_t>(m.points.size())); }},
    {"SM clock seen",
     [](const Measured& m) {
       return range_of(m.points, "MHz",
                       [](const Measurement& p) { return p.conditions.sm_clock_mhz; });
     }},
    {"memory clock seen",
     [](const Measured& m) {
       return range_of(m.points, "MHz",
                       [](const Measurement& p) { return p.conditions.memory_clock_mhz; });
     }},
    {"power",
     [](const Measured& m) {
       return range_of(m.points, "W", [](const Measurement& p) { return p.conditions.power_w; });
     }},
    {"temperature",
     [](const Measured& m) {
       return range_of(m.points, "°C",
                       [](const Measurement& p) { return p.conditions.temperature_c; });
     }},
    {"clocks lowered because of", [](const Measured& m) { return throttling_of(m.points); }},
    {"counters", [](const Measured& m) { return counters_of(m.points); }},
    {"roofs",
     [](const Measured& m) {
       return m.roofs == nullptr ? "not measured" : "measured on " + m.roofs->conditions.date;
     }},
};

}  // namespace

ReportTable conditions_table(const Session& session) {
  ReportTable table{"Conditions", {"condition"}, {}};
  std::vector<Measured> all;
  for (const DeviceName& device : session.devices()) {
    Measured measured{device, {}, session.engine_of(device), nullptr};
    for (const Measurement* m : session.all_points())
      if (on_a_device(*m) && device_of(m->conditions).id() == device.id())
        measured.points.push_back(m);
    for (const RoofSet& roofs : session.roof_sets())
      if (device_of(roofs.conditions).id() == device.id()) measured.roofs = &roofs;
    if (measured.points.empty()) continue;
    table.header.push_back(device.name.empty() ? "device" : device.name);
    all.push_back(std::move(measured));
  }
  if (all.empty()) return table;
  for (const ConditionRow& row : kRows) {
    table.rows.push_back({row.name});
    for (const Measured& measured : all) table.rows.back().push_back(row.words(measured));
  }
  return table;
}

}  // namespace warpscope
