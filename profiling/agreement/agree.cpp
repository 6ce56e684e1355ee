// profiling/agreement/agree.cpp: a session's counters beside Nsight Compute's of the same kernels.
#include "profiling/agreement/agree.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "profiling/figures/csv_text.h"

namespace warpscope {
namespace {

// ncu prints units in a row of its own and scales values to them.
double unit_factor(const std::string& unit) {
  static const std::map<std::string, double> factors = {
      {"Kbyte", 1e3},   {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"usecond", 1e3},
      {"msecond", 1e6}, {"us", 1e3},    {"ms", 1e6}};
  const auto found = factors.find(unit);
  return found == factors.end() ? 1 : found->second;
}

std::optional<double> number(std::string text) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(value);
}

double limit_for(const std::string& cupti_name) {
  return cupti_name.find("bytes") != std::string::npos || cupti_name.find("lts__") == 0 ||
                 cupti_name.find("dram__") == 0
             ? 0.03
             : 0.005;
}

// What a kernel writes stays in L2 where there is room. What is written back before it ends are
// lines that anything left there, its own or not: in eight cold launches of block_row, which
// writes 5 MB, ncu itself counted 0.07 to 1.05 MB. A fiftieth of L2 is above all that was seen.
// source: measured on an NVIDIA H200 with the ncu of CUDA 13.0, caches controlled or not.
std::string reason_of(const Agreement& row, const Session& session) {
  constexpr double kLeftOver = 1.0 / 50;
  const Hello* engine = session.devices().size() == 1 ? session.engine_of(session.devices().front())
                                                      : session.engine();
  if (row.agrees || row.cupti_name != "dram__bytes_write.sum" || engine == nullptr ||
      !engine->device)
    return "";
  return std::abs(row.ours - row.ncu) <= kLeftOver * static_cast<double>(engine->device->l2_bytes)
             ? "what leaves L2 before a kernel ends differs between launches, in ncu too"
             : "";
}

// What ncu prints of a launch: "(79, 4, 1)". No value if the page has no such column.
struct NcuLaunch {
  std::string kernel;
  std::optional<Dim3> grid, block;
};

std::optional<Dim3> extent(const std::string& text) {
  Dim3 e;
  return std::sscanf(text.c_str(), " (%" SCNd64 ", %" SCNd64 ", %" SCNd64 ")", &e.x, &e.y, &e.z) ==
                 3
             ? std::optional(e)
             : std::nullopt;
}

NcuLaunch launch_of(const std::vector<std::string>& names, const std::vector<std::string>& row) {
  NcuLaunch launch;
  for (std::size_t c = 0; c < names.size() && c < row.size(); ++c) {
    if (names[c] == "Kernel Name") launch.kernel = row[c].substr(0, row[c].find('('));
    if (names[c] == "Grid Size") launch.grid = extent(row[c]);
    if (names[c] == "Block Size") launch.block = extent(row[c]);
  }
  return launch;
}

bool same(const std::optional<Dim3>& theirs, const Dim3& ours) {
  return !theirs || *theirs == ours;
}

// The newest figure of the steps of that entry and launch shape.
std::optional<double> newest_counter(const Session& session, const NcuLaunch& launch,
                                     const std::string& id) {
  std::optional<double> newest;
  std::string date;
  for (const Measurement* m : session.all_points()) {
    for (const StepRecord& step : m->steps) {
      if (step.entry != launch.kernel || !same(launch.grid, step.launch.grid) ||
          !same(launch.block, step.launch.block))
        continue;
      const std::optional<double> value = value_of(step.metrics, id);
      if (!value || (newest && m->conditions.date < date)) continue;
      newest = value;
      date = m->conditions.date;
    }
  }
  return newest;
}

}  // namespace

Result<std::vector<Agreement>> agree_with_ncu(std::string_view csv, const Session& session) {
  const std::size_t header_at = csv.find("\"ID\"");
  const auto rows = header_at == std::string_view::npos
                        ? Result<std::vector<std::vector<std::string>>>(tl::unexpected(Error{}))
                        : parse_csv(csv.substr(header_at));
  if (!rows || rows->size() < 3) {
    return failure(ErrorKind::input, "the text is not a raw CSV page of ncu", "ncu CSV",
                   "run ncu with --csv --page raw");
  }
  const std::vector<std::string>&names = (*rows)[0], &units = (*rows)[1];
  std::vector<Agreement> result;
  for (std::size_t r = 2; r < rows->size(); ++r) {
    const std::vector<std::string>& row = (*rows)[r];
    const NcuLaunch launch = launch_of(names, row);
    for (std::size_t c = 0; c < names.size() && c < row.size(); ++c) {
      if (names[c].find("__") == std::string::npos) continue;
      const std::optional<double> theirs = number(row[c]);
      if (!theirs) continue;
      for (const Metric& metric : all_metrics()) {
        if (metric.cupti_name != names[c]) continue;
        const std::optional<double> ours = newest_counter(session, launch, metric.id);
        if (!ours) continue;
        const double ncu = *theirs * unit_factor(c < units.size() ? units[c] : "");
        const double difference = ncu != 0 ? *ours / ncu - 1 : (*ours == 0 ? 0 : 1);
        const bool agrees = std::abs(difference) <= limit_for(names[c]);
        result.push_back({launch.kernel, names[c], *ours, ncu, difference, agrees, ""});
        result.back().reason = reason_of(result.back(), session);
      }
    }
  }
  if (result.empty())
    return failure(ErrorKind::input, "no kernel with the same grid, block and counter is in both",
                   "agree", "measure the same kernels at the same sizes with --counters standard");
  return result;
}

}  // namespace warpscope
