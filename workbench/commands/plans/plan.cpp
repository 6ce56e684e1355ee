// workbench/commands/plans/plan.cpp: plan and merge: what a sweep over many devices begins and ends
// with.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "profiling/plans/plan_costs.h"
#include "profiling/plans/session_merge.h"
#include "scenes/base/plural.h"
#include "scenes/host/clock.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/plans/gate_plan.h"
#include "workbench/commands/plans/launch_plan.h"
#include "workbench/commands/plans/plan_commands.h"
#include "workbench/commands/plans/plan_jobs.h"
#include "workbench/commands/plans/refined_plan.h"
#include "workbench/commands/plans/requested_jobs.h"
#include "workbench/workspace/session/recorded_sessions.h"

namespace warpscope {
namespace {

using nlohmann::json;

struct PlanOptions {
  MeasureRequest request;
  std::string out;
  std::vector<std::string> from, refine;
  std::string gate, points, launch;
  bool json = false;
};

std::string printed(const json& object) {
  return object.dump(2, ' ', false, json::error_handler_t::replace);
}

// What scenes of a plan are called in it, and their names.
using SceneNames = std::map<std::string, std::string>;
Result<SceneNames> names_of_scenes(Catalogue& catalogue, const Plan& plan) {
  SceneNames names;
  for (const PlanScene& scene : plan.scenes) {
    const Result<SceneAndVariants> found = scene_argument(catalogue, scene.words);
    if (!found) return tl::unexpected(found.error());
    names[scene.words] = found->scene->name;
  }
  return names;
}

// The sessions that costs are taken from: the person's, else those that ship and tell of a scene.
Result<RecordedCosts> recorded_costs(const PlanOptions& options, const SceneNames& scenes,
                                     std::string& where) {
  std::set<std::filesystem::path> paths(options.from.begin(), options.from.end());
  for (const auto& [words, scene] : scenes) {
    const auto shipped = options.from.empty() ? recorded_session_of(scene) : std::nullopt;
    if (shipped) paths.insert(*shipped);
  }
  RecordedCosts costs;
  for (const auto& path : paths) {
    if (Result<void> read = costs.read(path); !read) return tl::unexpected(read.error());
    where += (where.empty() ? "" : ", ") + path.filename().string();
  }
  return costs;
}

std::string limit_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

// The scene's name and the variant of “csrmm/k_tiles n=32”; a first word with blanks stands in
// quotation marks.
std::pair<std::string, std::string> variant_in(const std::string& words, const SceneNames& scenes) {
  const char first = words.empty() ? ' ' : words.front();
  const bool quoted = first == '"' || first == '\'';
  const std::string what =
      quoted ? words.substr(1, words.find(first, 1) - 1) : words.substr(0, words.find(' '));
  const std::size_t slash = what.rfind('/');
  const auto scene = scenes.find(what.substr(0, slash));
  return {scene == scenes.end() ? "" : scene->second, what.substr(slash + 1)};
}

// Writes what each point is expected to take, and the sentences that say how that is known.
void estimate(Plan& plan, const MeasureRequest& request, const RecordedCosts& costs,
              const SceneNames& scenes, const std::string& where) {
  using Basis = PointCost::Basis;
  using Variant = std::pair<std::string, std::string>;
  const bool counters = request.counters != "none";
  double seconds = 0;
  std::size_t known = 0;
  std::map<Variant, std::optional<PointCost>> by_variant;
  std::map<Basis, std::set<Variant>> variants;
  for (PlanPoint& point : plan.points) {
    const Variant variant = variant_in(point.words, scenes);
    const auto [found, fresh] = by_variant.try_emplace(variant);
    if (fresh) found->second = costs.of(variant.first, variant.second, counters);
    if (!found->second) continue;
    point.cost_s = found->second->seconds;
    seconds += *point.cost_s;
    ++known;
    variants[found->second->basis].insert(variant);
  }
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  const std::string points = plural(count(plan.points.size()), "point") + " of " +
                             plural(count(by_variant.size()), "variant");
  if (known == 0) {
    plan.estimate = {points +
                     ", unknown time: no recorded session has this scene; name one with "
                     "--from"};
    return;
  }
  plan.estimate = {points + ", about " + duration_text(seconds) + " of GPU time"};
  std::string devices;
  for (const std::string& device : costs.devices())
    devices += (devices.empty() ? "" : ", ") + device;
  plan.estimate.push_back(
      "a point is expected to take as long as the points of its variant took on average in " +
      where + " (" + plural(costs.points(), "point") + " on " + devices + ")");
  const auto basis = [&](Basis wanted, const std::string& words) {
    if (const auto found = variants.find(wanted); found != variants.end())
      plan.estimate.push_back(plural(count(found->second.size()), "variant") + words);
  };
  basis(Basis::other_counters, counters
                                   ? ": recorded without counters only, so they will take longer"
                                   : ": recorded with counters only, so they will take less");
  basis(Basis::other_variants, ": not recorded, so the mean of the scene's others is taken");
  plan.estimate.push_back("recorded with a time limit of " +
                          limit_text(costs.least_time_limit_s()) +
                          (costs.least_time_limit_s() == costs.most_time_limit_s()
                               ? ""
                               : " to " + limit_text(costs.most_time_limit_s())) +
                          " per point; this plan's is " + limit_text(request.time_limit_s));
}

json json_of(const Plan& plan, const std::string& out) {
  double seconds = 0;
  std::size_t known = 0;
  for (const PlanPoint& point : plan.points) {
    seconds += point.cost_s.value_or(0);
    known += point.cost_s ? 1 : 0;
  }
  json object = {{"file", out},
                 {"id", plan_id(plan)},
                 {"version", plan.version},
                 {"points", plan.points.size()},
                 {"estimate", plan.estimate}};
  if (known > 0) object["seconds"] = seconds;
  return object;
}

Result<void> estimate(Catalogue& catalogue, const PlanOptions& options,
                      const MeasureRequest& request, Plan& plan) {
  const Result<SceneNames> scenes = names_of_scenes(catalogue, plan);
  if (!scenes) return tl::unexpected(scenes.error());
  std::string where;
  const auto costs = recorded_costs(options, *scenes, where);
  if (!costs) return tl::unexpected(costs.error());
  estimate(plan, request, *costs, *scenes, where);
  return {};
}

// The plan without expected times, and what a person reads of it first.
struct MadePlan {
  Plan plan;
  GridRefinement found;    // with --refine
  MeasureRequest request;  // whose counters and time limit the points have; with --points the first
};
Result<MadePlan> make_plan(Catalogue& catalogue, const PlanOptions& options) {
  if (!options.gate.empty()) {
    Result<Plan> plan = plan_of_gate(catalogue, options.gate);
    if (!plan) return tl::unexpected(plan.error());
    plan->estimate = {plural(static_cast<std::int64_t>(plan->points.size()), "kernel") +
                      " to emulate, of unknown time"};
    return MadePlan{std::move(*plan), {}, {}};
  }
  if (!options.launch.empty()) {
    std::vector<std::string> values = options.request.axes;
    if (!options.request.what.empty()) values.insert(values.begin(), options.request.what);
    Result<Plan> plan = plan_of_launches(options.launch, values);
    if (!plan) return tl::unexpected(plan.error());
    plan->estimate = {plural(static_cast<std::int64_t>(plan->points.size()), "launch", "launches") +
                      " to emulate, of unknown time"};
    return MadePlan{std::move(*plan), {}, {}};
  }
  if (!options.points.empty()) {
    const Result<std::vector<MeasureRequest>> requests = read_requests(options.points);
    if (!requests) return tl::unexpected(requests.error());
    if (requests->empty())
      return failure(ErrorKind::input, "the file has no line with a point", options.points,
                     "write what follows `warpscope measure` on each line");
    Result<Plan> plan = plan_of(catalogue, *requests);
    if (!plan) return tl::unexpected(plan.error());
    return MadePlan{std::move(*plan), {}, requests->front()};
  }
  if (options.refine.empty()) {
    Result<Plan> plan = plan_of(catalogue, {options.request});
    if (!plan) return tl::unexpected(plan.error());
    return MadePlan{std::move(*plan), {}, options.request};
  }
  Result<RefinedPlan> refined = refined_plan(catalogue, options.request, options.refine);
  if (!refined) return tl::unexpected(refined.error());
  return MadePlan{std::move(refined->plan), std::move(refined->found), options.request};
}

// "6 places are added, between neighbours with different fastest variants; 150 points looked at".
std::string why_refined(const GridRefinement& found) {
  const auto count = [](std::size_t n) { return static_cast<std::int64_t>(n); };
  return plural(count(found.places.size()), "configuration is", "configurations are") +
         " added between neighbours with different fastest variants: " +
         plural(count(found.changes.size()), "such pair") + " among " +
         plural(count(found.points), "recorded point") +
         (found.close == 0 ? "" : ", " + std::to_string(found.close) + " of them too close");
}

int run_plan_command(const PlanOptions& options) {
  const Result<MeasureRequest> checked = check_request(options.request);
  if (!checked) return fail(checked.error());
  const auto catalogue = program_catalogue();
  Result<MadePlan> made = make_plan(*catalogue, options);
  if (!made) return fail(made.error());
  Plan& plan = made->plan;
  if (made->plan.estimate.empty()) {
    const Result<void> estimated = estimate(*catalogue, options, made->request, plan);
    if (!estimated) return fail(estimated.error());
  }
  const GridRefinement& found = made->found;
  if (!found.changes.empty()) plan.estimate.insert(plan.estimate.begin(), why_refined(found));
  if (Result<void> written = write_file(options.out, to_text(plan)); !written)
    return fail(written.error());
  if (options.out == "-") return 0;
  if (options.json) {
    json object = json_of(plan, options.out);
    for (const WinnerChange& change : found.changes) object["changes"].push_back(to_text(change));
    std::printf("%s\n", printed(object).c_str());
    return 0;
  }
  constexpr std::size_t kMostChanges = 20;
  for (std::size_t i = 0; i < std::min(kMostChanges, found.changes.size()); ++i)
    std::printf("%s\n", visible_name(to_text(found.changes[i])).c_str());
  if (found.changes.size() > kMostChanges)
    std::printf("and %zu more\n", found.changes.size() - kMostChanges);
  for (const std::string& sentence : plan.estimate)
    std::printf("%s\n", visible_name(sentence).c_str());
  return 0;
}

struct MergeOptions {
  std::vector<std::string> files;
  std::string out;
  bool json = false;
};

void print(const SessionMerge& merged, const std::string& out) {
  std::printf("%s: %s from %s", visible_name(out).c_str(), plural(merged.points, "point").c_str(),
              plural(merged.files, "session").c_str());
  if (merged.repeated > 0)
    std::printf("; %s measured again, which counts once",
                plural(merged.repeated, "was", "were").c_str());
  std::printf("\n");
  for (const std::string& conflict : merged.conflicts)
    std::printf("conflict: %s\n", visible_name(conflict).c_str());
}

int run_merge(const MergeOptions& options) {
  const auto merged =
      merge_sessions({options.files.begin(), options.files.end()}, options.out, now_utc());
  if (!merged) return fail(merged.error());
  for (const std::string& warning : merged->warnings)
    std::fprintf(stderr, "warpscope: %s\n", visible_name(warning).c_str());
  constexpr std::int64_t kMostSessionBytes = 1LL << 30;
  if (merged->bytes > kMostSessionBytes)
    std::fprintf(stderr,
                 "warpscope: the merged session is over 1 GiB, which other commands do not read: "
                 "merge fewer files at a time\n");
  if (options.json) {
    std::printf("%s\n", printed({{"file", options.out},
                                 {"sessions", merged->files},
                                 {"points", merged->points},
                                 {"repeated", merged->repeated},
                                 {"unanswered", merged->unanswered},
                                 {"lines", merged->lines},
                                 {"bytes", merged->bytes},
                                 {"conflicts", merged->conflicts},
                                 {"warnings", merged->warnings}})
                            .c_str());
  } else {
    print(*merged, options.out);
  }
  return merged->conflicts.empty() ? 0 : 1;
}

}  // namespace

namespace {

// What the points are of is named in one way.
void check_one_kind(const PlanOptions& options) {
  const std::pair<const char*, const std::string*> kinds[] = {
      {"--gate", &options.gate}, {"--points", &options.points}, {"--launch", &options.launch}};
  const char* named = nullptr;
  for (const auto& [option, text] : kinds) {
    if (!text->empty() && named != nullptr) throw CLI::ExcludesError(option, named);
    if (!text->empty()) named = option;
  }
  // Words after a launch file are its values.
  const bool scene = !options.request.what.empty() && options.launch.empty();
  if (scene && named != nullptr) throw CLI::ExcludesError(named, "scene");
  if (!scene && named == nullptr) throw CLI::RequiredError("scene");
}

}  // namespace

void declare_plan(CLI::App& command, int& status) {
  auto options = std::make_shared<PlanOptions>();
  CLI::Option& what = declare_measure_request(command, options->request);
  command
      .add_option("--gate", options->gate,
                  "instead of a scene: the kernels of this file of `warpscope ci`, to emulate")
      ->excludes(&what);
  command.add_option(
      "--launch", options->launch,
      "instead of a scene: a launch file, to emulate; name=a,b takes several values");
  command.add_option(
      "--points", options->points,
      "instead of a scene: a file with what follows `warpscope measure` on each line");
  command.add_option("--out", options->out, "the plan, a text file; - for standard output")
      ->required();
  command.add_option("--from", options->from,
                     "sessions that say how long a point takes; the shipped one of the scene by "
                     "default");
  command.add_option("--refine", options->refine,
                     "sessions of a coarse grid: plan the points between neighbours with different "
                     "fastest variants; axis=value after the scene then limits what is looked at");
  command.add_flag("--json", options->json, "print JSON");
  declare_folders(command);
  command.callback([options, &status] {
    check_one_kind(*options);
    status = run_plan_command(*options);
  });
}

void declare_merge(CLI::App& command, int& status) {
  auto options = std::make_shared<MergeOptions>();
  command.add_option("files", options->files, "sessions (.wsj, .wsj.gz, or - for a pipe)")
      ->required();
  command.add_option("--out", options->out, "the merged session, a .wsj file")->required();
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_merge(*options); });
}

}  // namespace warpscope
