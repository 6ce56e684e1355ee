// workbench/commands/captures/launch_table.cpp: the kernels that a program launched, as a table.
#include "workbench/commands/captures/launch_table.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/listings/kernel_name.h"
#include "scenes/base/plural.h"
#include "scenes/host/program.h"

namespace warpscope {
namespace {

std::string dim_text(const Dim3& d) {
  std::string text = std::to_string(d.x);
  if (d.y != 1 || d.z != 1) text += "," + std::to_string(d.y);
  if (d.z != 1) text += "," + std::to_string(d.z);
  return text;
}

std::string shape_text(const Launch& launch) {
  std::string text = dim_text(launch.grid) + " × " + dim_text(launch.block);
  if (launch.dynamic_shared_bytes > 0)
    text += ", " + std::to_string(launch.dynamic_shared_bytes) + " B shared";
  return text;
}

void add_to(TallyRow& sum, const TallyRow& row) {
  sum.launches += row.launches;
  sum.timed += row.timed;
  sum.time_ms += row.time_ms;
  if (row.longest_ms > sum.longest_ms) {
    sum.longest_ms = row.longest_ms;
    sum.longest_number = row.longest_number;
  }
}

bool same_shape(const TallyRow& a, const TallyRow& b) {
  return shape_text(a.launch) == shape_text(b.launch);
}

// In a table a name has one line of a terminal; JSON has all of it.
std::string short_name(const std::string& name) {
  constexpr std::size_t kMostCharacters = 100;
  const std::string shown = visible_name(name);
  return shown.size() <= kMostCharacters ? shown : shown.substr(0, kMostCharacters - 3) + "...";
}

}  // namespace

void SeenLaunches::add(const LaunchesReport& report) {
  Process& process = processes_[report.process];
  process.graph_launches = report.graph_launches;
  for (const TallyRow& row : report.rows)
    process.rows[row.symbol + "\n" + shape_text(row.launch) + "\n" + row.range] = row;
}

std::int64_t SeenLaunches::launches() const {
  std::int64_t count = 0;
  for (const auto& [pid, process] : processes_) {
    for (const auto& [key, row] : process.rows) count += row.launches;
  }
  return count;
}

std::int64_t SeenLaunches::graph_launches() const {
  std::int64_t count = 0;
  for (const auto& [pid, process] : processes_) count += process.graph_launches;
  return count;
}

std::vector<SeenLaunches::Kernel> SeenLaunches::kernels() const {
  std::map<std::string, Kernel> by_symbol;
  for (const auto& [pid, process] : processes_) {
    for (const auto& [key, row] : process.rows) {
      Kernel& kernel = by_symbol[row.symbol];
      TallyRow sum{kernel.symbol,
                   "",
                   {},
                   kernel.launches,
                   kernel.timed,
                   kernel.time_ms,
                   kernel.longest_ms,
                   kernel.longest_number};
      add_to(sum, row);
      kernel.symbol = row.symbol;
      kernel.launches = sum.launches;
      kernel.timed = sum.timed;
      kernel.time_ms = sum.time_ms;
      kernel.longest_ms = sum.longest_ms;
      kernel.longest_number = sum.longest_number;
      const auto known =
          std::find_if(kernel.shapes.begin(), kernel.shapes.end(),
                       [&](const TallyRow& shape) { return same_shape(shape, row); });
      if (known == kernel.shapes.end()) {
        kernel.shapes.push_back(row);
      } else {
        add_to(*known, row);
      }
      const bool told =
          std::find(kernel.ranges.begin(), kernel.ranges.end(), row.range) != kernel.ranges.end();
      if (!row.range.empty() && !told && kernel.ranges.size() < kMostRanges)
        kernel.ranges.push_back(row.range);
    }
  }
  std::vector<Kernel> all;
  for (auto& [symbol, kernel] : by_symbol) {
    kernel.name = demangled(symbol);
    std::stable_sort(kernel.shapes.begin(), kernel.shapes.end(),
                     [](const TallyRow& a, const TallyRow& b) { return a.launches > b.launches; });
    all.push_back(std::move(kernel));
  }
  std::stable_sort(all.begin(), all.end(), [](const Kernel& a, const Kernel& b) {
    return a.time_ms != b.time_ms ? a.time_ms > b.time_ms : a.launches > b.launches;
  });
  return all;
}

std::optional<SeenLaunches::Kernel> SeenLaunches::longest(
    const std::function<bool(const std::string& symbol)>& among) const {
  std::optional<Kernel> longest;
  for (Kernel& kernel : kernels()) {
    if (kernel.timed == 0 || !among(kernel.symbol)) continue;
    if (!longest || kernel.longest_ms > longest->longest_ms) longest = std::move(kernel);
  }
  return longest;
}

void print_launches(const SeenLaunches& seen) {
  const std::vector<SeenLaunches::Kernel> kernels = seen.kernels();
  double time_ms = 0;
  for (const SeenLaunches::Kernel& kernel : kernels) time_ms += kernel.time_ms;
  const bool timed = time_ms > 0;
  std::printf(timed ? "launches  total ms  mean us   share  kernel\n" : "launches  kernel\n");
  for (const SeenLaunches::Kernel& kernel : kernels) {
    const auto timed_count = static_cast<double>(std::max<std::int64_t>(kernel.timed, 1));
    std::printf("%8lld  ", static_cast<long long>(kernel.launches));
    if (timed)
      std::printf("%8.2f  %7.1f  %5.1f%%  ", kernel.time_ms, 1000 * kernel.time_ms / timed_count,
                  100 * kernel.time_ms / time_ms);
    std::printf("%s\n", short_name(kernel.name).c_str());
    std::string shapes = shape_text(kernel.shapes.front().launch);
    if (kernel.shapes.size() > 1)
      shapes +=
          " and " + plural(static_cast<std::int64_t>(kernel.shapes.size()) - 1, "other shape");
    std::string ranges;
    for (const std::string& range : kernel.ranges) ranges += (ranges.empty() ? "" : ", ") + range;
    if (!ranges.empty()) ranges = "; in " + short_name(ranges);
    std::printf("%*s%s%s\n", timed ? 37 : 10, "", shapes.c_str(), ranges.c_str());
  }
}

void print_launches_json(const SeenLaunches& seen) {
  using nlohmann::json;
  json all = {{"kernels", json::array()}, {"graph_launches", seen.graph_launches()}};
  for (const SeenLaunches::Kernel& kernel : seen.kernels()) {
    json row = {{"symbol", kernel.symbol},
                {"name", kernel.name},
                {"launches", kernel.launches},
                {"ranges", kernel.ranges},
                {"shapes", json::array()}};
    if (kernel.timed > 0) {
      row["timed"] = kernel.timed;
      row["time_ms"] = kernel.time_ms;
      row["longest_ms"] = kernel.longest_ms;
      row["longest_launch"] = kernel.longest_number;
    }
    for (const TallyRow& shape : kernel.shapes) {
      const Dim3 &g = shape.launch.grid, &b = shape.launch.block;
      row["shapes"].push_back({{"grid", {g.x, g.y, g.z}},
                               {"block", {b.x, b.y, b.z}},
                               {"shared_bytes", shape.launch.dynamic_shared_bytes},
                               {"launches", shape.launches}});
    }
    all["kernels"].push_back(std::move(row));
  }
  std::printf("%s\n", all.dump(-1, ' ', false, json::error_handler_t::replace).c_str());
}

}  // namespace warpscope
