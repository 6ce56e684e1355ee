// workbench/commands/choice/agree_choice.cpp: compares what a fitted choice takes with the best
// variant.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "profiling/figures/metric.h"
#include "profiling/tuning/choice_table.h"
#include "profiling/tuning/row_choice.h"
#include "scenes/host/input_file.h"
#include "scenes/host/write_file.h"
#include "scenes/random_configuration.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/choice/choice_commands.h"
#include "workbench/commands/choice/score_text.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

constexpr double kSamplingS = 0.02;  // for cold and for warm caches

struct Words {
  std::string scene;
  std::vector<std::string> sessions, axes;
};

bool names_session(const std::string& word) {
  return word == "-" || word.ends_with(".wsj") || word.ends_with(".wsj.gz");
}

Result<Words> words_of(const ChoiceAgreement& options) {
  Words words;
  for (const std::string& word : options.words) {
    if (words.scene.empty()) {
      words.scene = word;
    } else if (names_session(word)) {
      words.sessions.push_back(word);
    } else {
      words.axes.push_back(word);
    }
  }
  if (words.scene.empty())
    return failure(ErrorKind::usage, "no scene is named", "agree choice",
                   "write `warpscope agree choice SCENE SESSION`");
  if (options.random == 0 && !options.session.empty()) words.sessions.push_back(options.session);
  if (options.random == 0 && words.sessions.empty())
    return failure(ErrorKind::usage, "there are no points to judge", "agree choice",
                   "name a .wsj file, or give --random N on a machine with a GPU");
  if (options.random == 0 && !words.axes.empty())
    return failure(ErrorKind::usage, "axes can be fixed only with --random", "agree choice",
                   "leave “" + words.axes.front() + "” out");
  if (options.random > 0 && !words.sessions.empty())
    return failure(ErrorKind::usage, "--random measures its points itself", "agree choice",
                   "leave “" + words.sessions.front() + "” out, or give it with --session");
  return words;
}

// The model of a file, or the built-in one.
Result<ChoiceModel> model_of(const ChoiceAgreement& options, const Scene& scene,
                             const ChoiceFeatures& features) {
  ChoiceModel model;
  if (options.model.empty()) {
    const ChoiceModel* built_in = built_in_choice(scene.name);
    if (built_in == nullptr)
      return failure(ErrorKind::usage, "no fitted choice of this scene is built in", scene.name,
                     "give --model with a file that `warpscope tune --fit` wrote");
    model = *built_in;
  } else {
    constexpr std::int64_t kMostBytes = 1 << 22;
    const Result<std::string> text = read_input(options.model, kMostBytes);
    if (!text) return tl::unexpected(text.error());
    Result<ChoiceModel> read = parse_choice_model(*text, options.model);
    if (!read) return read;
    model = std::move(*read);
  }
  if (model.scene != scene.name)
    return failure(ErrorKind::input, "this choice was fitted for the scene " + model.scene,
                   options.model, "name a file that was fitted for " + scene.name);
  for (const CostTable& table : model.tables) {
    if (Result<void> fits = fits_scene(table, features, scene.variants, scene.axes); !fits)
      return tl::unexpected(fits.error());
  }
  return model;
}

