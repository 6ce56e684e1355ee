// workbench/commands/plans/plan_jobs.cpp: plans made of what a person asks for, and the jobs of
// their points.
#include "workbench/commands/plans/plan_jobs.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string_view>
#include <utility>

#include "scenes/base/source.h"
#include "scenes/catalogue.h"
#include "scenes/file_scene.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "workbench/client/job_order.h"
#include "workbench/client/job_sources.h"
#include "workbench/commands/plans/gate_plan.h"
#include "workbench/commands/plans/launch_plan.h"
#include "workbench/commands/plans/requested_jobs.h"

namespace warpscope {
namespace {

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string point_words(const std::string& scene, const Job& job, const MeasureRequest& request) {
  std::string words = quoted_word(scene + "/" + job.variant);
  for (const auto& [axis, value] : job.axes) words += " " + quoted_word(axis + "=" + value);
  const MeasureRequest usual;
  if (request.counters != usual.counters) words += " --counters " + request.counters;
  if (request.cold_counters) words += " --cold-counters";
  if (request.time_limit_s != usual.time_limit_s)
    words += " --time-limit " + number_text(request.time_limit_s);
  if (request.timeline) words += " --timeline";
  return words;
}

}  // namespace

namespace {

// A hash of a file of any size, which is read in parts.
Result<std::string> hash_of_file(const std::filesystem::path& path) {
  Result<InputFile> file = InputFile::open(path, std::numeric_limits<std::int64_t>::max());
  if (!file) return tl::unexpected(file.error());
  constexpr std::size_t kPartBytes = 1 << 20;
  std::string part(kPartBytes, '\0'), parts;
  for (;;) {
    const Result<std::size_t> count = file->read(part.data(), part.size());
    if (!count) return tl::unexpected(count.error());
    if (*count == 0) return hash_of(parts);
    parts += hash_of(std::string_view(part).substr(0, *count));
  }
}

}  // namespace

std::string words_of_scene(const MeasureRequest& request, const SceneAndVariants& chosen) {
  const std::size_t slash = request.what.rfind('/');
  const bool whole = chosen.variants.size() == chosen.scene->variants.size();
  if (slash == std::string::npos) return request.what;
  // "./saxpy" has a slash too, and so has "./saxpy/naive" where that is the only variant.
  const std::string last = request.what.substr(slash + 1);
  const bool variants =
      !whole || last.find(',') != std::string::npos || last == chosen.variants.front()->name;
  return variants ? request.what.substr(0, slash) : request.what;
}

Result<std::string> kernels_hash(const Catalogue& catalogue, const std::string& scene) {
  Job job;
  job.scene = scene;
  const auto sources = sources_for(catalogue, job);
  if (!sources) return tl::unexpected(sources.error());
  std::vector<std::string> lines;
  for (const KernelSource& source : *sources) lines.push_back(source.path + " " + source.hash);
  if (const auto text = catalogue.text(scene)) lines.push_back("scene " + text->hash);
  if (const auto file = catalogue.file_of(scene); is_capture_file(file)) {
    // Its memory is what the kernel runs on, and not in a text.
    const Result<std::string> bytes = hash_of_file(file);
    if (!bytes) return tl::unexpected(bytes.error());
    lines.push_back("capture " + *bytes);
  }
  std::sort(lines.begin(), lines.end());
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return hash_of(all);
}

namespace {

// Requests of one scene that differ in their axes alone.
struct PlanPart {
  std::string scene;  // as the person calls it
  MeasureRequest request;
  std::vector<Job> jobs;
};

bool belongs(const PlanPart& part, const std::string& scene, const MeasureRequest& request) {
  const MeasureRequest& other = part.request;
  return part.scene == scene && other.counters == request.counters &&
         other.cold_counters == request.cold_counters && other.timeline == request.timeline &&
         other.time_limit_s == request.time_limit_s && other.choose == request.choose;
}

Result<void> add_scene(const Catalogue& catalogue, const std::string& words,
                       const std::string& scene, Plan& plan) {
  const bool there = std::any_of(plan.scenes.begin(), plan.scenes.end(),
                                 [&](const PlanScene& one) { return one.words == words; });
  if (there) return {};
  const Result<std::string> hash = kernels_hash(catalogue, scene);
  if (!hash) return tl::unexpected(hash.error());
  plan.scenes.push_back({words, *hash});
  return {};
}

}  // namespace

Result<Plan> plan_of(Catalogue& catalogue, const std::vector<MeasureRequest>& requests) {
  Plan plan;
  plan.version = build_stamp();
  plan.date = now_utc();
  std::vector<PlanPart> parts;
  for (MeasureRequest points : requests) {
    const Result<SceneAndVariants> chosen = variants_argument(catalogue, points.what);
    if (!chosen) return tl::unexpected(chosen.error());
    const std::string scene = words_of_scene(points, *chosen);
    if (auto added = add_scene(catalogue, scene, chosen->scene->name, plan); !added)
      return tl::unexpected(added.error());
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const PlanPart& one) { return belongs(one, scene, points); });
    if (part == parts.end()) part = parts.insert(part, {scene, points, {}});
    points.timeline = false;  // one line has both jobs
    const auto added =
        add_requested_jobs(points, EngineChoice{}, JobKind::measure, *chosen, part->jobs);
    if (!added) return tl::unexpected(added.error());
  }
  for (PlanPart& part : parts) {
    for (const Job& job : in_measuring_order(catalogue, std::move(part.jobs)))
      plan.points.push_back({point_words(part.scene, job, part.request), {}});
  }
  if (!plan.points.empty()) return plan;
  const std::string& first = requests.front().what;
  return failure(
      ErrorKind::usage, "no variant applies at these values", first,
      "choose other values; `warpscope list " + plan.scenes.front().words + "` names the variants");
}

