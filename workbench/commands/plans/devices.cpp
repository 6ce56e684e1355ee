// workbench/commands/plans/devices.cpp: `warpscope devices`: each variant on the devices of a
// session, below each device's own roofs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "profiling/figures/time_unit.h"
#include "profiling/overview/winner_map.h"
#include "profiling/plans/device_table.h"
#include "scenes/base/plural.h"
#include "scenes/host/nearest.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/measured_table.h"
#include "workbench/commands/plans/plan_commands.h"

namespace warpscope {
namespace {

using nlohmann::json;

struct DevicesOptions {
  std::vector<std::string> sessions, only;
  std::string metric = "warm", csv;
  bool each = false, json = false;
};

// "A", "B", …: what a column is called; its device stands above the table.
std::string letter_of(std::size_t device) {
  constexpr std::size_t kLetters = 26;
  return std::string(1, static_cast<char>('A' + device % kLetters)) +
         (device < kLetters ? "" : std::to_string(device / kLetters));
}

// Rows of words, each column as wide as its widest cell.
void print_columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto seen =
          static_cast<std::size_t>(std::count_if(row[i].begin(), row[i].end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
          }));
      widths[i] = std::max(widths[i], seen + 2);
    }
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    std::printf("%s\n", line.c_str());
  }
}

// What is to be said below a table, once, and which cell said it first.
struct TableNotes {
  std::vector<std::string> lines;
  std::set<std::string> said;
  void add(const std::string& what, const std::string& why) {
    if (!why.empty() && said.insert(why).second) lines.push_back(what + ": " + why);
  }
};

std::vector<std::string> heading(const DeviceTable& table, const std::string& first) {
  std::vector<std::string> cells = {"variant"};
  for (std::size_t i = 0; i < table.devices.size(); ++i) {
    const std::string letter = letter_of(i);
    cells.insert(cells.end(), {letter + ": " + first, letter + ": of own roof"});
    if (i > 0) cells.push_back(letter + " / A");
  }
  return cells;
}

std::string roof_text(const std::optional<double>& ratio, bool at_least) {
  return ratio ? (at_least ? "≥ " : "") + format_value(*ratio, "ratio") : "–";
}

// A row per variant, over all of its configurations.
void print_summaries(const DeviceTable& table, const std::string& scene, TableNotes& notes) {
  std::set<std::string> problems;
  for (const DeviceRow& row : table.rows) {
    if (row.scene == scene) problems.insert(row.problem);
  }
  std::printf("%s, %s\n", visible_name(scene).c_str(),
              plural(static_cast<std::int64_t>(problems.size()), "configuration").c_str());
  std::vector<std::vector<std::string>> rows = {heading(table, "times")};
  for (const DeviceSummary& summary : summaries(table)) {
    if (summary.scene != scene) continue;
    std::vector<std::string> cells = {summary.variant};
    for (std::size_t i = 0; i < summary.cells.size(); ++i) {
      const DeviceSummary::Cell& cell = summary.cells[i];
      cells.push_back(std::to_string(cell.times) + " of " + std::to_string(summary.configurations));
      cells.push_back(roof_text(cell.roof_ratio, cell.at_least));
      notes.add(summary.variant + " on " + letter_of(i), cell.why);
      if (i == 0) continue;
      cells.push_back(cell.ratio ? ratio_text(*cell.ratio) + " (" + ratio_text(*cell.low_ratio) +
                                       " to " + ratio_text(*cell.high_ratio) + ")"
                                 : "–");
    }
    rows.push_back(std::move(cells));
  }
  print_columns(rows);
}

std::vector<std::string> cells_of(const DeviceRow& row, double shortest_ns, TableNotes& notes) {
  const std::string name = row.variant + (row.own_axes.empty() ? "" : " " + row.own_axes);
  std::vector<std::string> cells = {name};
  for (std::size_t i = 0; i < row.figures.size(); ++i) {
    const DeviceFigure& figure = row.figures[i];
    cells.push_back(figure.time_ns            ? time_beside(*figure.time_ns, shortest_ns)
                    : figure.point == nullptr ? "–"
                                              : to_text(figure.point->verdict.outcome));
    cells.push_back(to_text(figure.roof));
    if (i > 0)
      cells.push_back(figure.to_first > 0 && row.figures[0].time_ns ? ratio_text(figure.to_first)
                                                                    : "–");
    if (figure.point != nullptr) notes.add(name + " on " + letter_of(i), figure.why);
  }
  return cells;
}

// A table per configuration.
void print_each(const DeviceTable& table, const std::string& cache, TableNotes& notes) {
  std::map<std::pair<std::string, std::string>, std::vector<const DeviceRow*>> places;
  std::vector<std::pair<std::string, std::string>> order;
  for (const DeviceRow& row : table.rows) {
    std::vector<const DeviceRow*>& rows = places[{row.scene, row.problem}];
    if (rows.empty()) order.emplace_back(row.scene, row.problem);
    rows.push_back(&row);
  }
  for (const auto& place : order) {
    std::printf("%s at %s\n", visible_name(place.first).c_str(),
                visible_name(place.second).c_str());
    double shortest_ns = std::numeric_limits<double>::infinity();
    for (const DeviceRow* row : places[place]) {
      for (const DeviceFigure& figure : row->figures)
        shortest_ns = std::min(shortest_ns, figure.time_ns.value_or(shortest_ns));
    }
    std::vector<std::vector<std::string>> rows = {heading(table, cache)};
    for (const DeviceRow* row : places[place]) rows.push_back(cells_of(*row, shortest_ns, notes));
    print_columns(rows);
  }
}

