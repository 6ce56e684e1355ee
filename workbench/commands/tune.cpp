// workbench/commands/tune.cpp: a search over a variant's own compile-time axes and launch shapes.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/points/point.h"
#include "profiling/tuning/tuning.h"
#include "scenes/base/plural.h"
#include "scenes/host/clock.h"
#include "workbench/client/end_signals.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/choice/choice_commands.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using nlohmann::json;
using Changes = std::map<std::string, std::string>;

struct TuneOptions {
  EngineChoice engine;
  std::string what, session;
  std::vector<std::string> axes;
  TuneBudget budget;
  double time_limit_s = 2;
  bool json = false;
};

std::string text_of(const Changes& changes, const std::vector<std::string>& axes) {
  std::string text;
  for (const std::string& axis : axes)
    text += (text.empty() ? "" : " ") + axis + "=" + changes.at(axis);
  return text;
}

std::string text_of(const Measurement& point, const std::vector<std::string>& axes) {
  Changes changes;
  for (const std::string& axis : axes) changes[axis] = to_text(point.axes.at(axis));
  return text_of(changes, axes);
}

// Why candidates were left out, each reason once.
std::map<std::string, int> reasons_of(const Candidates& candidates) {
  std::map<std::string, int> reasons;
  for (const Candidates::Skipped& each : candidates.skipped) ++reasons[each.reason];
  return reasons;
}

// `ended`: why it did.
void print(const Tuning& tuning, const std::string& ended, const Measurement* usual) {
  const Candidates& all = tuning.candidates();
  for (const auto& [reason, count] : reasons_of(all))
    fmt::print("{} left out: {}\n", plural(count, "candidate"), reason);
  if (tuning.wrong() > 0)
    std::printf("%d tried candidates had no correct output, and so no time\n", tuning.wrong());
  std::printf("%s\n", ended.c_str());
  if (tuning.best() == nullptr) return;
  std::printf("best: %s, %s warm\n", text_of(*tuning.best(), all.searched).c_str(),
              format_value(tuning.best()->warm->median_ns, "ns").c_str());
  if (usual == nullptr || usual->key == tuning.best()->key) return;
  std::printf("compared with its defaults (%s): %s\n", text_of(*usual, all.searched).c_str(),
              compare_times(*usual, *tuning.best(), CacheState::warm).sentence.c_str());
}

json described(const Tuning& tuning, const std::string& ended) {
  json reasons = json::object();
  for (const auto& [reason, count] : reasons_of(tuning.candidates())) reasons[reason] = count;
  json said = {{"searched", tuning.candidates().searched},
               {"candidates", tuning.candidates().points.size()},
               {"skipped", reasons},
               {"tried", tuning.tried()},
               {"without_a_correct_output", tuning.wrong()},
               {"ended", ended}};
  if (tuning.best() != nullptr) {
    for (const std::string& axis : tuning.candidates().searched)
      said["best"][axis] = to_text(tuning.best()->axes.at(axis));
    said["best_warm_ns"] = tuning.best()->warm->median_ns;
  }
  return said;
}

// "; about 40 s left" until what the budget lets it try is tried. It may end earlier.
std::string most_left(const Tuning& tuning, const TuneBudget& budget, double elapsed_s) {
  const std::size_t all =
      std::min(tuning.candidates().points.size(), static_cast<std::size_t>(budget.points));
  return time_left(std::max(elapsed_s / budget.seconds,
                            tuning.tried() / static_cast<double>(std::max<std::size_t>(all, 1))),
                   elapsed_s);
}

// One engine for all points: what it compiled and made stays.
class Bench {
 public:
  Bench(const TuneOptions& options, SessionFile* file, const std::shared_ptr<Catalogue>& catalogue)
      : client_(engine_command(options.engine), {}, nullptr, catalogue),
        file_(file),
        session_(catalogue) {}
  Result<const Measurement*> measure(Job job) {
    job.job = client_.submit(job);
    std::vector<Message> messages = {job};
    std::optional<Error> failed;
    while (signals_.count() == 0 && !client_.outstanding().empty()) {
      for (const Message& message : messages) {
        if (Result<void> kept = keep(message); !kept) return tl::unexpected(kept.error());
        const auto* done = std::get_if<Done>(&message);
        if (done != nullptr && done->error) failed = done->error;
      }
      client_.wait(0.1);
      messages = client_.poll();
    }
    for (const Message& message : messages) {
      if (Result<void> kept = keep(message); !kept) return tl::unexpected(kept.error());
    }
    if (client_.trouble()) return tl::unexpected(*client_.trouble());
    if (signals_.count() != 0)
      return failure(ErrorKind::resource, "cancelled: what was tried is kept", signals_.name(),
                     "run the command again");
    for (auto m = session_.history().rbegin(); m != session_.history().rend(); ++m) {
      if (m->job == job.job && !m->partial) return &*m;
    }
    if (failed) return tl::unexpected(*failed);
    return failure(ErrorKind::internal, "the engine gave no answer", job.variant, "");
  }

 private:
  Result<void> keep(const Message& message) {
    session_.apply(message);
    const auto* measurement = std::get_if<Measurement>(&message);
    const bool passing = std::holds_alternative<Progress>(message) ||
                         (measurement != nullptr && measurement->partial);
    return file_ == nullptr || passing ? Result<void>{} : file_->append(message);
  }
  EngineClient client_;
  SessionFile* file_;
  Session session_;
  EndSignals signals_;
};