namespace {

// The hash that a plan made here would have of the scene.
Result<std::string> hash_here(Catalogue& catalogue, const PlanScene& scene) {
  if (const std::string launch = launch_of_scene(scene); !launch.empty())
    return scene_of_launch(launch).map([](const PlanScene& here) { return here.hash; });
  const Result<SceneAndVariants> found = scene_argument(catalogue, scene.words);
  if (!found) return tl::unexpected(found.error());
  return kernels_hash(catalogue, found->scene->name);
}

}  // namespace

Result<Plan> read_plan_to_run(Catalogue& catalogue, const std::string& path) {
  constexpr std::int64_t kMostBytes = 1 << 28;
  const Result<std::string> text = read_input(path, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  Result<Plan> plan = parse_plan(*text, path);
  if (!plan) return plan;
  if (plan->version != build_stamp())
    return failure(ErrorKind::environment,
                   "the plan was made by version " + plan->version + ", and this is " +
                       build_stamp() + ": their figures would be mixed",
                   path, "install one version on all machines, or make the plan again here");
  for (const PlanScene& scene : plan->scenes) {
    const Result<std::string> here = hash_here(catalogue, scene);
    if (!here) return tl::unexpected(here.error());
    if (*here != scene.hash)
      return failure(ErrorKind::input,
                     "the kernels of " + scene.words + " are not those of the plan", path,
                     "copy the kernels of the machine where the plan was made, or make the plan "
                     "again");
  }
  return plan;
}

Result<std::vector<PlannedPoint>> planned_points(Catalogue& catalogue, const Plan& plan,
                                                 const PlanRange& range, const EngineChoice& engine,
                                                 bool emulated) {
  const std::vector<double> weights = weights_of(plan);
  const std::string id = plan_id(plan);
  std::vector<PlannedPoint> points;
  points.reserve(range.size());
  PlannedGates gates;
  for (std::size_t at = range.begin; at < range.end; ++at) {
    const std::string& words = plan.points[at].words;
    const auto wrong = [&](Error error) {
      error.where = "“" + words + "”" + (error.where.empty() ? "" : ": " + error.where);
      return tl::unexpected(std::move(error));
    };
    if (PlannedGates::is_gate_line(words)) {
      if (!emulated)
        return wrong({ErrorKind::usage, "a gate's kernels are emulated, not measured", "",
                      "give --devices emulated, or emulated,emulated and so on"});
      Result<std::vector<Job>> jobs = gates.jobs_of(catalogue, words, engine);
      if (!jobs) return wrong(jobs.error());
      for (std::size_t job = 0; job < jobs->size(); ++job)
        (*jobs)[job].tag = plan_tag(id, at) + "/" + std::to_string(job + 1);
      points.push_back({at, weights[at], std::move(*jobs)});
      continue;
    }
    if (is_launch_line(words)) {
      if (!emulated)
        return wrong({ErrorKind::usage, "a launch file is emulated, not measured", "",
                      "give --devices emulated, or emulated,emulated and so on"});
      Result<Job> job = launch_job(words, engine);
      if (!job) return wrong(job.error());
      job->tag = plan_tag(id, at);
      points.push_back({at, weights[at], {std::move(*job)}});
      continue;
    }
    Result<MeasureRequest> request = parse_request(words);
    if (!request) return wrong(request.error());
    const Result<SceneAndVariants> chosen = variants_argument(catalogue, request->what);
    if (!chosen) return wrong(chosen.error());
    PlannedPoint point{at, weights[at], {}};
    request->timeline = request->timeline && !emulated;
    const JobKind kind = emulated ? JobKind::verify : JobKind::measure;
    const auto added = add_requested_jobs(*request, engine, kind, *chosen, point.jobs);
    if (!added) return wrong(added.error());
    const std::size_t expected = request->timeline ? 2 : 1;
    if (point.jobs.size() != expected)
      return wrong({ErrorKind::input, "a line of a plan is one point", "",
                    "make the plan with `warpscope plan`, which writes one line for each"});
    for (Job& job : point.jobs)
      job.tag = plan_tag(id, at) + (job.is<TimelineJob>() ? "/timeline" : "");
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace warpscope
