// workbench/commands/plans/launch_plan.cpp: launch files as lines of a plan.
#include "workbench/commands/plans/launch_plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "profiling/launches/launch_file.h"
#include "scenes/base/source.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "workbench/client/own_binary.h"
#include "workbench/commands/files/file_trace.h"
#include "workbench/options/words.h"

namespace warpscope {
namespace {

constexpr std::string_view kLaunchWords = "trace --launch ";

// Every value of "rows=64,128" as a word of its own: "rows=64", "rows=128".
Result<std::vector<std::string>> words_of_value(const std::string& values) {
  const std::size_t equals = values.find('=');
  if (equals == std::string::npos || equals == 0)
    return failure(ErrorKind::usage, "“" + values + "” is not name=value", "arguments",
                   "write, for example, rows=64,128");
  std::vector<std::string> words;
  for (std::size_t begin = equals + 1; begin <= values.size();) {
    const std::size_t end = std::min(values.find(',', begin), values.size());
    words.push_back(values.substr(0, equals + 1) + values.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Result<FileTrace> traced(const std::string& path, const std::vector<std::string>& values,
                         const EngineChoice& engine) {
  FileTraceOptions options;
  options.launch_file = path;
  options.values = values;
  return file_trace(options, engine);
}

}  // namespace

bool is_launch_line(std::string_view words) { return words.starts_with(kLaunchWords); }

std::string launch_of_scene(const PlanScene& scene) {
  return is_launch_line(scene.words) ? scene.words.substr(kLaunchWords.size()) : "";
}

Result<PlanScene> scene_of_launch(const std::string& path) {
  const Result<std::string> text = read_input(path, kMostTextFileBytes);
  if (!text) return tl::unexpected(text.error());
  const Result<LaunchFile> described = parse_launch_file(*text, path);
  if (!described) return tl::unexpected(described.error());
  const Result<std::vector<KernelSource>> sources = read_own_kernel(described->user.path);
  std::string all = hash_of(*text) + "\n";
  if (sources) {
    for (const KernelSource& source : *sources) all += source.hash + "\n";
  } else if (const auto bytes = read_input(described->user.path, kMostBinaryFileBytes)) {
    all += hash_of(*bytes) + "\n";
  } else {
    return tl::unexpected(bytes.error());
  }
  for (const std::string& file : described->files) {
    // Files that it writes are not there yet, or are the last run's.
    const bool written =
        std::any_of(described->user.outputs.begin(), described->user.outputs.end(),
                    [&](const UserOutput& output) { return output.out_file == file; });
    if (written) continue;
    const auto bytes = read_input(file, kMostBinaryFileBytes);
    if (!bytes) return tl::unexpected(bytes.error());
    all += hash_of(*bytes) + "\n";
  }
  return PlanScene{std::string(kLaunchWords) + path, hash_of(all)};
}

Result<Plan> plan_of_launches(const std::string& path, const std::vector<std::string>& values) {
  std::vector<std::vector<std::string>> launches = {{}};
  for (const std::string& value : values) {
    const auto words = words_of_value(value);
    if (!words) return tl::unexpected(words.error());
    std::vector<std::vector<std::string>> longer;
    for (const auto& launch : launches) {
      for (const std::string& word : *words) {
        longer.push_back(launch);
        longer.back().push_back(word);
      }
    }
    constexpr std::size_t kMostLaunches = 100000;
    if (longer.size() > kMostLaunches)
      return failure(ErrorKind::usage, "these are more than 100000 launches", path,
                     "use fewer values");
    launches = std::move(longer);
  }
  Plan plan;
  plan.version = build_stamp();
  plan.date = now_utc();
  Result<PlanScene> scene = scene_of_launch(path);
  if (!scene) return tl::unexpected(scene.error());
  plan.scenes = {std::move(*scene)};
  for (const std::vector<std::string>& launch : launches) {
    if (const auto good = traced(path, launch, {}); !good) return tl::unexpected(good.error());
    std::string words = std::string(kLaunchWords) + quoted_word(path);
    for (const std::string& word : launch) words += " " + quoted_word(word);
    plan.points.push_back({std::move(words), {}});
  }
  return plan;
}

Result<Job> launch_job(const std::string& words, const EngineChoice& engine) {
  std::string path;
  std::vector<std::string> values;
  CLI::App app;
  app.set_help_flag();
  app.add_option("file", path)->required();
  app.add_option("values", values);
  try {
    app.parse(words.substr(kLaunchWords.size()));
  } catch (const CLI::ParseError& error) {
    return failure(ErrorKind::usage, words_of(error), words,
                   "make the plan with `warpscope plan --launch FILE`");
  }
  Result<FileTrace> trace = traced(path, values, engine);
  if (!trace) return tl::unexpected(trace.error());
  return std::move(trace->job);
}

}  // namespace warpscope