// Values of the variant's tuning axes are searched, of others fixed.
Result<Candidates> candidates(const TuneOptions& options, const SceneAndVariants& chosen) {
  const auto words = axis_arguments(options.axes);
  if (!words) return tl::unexpected(words.error());
  Changes fixed, ranges;
  for (const auto& [name, value] : *words) {
    const Axis* axis = find_axis(chosen.scene->axes, name);
    const bool own = axis != nullptr && !of_problem(*axis);
    (own ? ranges : fixed)[name] = value;
  }
  return candidates_of(*chosen.scene, *chosen.variants.front(), fixed, ranges);
}

// What was tried before it was stopped is an answer too. Returns the exit status.
int report(const TuneOptions& options, const Tuning& tuning, const Measurement* usual,
           const std::optional<Error>& stopped) {
  if (stopped && tuning.tried() == 0) return fail(*stopped);
  const std::string ended = stopped ? fmt::format("it was stopped after {} of {} candidates",
                                                  tuning.tried(), tuning.candidates().points.size())
                                    : tuning.why_it_ended();
  if (options.json) {
    std::printf("%s\n", described(tuning, ended).dump(2).c_str());
  } else {
    print(tuning, ended, usual);
  }
  if (stopped) return fail(*stopped);
  return tuning.best() == nullptr ? 1 : 0;
}

int run_tune(const TuneOptions& options) {
  const auto catalogue = program_catalogue();
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue, options.what);
  if (!chosen) return fail(chosen.error());
  if (chosen->variants.size() != 1) {
    return fail({ErrorKind::usage, "a search needs exactly one variant", options.what,
                 "write SCENE/VARIANT; `warpscope list " + chosen->scene->name + "` names them"});
  }
  Result<Candidates> all = candidates(options, *chosen);
  if (!all) return fail(all.error());
  Job needed;
  needed.scene = chosen->scene->name;
  if (Result<void> there = check_sources(*catalogue, {needed}); !there) return fail(there.error());
  const Result<bool> device = device_answers(options.engine);
  if (!device) return fail(device.error());
  if (!*device) {
    return fail({ErrorKind::environment,
                 "there is no GPU here, but candidates are ranked by their times; emulated counts "
                 "cannot rank them",
                 options.what,
                 "run it on a machine with one (--host), or look at each one's memory accesses "
                 "with `warpscope trace`"});
  }
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Tuning tuning(std::move(*all), options.budget);
  Bench bench(options, file->get(), catalogue);
  const Measurement* usual = nullptr;
  std::optional<Error> stopped;
  const auto start = std::chrono::steady_clock::now();
  while (const std::optional<Changes> axes = tuning.next(seconds_since(start))) {
    Job job;
    job.scene = chosen->scene->name;
    job.variant = chosen->variants.front()->name;
    job.axes = *axes;
    job.time_limit_s = options.time_limit_s;
    const Result<const Measurement*> measured = bench.measure(job);
    if (!measured) {
      stopped = measured.error();
      break;
    }
    tuning.tell(**measured);
    if (usual == nullptr && (*measured)->warm) usual = *measured;
    std::fprintf(stderr, "%d of %zu  %s  %s%s\n", tuning.tried(), tuning.candidates().points.size(),
                 text_of(*axes, tuning.candidates().searched).c_str(),
                 (*measured)->warm ? format_value((*measured)->warm->median_ns, "ns").c_str()
                                   : (*measured)->verdict.sentence.c_str(),
                 most_left(tuning, options.budget, seconds_since(start)).c_str());
  }
  return report(options, tuning, usual, stopped);
}

}  // namespace

void declare_tune(CLI::App& command, int& status) {
  auto options = std::make_shared<TuneOptions>();
  command.add_option("variant", options->what, "SCENE/VARIANT, or FOLDER/VARIANT")->required();
  command.add_option(
      "axes", options->axes,
      "axis=value for the problem; axis=a,b,c or axis=lo:hi:n for an axis that is searched");
  declare_engine_options(command, options->engine);
  check_range(*command.add_option("--points", options->budget.points, "most candidates to try"), 1,
              100000);
  check_range(*command.add_option("--seconds", options->budget.seconds, "most seconds to search"),
              0.1, 1e6);
  command.add_option("--seed", options->budget.seed,
                     "random seed for the order in which candidates are tried");
  check_range(
      *command.add_option("--time-limit", options->time_limit_s,
                          "seconds of sampling per candidate, for cold and for warm caches"),
      0.01, 600);
  command.add_option("--session", options->session, "append every point to this .wsj file");
  auto fitting = std::make_shared<ChoiceFitting>();
  auto fit = std::make_shared<bool>(false);
  command.add_flag("--fit", *fit,
                   "fit the automatic choices of a scene to sessions: tune --fit SCENE "
                   "SESSION…; needs no GPU");
  command.add_option("--out", fitting->out,
                     "with --fit: write the fitted choice to this file; - prints it");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, fitting, fit, &status] {
    if (!*fit && !fitting->out.empty()) {
      status = fail({ErrorKind::usage, "--out is for --fit", "tune", "leave --out out"});
    } else if (!*fit) {
      status = run_tune(*options);
    } else {
      fitting->scene = options->what;
      fitting->sessions = options->axes;
      fitting->seed = options->budget.seed;
      fitting->json = options->json;
      status = run_tune_fit(*fitting);
    }
  });
}

}  // namespace warpscope
