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

// In a table a name has one line of a terminal; JSON has all of it.
std::string short_name(const std::string& name) {
  constexpr std::size_t kMostCharacters = 100;
  const std::string shown = visible_name(name);
  return shown.size() <= kMostCharacters ? shown : shown.substr(0, kMostCharacters - 3) + "...";
}

std::string padded(const char* format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

}  // namespace

std::string launches_text(const SeenLaunches& seen, bool numbered) {
  const std::vector<SeenLaunches::Kernel> kernels = seen.kernels();
  double time_ms = 0;
  for (const SeenLaunches::Kernel& kernel : kernels) time_ms += kernel.time_ms;
  const bool timed = time_ms > 0;
  const std::string margin(numbered ? 4 : 0, ' ');
  std::string text = margin;
  text += timed ? "launches  total ms  mean us   share  kernel\n" : "launches  kernel\n";
  double number = 1;
  for (const SeenLaunches::Kernel& kernel : kernels) {
    if (numbered) text += padded("%3.0f ", number++);
    text += padded("%8.0f  ", static_cast<double>(kernel.launches));
    if (timed)
      text += padded("%8.2f  ", kernel.time_ms) + padded("%7.1f  ", 1000 * kernel.mean_ms()) +
              padded("%5.1f%%  ", 100 * kernel.time_ms / time_ms);
    text += short_name(kernel.name) + "\n";
    std::string shapes = shape_text(kernel.shapes.front().launch);
    if (kernel.shapes.size() > 1)
      shapes +=
          " and " + plural(static_cast<std::int64_t>(kernel.shapes.size()) - 1, "other shape");
    std::string ranges;
    for (const std::string& range : kernel.ranges) ranges += (ranges.empty() ? "" : ", ") + range;
    if (!ranges.empty()) ranges = "; in " + short_name(ranges);
    text += margin + std::string(timed ? 37 : 10, ' ') + shapes + ranges + "\n";
  }
  return text;
}

void print_launches(const SeenLaunches& seen) { std::fputs(launches_text(seen).c_str(), stdout); }

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