void print(const DeviceTable& table, const DevicesOptions& options) {
  for (std::size_t i = 0; i < table.devices.size(); ++i)
    std::printf("%s: %s\n", letter_of(i).c_str(), visible_name(to_text(table.devices[i])).c_str());
  TableNotes notes, roofs;
  if (options.each) {
    print_each(table, options.metric, notes);
  } else {
    std::vector<std::string> scenes;
    for (const DeviceRow& row : table.rows) {
      if (std::find(scenes.begin(), scenes.end(), row.scene) == scenes.end())
        scenes.push_back(row.scene);
    }
    for (const std::string& scene : scenes) print_summaries(table, scene, notes);
  }
  for (const DeviceRow& row : table.rows) {
    for (std::size_t i = 0; i < row.figures.size(); ++i)
      roofs.add("roof of " + row.variant + " on " + letter_of(i),
                as_option(row.figures[i].roof.why));
  }
  for (const std::string& line : notes.lines) std::printf("%s\n", visible_name(line).c_str());
  for (const std::string& line : roofs.lines) std::printf("%s\n", visible_name(line).c_str());
  const bool at_least = std::any_of(table.rows.begin(), table.rows.end(), [](const DeviceRow& row) {
    return std::any_of(row.figures.begin(), row.figures.end(), [](const DeviceFigure& figure) {
      return figure.roof.ratio && !figure.roof.limits;
    });
  });
  std::printf("%s times; B / A: time on B over time on A%s%s\n", options.metric.c_str(),
              options.each ? "" : ", the median and the range of the middle 90 %",
              at_least ? "; ≥: another roof may be nearer" : "");
}

json json_of(const DeviceTable& table) {
  json devices = json::array(), rows = json::array();
  for (const DeviceName& device : table.devices)
    devices.push_back({{"name", device.name}, {"uuid", device.uuid}});
  for (const DeviceRow& row : table.rows) {
    json figures = json::array();
    for (const DeviceFigure& figure : row.figures) {
      json cell = {{"verdict", figure.point == nullptr ? "not measured"
                                                       : to_text(figure.point->verdict.outcome)},
                   {"why", figure.time_ns ? figure.roof.why : figure.why}};
      if (figure.time_ns) {
        cell["time_ns"] = *figure.time_ns;
        cell["to_first"] = figure.to_first;
      }
      if (figure.roof.ratio) {
        cell["roof"] = figure.roof.name;
        cell["roof_ratio"] = *figure.roof.ratio;
        cell["roof_limits"] = figure.roof.limits;
      }
      figures.push_back(std::move(cell));
    }
    rows.push_back({{"scene", row.scene},
                    {"variant", row.variant},
                    {"key", row.key},
                    {"figures", std::move(figures)}});
  }
  return {{"devices", devices}, {"rows", rows}};
}

// Leaves the rows that are named. error: usage.
Result<void> keep_only(DeviceTable& table, const std::vector<std::string>& only) {
  std::set<std::string> known;
  for (const DeviceRow& row : table.rows) known.insert({row.scene, row.scene + "/" + row.variant});
  for (const std::string& name : only) {
    if (known.contains(name)) continue;
    return failure(ErrorKind::usage, "nothing of that name was measured", "--only " + name,
                   suggest(name, {known.begin(), known.end()}));
  }
  std::erase_if(table.rows, [&](const DeviceRow& row) {
    return !only.empty() && std::none_of(only.begin(), only.end(), [&](const std::string& name) {
      return name == row.scene || name == row.scene + "/" + row.variant;
    });
  });
  return {};
}

int run_devices(const DevicesOptions& options) {
  const Result<Session> session = load_sessions(options.sessions);
  if (!session) return fail(session.error());
  const CacheState cache = options.metric == "cold" ? CacheState::cold : CacheState::warm;
  DeviceTable table = device_table(*session, cache);
  if (table.rows.empty())
    return fail({ErrorKind::input, "nothing was measured on a GPU", options.sessions.front(),
                 "choose a session of `warpscope measure` or `sweep`"});
  if (const auto kept = keep_only(table, options.only); !kept) return fail(kept.error());
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, devices_csv(table, cache)); !written)
      return fail(written.error());
    if (options.csv == "-") return 0;
  }
  if (options.json) {
    std::printf("%s\n", json_of(table).dump(2, ' ', false, json::error_handler_t::replace).c_str());
  } else {
    print(table, options);
  }
  return 0;
}

}  // namespace

void declare_devices(CLI::App& command, int& status) {
  auto options = std::make_shared<DevicesOptions>();
  command.add_option("session", options->sessions, "one or more .wsj or .wsj.gz files, as one")
      ->required();
  command.add_option("--only", options->only, "SCENE or SCENE/VARIANT, any number of times")
      ->allow_extra_args(false);
  command.add_option("--metric", options->metric, "which times: cold or warm")
      ->check(CLI::IsMember({"cold", "warm"}));
  command.add_flag("--each", options->each, "a table per configuration instead of one over all");
  command.add_option("--csv", options->csv,
                     "write all of it as CSV, one row per variant, configuration and device");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_devices(*options); });
}

}  // namespace warpscope
