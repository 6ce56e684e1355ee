// workbench/commands/plans/requested_jobs.cpp: the jobs that `warpscope measure` and a line of a
// plan ask for.
#include "workbench/commands/plans/requested_jobs.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/figures/metric.h"
#include "profiling/plans/plan_file.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "workbench/options/words.h"

namespace warpscope {
namespace {

// All points of the product of the axes' ranges, the last axis fastest.
Result<std::vector<std::map<std::string, std::string>>> grid(
    const Scene& scene, const std::map<std::string, std::string>& ranges) {
  std::vector<std::map<std::string, std::string>> points = {{}};
  for (const auto& [name, text] : ranges) {
    const Axis* axis = find_axis(scene.axes, name);
    if (axis == nullptr)
      return tl::unexpected(
          with_values(scene.axes, default_configuration(scene.axes), {{name, text}}).error());
    Result<std::vector<AxisValue>> values = parse_axis_range(*axis, text);
    if (!values) return tl::unexpected(values.error());
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& point : points) {
      for (const AxisValue& value : *values) {
        longer.push_back(point);
        longer.back()[name] = to_text(value);
      }
    }
    constexpr std::size_t kMostPoints = 100000;
    if (longer.size() > kMostPoints)
      return failure(ErrorKind::usage, "the sweep has more than 100000 points", "axes",
                     "use fewer values");
    points = std::move(longer);
  }
  return points;
}

}  // namespace

Result<void> add_requested_jobs(const MeasureRequest& request, const EngineChoice& engine,
                                JobKind kind, const SceneAndVariants& chosen,
                                std::vector<Job>& jobs) {
  const Scene& scene = *chosen.scene;
  const bool whole = chosen.variants.size() > 1 && chosen.variants.size() == scene.variants.size();
  const auto ranges = axis_arguments(request.axes);
  if (!ranges) return tl::unexpected(ranges.error());
  if (Result<void> admitted = admit_own_axes(chosen, *ranges); !admitted) return admitted;
  const auto points = grid(scene, *ranges);
  if (!points) return tl::unexpected(points.error());
  std::set<std::string> keys;  // values that an input decides can make two points one
  for (const auto& axes : *points) {
    Result<Configuration> configuration =
        with_values(scene.axes, default_configuration(scene.axes), axes);
    if (configuration && scene.settle) configuration = scene.settle(*configuration);
    if (!configuration) return tl::unexpected(configuration.error());
    if (Result<void> admitted = scene.admit(*configuration); !admitted) return admitted;
    for (const Variant* variant : chosen.variants) {
      // With all variants at many points, those that take seconds at each are left out.
      if (variant->measured_once && whole && points->size() > 1) continue;
      // A value of an axis that the variant does not have makes no other point of it.
      const std::string key = configuration_key(scene.axes, *configuration, variant->name);
      if (!keys.insert(variant->name + "/" + key).second) continue;
      Job job;
      job.axes = axes;
      if (whole && !applies(*variant, *configuration)) {
        const auto elsewhere = where_applies(scene, *variant, *configuration);
        if (kind != JobKind::verify || !elsewhere) continue;
        for (const auto& [name, value] : elsewhere->values()) {
          // Axes of variants alone stand in no configuration of the problem.
          if (configuration->has(name) && value == configuration->at(name)) continue;
          if (axes.count(name) == 0) job.axes[name] = to_text(value);
        }
        if (job.axes == axes) continue;  // the person asked for another value
      }
      if (kind == JobKind::measure) {
        job.work = MeasureJob{.counters = request.counters,
                              .cold_counters = request.cold_counters,
                              .choose = request.choose};
      } else {
        job.work = work_of(kind);
      }
      job.scene = scene.name;
      job.variant = variant->name;
      job.time_limit_s = request.time_limit_s;
      job.hang_limit_s = engine.limit_s.value_or(job.hang_limit_s);
      jobs.push_back(job);
      if (request.timeline) {
        job.work = TimelineJob{};
        jobs.push_back(job);
      }
    }
  }
  return {};
}

Result<MeasureRequest> parse_request(const std::string& line) {
  if (line.starts_with("trace ") || line.starts_with("ci "))
    return failure(ErrorKind::usage, "this line is emulated, not measured", line,
                   "run its plan with `warpscope sweep --plan FILE --devices emulated`");
  MeasureRequest request;
  CLI::App app;
  app.set_help_flag();
  declare_measure_request(app, request).required();
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return failure(ErrorKind::usage, words_of(error), line,
                   "write what follows `warpscope measure`");
  }
  return check_request(std::move(request));
}

Result<std::vector<MeasureRequest>> read_requests(const std::filesystem::path& path) {
  constexpr std::int64_t kMostBytes = 1 << 24;
  const Result<std::string> text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  std::vector<MeasureRequest> requests;
  std::istringstream lines(*text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    Result<MeasureRequest> request = parse_request(point_of_line(line.substr(begin)).words);
    if (!request) {
      Error error = request.error();
      error.where = path.string() + ":" + std::to_string(number) + ": " + error.where;
      return tl::unexpected(std::move(error));
    }
    requests.push_back(std::move(*request));
  }
  return requests;
}

Result<MeasureRequest> check_request(MeasureRequest request) {
  if (const auto counters = parse_counters(request.counters); !counters)
    return tl::unexpected(counters.error());
  return request;
}

}  // namespace warpscope