// One job per row that an automatic row may take, and the automatic rows themselves.
std::vector<Job> jobs_at(const Scene& scene, const ChoiceScene& about, const ChoiceModel& model,
                         const RandomConfiguration& at) {
  std::set<ChosenRow> rows;
  for (const char* automatic : about.rows) {
    rows.insert({automatic, {}});
    for (const Variant* variant : choice_candidates(scene, automatic))
      rows.insert({variant->name, {}});
  }
  for (const CostTable& table : model.tables) {
    for (const RowCosts& costs : table.rows) rows.insert(costs.row);
  }
  Configuration problem = at.axes;  // rows' own axes stand at their defaults, or at the choice's
  for (const Axis& axis : scene.axes) {
    if (!of_problem(axis)) problem.unset(axis.name);
  }
  std::vector<Job> jobs;
  for (const ChosenRow& row : rows) {
    if (!applies(*find_variant(scene, row.variant), at.axes)) continue;
    Job job;
    job.work = MeasureJob{};
    job.scene = scene.name;
    job.variant = row.variant;
    job.axes = changes_of(scene, problem);
    job.axes.insert(row.axes.begin(), row.axes.end());
    job.time_limit_s = kSamplingS;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string plan_line(const Job& job) {
  std::string line = job.scene + "/" + job.variant;
  for (const auto& [axis, value] : job.axes) {
    const bool blanks = value.find(' ') != std::string::npos;
    line += blanks ? " \"" + axis + "=" + value + "\"" : " " + axis + "=" + value;
  }
  return line + " --time-limit " + to_text(AxisValue(kSamplingS)) + "\n";
}

Result<std::vector<Job>> drawn_jobs(const ChoiceAgreement& options, const Words& words,
                                    const Scene& scene, const ChoiceScene& about,
                                    const ChoiceModel& model) {
  const auto fixed = axis_arguments(words.axes);
  if (!fixed) return tl::unexpected(fixed.error());
  const Result<std::vector<RandomConfiguration>> points =
      random_configurations(scene,
                            {.seed = options.seed,
                             .most_bytes = 256LL << 20,
                             .most_flops = 3e11,
                             .fixed = *fixed,
                             .beyond_sliders = false},
                            options.random);
  if (!points) return tl::unexpected(points.error());
  std::vector<Job> jobs;
  for (const RandomConfiguration& at : *points) {
    const std::vector<Job> some = jobs_at(scene, about, model, at);
    jobs.insert(jobs.end(), some.begin(), some.end());
  }
  return jobs;
}

void print_points(ChoiceScore score) {
  std::stable_sort(score.judged.begin(), score.judged.end(), [](const auto& a, const auto& b) {
    return a.ratio.value_or(2) < b.ratio.value_or(2);
  });
  std::printf("  best/taken  taken time  best time  variants  taken, best, problem\n");
  for (const ChoiceScore::Judged& each : score.judged) {
    const ChoicePoint& at = *each.point;
    const std::string best = format_value(at.best_ns, "ns");
    if (each.ratio) {
      std::printf("  %10.3f  %10s  %9s  %8zu  ", *each.ratio,
                  format_value(at.best_ns / *each.ratio, "ns").c_str(), best.c_str(), at.ns.size());
    } else {
      std::printf("  %10s  %10s  %9s  %8zu  ", "-", each.refused ? "refused" : "unknown",
                  best.c_str(), at.ns.size());
    }
    std::printf("%s, %s, %s\n", to_text(each.taken).c_str(), to_text(at.best).c_str(),
                at.problem.c_str());
  }
}

nlohmann::json points_json(const ChoiceScore& score) {
  nlohmann::json list = nlohmann::json::array();
  for (const ChoiceScore::Judged& each : score.judged) {
    nlohmann::json point = {{"problem", each.point->problem}, {"device", each.point->device},
                            {"taken", to_text(each.taken)},   {"best", to_text(each.point->best)},
                            {"best_ns", each.point->best_ns}, {"variants", each.point->ns.size()}};
    if (each.ratio) point["ratio"] = *each.ratio;
    list.push_back(std::move(point));
  }
  return list;
}

// Whether the model was fitted to a session of one of these names.
bool was_fitted_to(const ChoiceModel& model, const std::vector<std::string>& sessions) {
  return std::any_of(sessions.begin(), sessions.end(), [&model](const std::string& path) {
    const std::string name = std::filesystem::path(path).filename().string();
    return std::find(model.sessions.begin(), model.sessions.end(), name) != model.sessions.end();
  });
}

// Judges each automatic row. Returns 1 if a goal is missed; `unseen`: points that the model was
// fitted to have none.
int judge(const ChoiceAgreement& options, const Scene& scene, const ChoiceScene& about,
          const ChoiceModel& model, const Session& session, bool unseen) {
  const ChoiceFeatures features = about.features(scene.axes);
  nlohmann::json said = nlohmann::json::array();
  int status = 0, judged = 0;
  for (const CostTable& costs : model.tables) {
    const ChoiceTable table = choice_table(session, scene, about, costs.row);
    if (table.points.empty()) continue;
    ++judged;
    const std::vector<const ChoicePoint*> points = all_points_of(table);
    const ChoiceScore score = score_of(costs, features, points, kTimedRows);
    const ChoiceScore by_table = score_of(costs, features, points);
    const ChoiceScore recorded = recorded_score(points);
    if (unseen && !reaches(score)) status = 1;
    if (options.json) {
      nlohmann::json row = score_json(score);
      row["variant"] = costs.row;
      row["table"] = score_json(by_table);
      row["recorded"] = score_json(recorded);
      row["unseen"] = unseen;
      row["reaches_goals"] = reaches(score);
      row["judged"] = points_json(score);
      said.push_back(std::move(row));
      continue;
    }
    std::printf(
        "%s/%s, by %s times on %s\n  fastest of %zu nearest    %s\n  first by fitted costs  %s\n",
        scene.name.c_str(), costs.row.c_str(), table.cold ? "cold" : "warm", table.device.c_str(),
        kTimedRows, score_text(score).c_str(), score_text(by_table).c_str());
    if (recorded.known() > 0)
      std::printf("  as recorded            %s\n", score_text(recorded).c_str());
    if (unseen) {
      std::printf(
          "  goals on unseen points (geometric mean 0.985, 95 %% within 5 %%, worst 0.85): %s\n",
          reaches(score) ? "reached" : "missed");
    } else {
      std::printf("  the choice was fitted to a session of this name: its points are not unseen\n");
    }
    print_points(score);
  }
  if (judged == 0)
    return fail({ErrorKind::input, "no configuration has times of enough variants", scene.name,
                 "record them with `warpscope agree choice " + scene.name +
                     " --random 40 --session run.wsj`"});
  if (options.json) std::printf("%s\n", said.dump(2).c_str());
  return status;
}

}  // namespace

int run_agree_choice(const ChoiceAgreement& options) {
  const Result<Words> words = words_of(options);
  if (!words) return fail(words.error());
  const Result<const ChoiceScene*> about = find_choice_scene(words->scene);
  if (!about) return fail(about.error());
  const auto catalogue = program_catalogue();
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue, words->scene);
  if (!chosen) return fail(chosen.error());
  const Scene& scene = *chosen->scene;
  const Result<ChoiceModel> model = model_of(options, scene, (*about)->features(scene.axes));
  if (!model) return fail(model.error());
  if (options.random == 0) {
    const Result<Session> session =
        load_sessions(words->sessions, options.engine.device_uuid, PointParts::all, catalogue);
    if (!session) return fail(session.error());
    return judge(options, scene, **about, *model, *session,
                 !was_fitted_to(*model, words->sessions));
  }
  const Result<std::vector<Job>> jobs = drawn_jobs(options, *words, scene, **about, *model);
  if (!jobs) return fail(jobs.error());
  if (!options.plan.empty()) {
    std::string plan = "# " + scene.name + ", " + std::to_string(options.random) +
                       " configurations, random seed " + std::to_string(options.seed) + "\n";
    for (const Job& job : *jobs) plan += plan_line(job);
    const Result<void> written = write_file(options.plan, plan);
    return written ? 0 : fail(written.error());
  }
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  const auto ran = run_jobs(engine_command(options.engine), *jobs, session, file->get());
  if (!ran && session.all_points().empty()) return fail_jobs(ran.error());
  const int status = judge(options, scene, **about, *model, session, true);
  return ran ? status : std::max(status, fail_jobs(ran.error()));
}

}  // namespace warpscope
