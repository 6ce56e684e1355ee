// workbench/commands/choice/tune_fit.cpp: fits the choices of a scene's automatic rows.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "profiling/tuning/choice_fit.h"
#include "profiling/tuning/row_choice.h"
#include "scenes/base/plural.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/choice/choice_commands.h"
#include "workbench/commands/choice/score_text.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

struct FittedRow {
  ChoiceTable table;
  FittedChoice fitted;
};

// The unseen points at which the choice does worst.
void print_worst(const ChoiceScore& unseen) {
  constexpr std::size_t kShown = 5;
  std::vector<ChoiceScore::Judged> worst;
  for (const ChoiceScore::Judged& each : unseen.judged) {
    if (each.ratio && *each.ratio < 1 / 1.05) worst.push_back(each);
  }
  std::sort(worst.begin(), worst.end(),
            [](const auto& a, const auto& b) { return *a.ratio < *b.ratio; });
  for (std::size_t n = 0; n < std::min(kShown, worst.size()); ++n)
    std::printf("    %.3f  %s instead of %s at %s\n", *worst[n].ratio,
                to_text(worst[n].taken).c_str(), to_text(worst[n].point->best).c_str(),
                worst[n].point->problem.c_str());
}

void print(const std::string& scene, const FittedRow& row) {
  const auto& [table, fitted] = row;
  std::printf("%s/%s: %s, %d times; %s left out, because too few variants were timed there\n",
              scene.c_str(), table.row.c_str(),
              plural(static_cast<std::int64_t>(table.points.size()), "configuration").c_str(),
              table.measured, plural(table.left_out, "configuration").c_str());
  std::printf("  costs of %s by %s, %zu trees of at most %d leaves, %s kept\n",
              plural(static_cast<std::int64_t>(fitted.costs.rows.size()), "variant").c_str(),
              plural(static_cast<std::int64_t>(fitted.costs.features.size()), "feature").c_str(),
              fitted.costs.trees.size(), fitted.limits.leaves,
              plural(static_cast<std::int64_t>(fitted.costs.points.size()), "point").c_str());
  std::printf("  unseen (10 folds)    %s\n", score_text(fitted.unseen).c_str());
  std::printf("  fastest of %zu timed   %s\n", kTimedRows, score_text(fitted.timed).c_str());
  print_worst(fitted.unseen);
  std::printf("  seen                 %s\n", score_text(fitted.seen).c_str());
  if (fitted.recorded.known() > 0)
    std::printf("  as recorded          %s\n", score_text(fitted.recorded).c_str());
}

nlohmann::json json_of(const FittedRow& row) {
  return {{"variant", row.table.row},
          {"configurations", row.table.points.size()},
          {"times", row.table.measured},
          {"left_out", row.table.left_out},
          {"variants", row.fitted.costs.rows.size()},
          {"unseen", score_json(row.fitted.unseen)},
          {"timed", score_json(row.fitted.timed)},
          {"seen", score_json(row.fitted.seen)},
          {"recorded", score_json(row.fitted.recorded)}};
}

ChoiceModel model_of(const ChoiceFitting& options, const ChoiceScene& about,
                     std::vector<FittedRow> rows) {
  ChoiceModel model;
  model.scene = about.scene;
  model.cold = about.cold;
  for (const std::string& path : options.sessions)
    model.sessions.push_back(std::filesystem::path(path).filename().string());
  for (FittedRow& row : rows) {
    model.configurations += static_cast<int>(row.table.points.size());
    model.measured += row.table.measured;
    if (row.table.date >= model.date) {
      model.date = row.table.date;
      model.device = row.table.device;
      model.driver = row.table.driver;
      model.build = row.table.build;
    }
    model.tables.push_back(std::move(row.fitted.costs));
  }
  return model;
}

}  // namespace

int run_tune_fit(const ChoiceFitting& options) {
  const Result<const ChoiceScene*> about = find_choice_scene(options.scene);
  if (!about) return fail(about.error());
  const auto catalogue = program_catalogue();
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue, options.scene);
  if (!chosen) return fail(chosen.error());
  if (options.sessions.empty())
    return fail({ErrorKind::usage, "there is no session to fit to", "tune --fit",
                 "name one or more .wsj files after the scene"});
  const Result<Session> session = load_sessions(options.sessions, {}, PointParts::all, catalogue);
  if (!session) return fail(session.error());
  const ChoiceFeatures features = (*about)->features(chosen->scene->axes);
  std::vector<FittedRow> rows;
  nlohmann::json said = nlohmann::json::array();
  for (const char* row : (*about)->rows) {
    ChoiceTable table = choice_table(*session, *chosen->scene, **about, row);
    Result<FittedChoice> fitted = fit_choice(table, features, {.seed = options.seed});
    if (!fitted) return fail(fitted.error());
    FittedRow& last = rows.emplace_back(FittedRow{std::move(table), std::move(*fitted)});
    if (options.json) {
      said.push_back(json_of(last));
    } else {
      print(options.scene, last);
    }
  }
  if (options.json) std::printf("%s\n", said.dump(2).c_str());
  const ChoiceModel model = model_of(options, **about, std::move(rows));
  if (options.out.empty()) return 0;
  if (options.out == "-") {
    std::printf("%s", to_text(model).c_str());
    return 0;
  }
  const Result<void> written = write_file(options.out, to_text(model));
  return written ? 0 : fail(written.error());
}

}  // namespace warpscope
