// workbench/commands/agree_random.cpp: compares the emulator with the device at random
// configurations.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "profiling/agreement/agree.h"
#include "profiling/agreement/run_standing.h"
#include "profiling/session/remedy.h"
#include "scenes/base/plural.h"
#include "scenes/host/clock.h"
#include "scenes/random_configuration.h"
#include "workbench/client/end_signals.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

// What the emulator answers to: see group_figures.
constexpr const char* kCounters =
    "l1.sectors_load,l1.requests_load,l1.sectors_store,l1.requests_store,"
    "shared.wavefronts_lds,shared.wavefronts_sts,inst.executed";

// Whether a run is kernels of ours: a library's cannot be emulated, and where all that is left to
// do is to fill or copy a buffer there is nothing to compare.
bool runs_our_kernels(const Variant& variant, const Workload& workload) {
  const std::vector<Step> steps = variant.steps(workload);
  return std::none_of(
             steps.begin(), steps.end(),
             [](const Step& step) { return std::holds_alternative<LibraryCall>(step.action); }) &&
         std::any_of(steps.begin(), steps.end(), [](const Step& step) {
           return step.phase == Phase::run && std::holds_alternative<KernelLaunch>(step.action);
         });
}

// Why no figure can be compared here, or nothing.
std::optional<Error> lacking(const std::vector<std::string>& command) {
  constexpr std::chrono::seconds kPatience(20);
  EngineClient probe(command);
  probe.start();
  const auto start = std::chrono::steady_clock::now();
  while (!probe.ready() && !probe.given_up() &&
         std::chrono::steady_clock::now() - start < kPatience) {
    probe.wait(0.05);
    static_cast<void>(probe.poll());
  }
  const char* remedy =
      "run it on a machine with a GPU and permission to read its counters, or give --host";
  if (!probe.ready() || !probe.hello()->device)
    return Error{ErrorKind::environment, "there is no GPU here to count with", "agree --random",
                 remedy};
  const Capability* counters = find_capability(*probe.hello(), "counters");
  if (counters != nullptr && !counters->available)
    return Error{ErrorKind::environment, "the GPU gives no counters: " + counters->reason,
                 "agree --random", counters->remedy.empty() ? remedy : counters->remedy};
  return std::nullopt;
}

// The figures and verdicts of one configuration.
struct Outcomes {
  std::vector<FigureMatch> figures;
  std::vector<std::string> wrong;    // sentences: an output that is wrong, a fault of the emulator
  std::vector<std::string> refused;  // sentences: launches that fail as the compiler foretells
};

Job job_of(JobWork work, const Scene& scene, const Variant& variant, const Configuration& axes) {
  Job job;
  job.work = std::move(work);
  job.scene = scene.name;
  job.variant = variant.name;
  job.axes = changes_of(scene, axes);
  return job;
}

Job counting(const Scene& scene, const Variant& variant, const Configuration& axes) {
  return job_of(MeasureJob{.counters = kCounters, .time = false}, scene, variant, axes);
}

Job tracing(const Scene& scene, const Variant& variant, const Configuration& axes) {
  TraceJob sums;
  sums.warp = 0;  // sums are wanted, not requests
  sums.code = TracedCode::best;
  return job_of(std::move(sums), scene, variant, axes);
}

// Counts every variant on the device, then emulates those that it counted.
tl::expected<Outcomes, JobsFailure> hold(const RandomAgreement& options, const Scene& scene,
                                         const std::vector<const Variant*>& variants,
                                         const RandomConfiguration& at, SessionFile* file,
                                         const std::shared_ptr<Catalogue>& catalogue) {
  Session session(catalogue);
  std::vector<Job> counted;
  for (const Variant* variant : variants) {
    if (applies(*variant, at.axes)) counted.push_back(counting(scene, *variant, at.axes));
  }
  if (auto ran = run_jobs(engine_command(options.engine), counted, session, file); !ran)
    return tl::unexpected(ran.error());
  Outcomes outcomes;
  std::vector<Job> emulated;
  const Hello* engine = session.engine();
  const DeviceLimits limits =
      limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr);
  for (const Measurement* point : session.all_points()) {
    const Variant* variant = find_variant(scene, point->variant);
    if (variant == nullptr) continue;
    const Workload workload{for_variant(scene.axes, at.axes, variant->name), at.facts};
    const std::string words = scene.name + "/" + variant->name + " at " + point->key + ": " +
                              to_text(point->verdict.outcome) + ", " + point->verdict.sentence;
    const RunStanding standing = standing_of(*variant, workload, *point, limits);
    if (standing == RunStanding::wrong) outcomes.wrong.push_back(words);
    if (standing == RunStanding::launch_fails) outcomes.refused.push_back(words);
    if (standing == RunStanding::correct && runs_our_kernels(*variant, workload))
      emulated.push_back(tracing(scene, *variant, at.axes));
  }
  if (auto ran = run_jobs(emulator_command(options.engine), emulated, session, file); !ran)
    return tl::unexpected(ran.error());
  for (const auto& [number, job] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error)
      outcomes.wrong.push_back(scene.name + "/" + job.variant + ": " + sentence(*done->error));
  }
  for (const Trace* trace : session.traces()) {
    for (const Fault& fault : trace->faults)
      outcomes.wrong.push_back(scene.name + "/" + trace->variant + " at " + trace->key + ": " +
                               fault.sentence);
  }
  outcomes.figures = agree_with_emulator(session);
  return outcomes;
}

void print_finding(const FigureMatch& pair) {
  std::printf("%s  %s/%s%s at %s\n  %s: emulated %s, counted %s, %+.2f %%\n  %s\n",
              to_text(pair.match), pair.scene.c_str(), pair.variant.c_str(),
              pair.step.empty() ? "" : (", step “" + pair.step + "”").c_str(), pair.key.c_str(),
              pair.counter.c_str(), format_value(*pair.ours, pair.unit).c_str(),
              format_value(*pair.counted, pair.unit).c_str(), pair.difference_ratio * 100,
              pair.reason.c_str());
}

nlohmann::json json_of(const FigureMatch& pair) {
  return {{"match", to_text(pair.match)},
          {"scene", pair.scene},
          {"variant", pair.variant},
          {"key", pair.key},
          {"step", pair.step},
          {"figure", pair.figure},
          {"emulated", *pair.ours},
          {"counted", *pair.counted},
          {"difference_ratio", pair.difference_ratio},
          {"reason", pair.reason}};
}

// All of it as JSON, or the counts in a line.
void print_sum(const RandomAgreement& options, const Scene& scene, int held,
               const MatchCounts& counts, const std::vector<FigureMatch>& figures,
               const std::vector<std::string>& wrong, const std::vector<std::string>& refused) {
  if (options.json) {
    nlohmann::json list = nlohmann::json::array();
    for (const FigureMatch& pair : figures) {
      if (pair.match != Match::not_comparable) list.push_back(json_of(pair));
    }
    const nlohmann::json whole = {{"scene", scene.name},          {"seed", options.seed},
                                  {"configurations", held},       {"compared", counts.compared},
                                  {"agree", counts.agree},        {"explained", counts.explained},
                                  {"unexplained", counts.differ}, {"wrong", wrong},
                                  {"launch_failures", refused},   {"figures", list}};
    std::printf("%s\n", whole.dump().c_str());
  } else {
    std::printf(
        "%d figures of %d configurations (%s, random seed %llu): %d agree, %d differ for a known "
        "reason, %d differ without one, %zu wrong, %zu launch%s failed as predicted by registers, "
        "bounds or shared memory\n",
        counts.compared, held, scene.name.c_str(), static_cast<unsigned long long>(options.seed),
        counts.agree, counts.explained, counts.differ, wrong.size(), refused.size(),
        refused.size() == 1 ? "" : "es");
  }
}

}  // namespace

int run_agree_random(const RandomAgreement& options) {
  const auto catalogue = program_catalogue();
  const Result<SceneAndVariants> chosen = scene_argument(*catalogue, options.scene);
  if (!chosen) return fail(chosen.error());
  const Scene& scene = *chosen->scene;
  const auto fixed = axis_arguments(options.axes);
  if (!fixed) return fail(fixed.error());
  if (const Result<void> admitted = admit_own_axes(*chosen, *fixed); !admitted)
    return fail(admitted.error());
  if (const auto reason = lacking(engine_command(options.engine))) return fail(*reason);
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  const Result<std::vector<RandomConfiguration>> points =
      random_configurations(scene, {options.seed, 64LL << 20, 2e7, *fixed}, options.count);
  if (!points) return fail(points.error());
  std::vector<FigureMatch> figures;
  std::vector<std::string> wrong, refused;
  std::optional<JobsFailure> stopped;
  int held = 0;
  const auto begun = std::chrono::steady_clock::now();
  const EndSignals signals;  // also those that come between two runs of jobs
  for (const RandomConfiguration& at : *points) {
    std::fprintf(
        stderr, "warpscope: %d of %d, random seed %llu: %s%s\n", held + 1, options.count,
        static_cast<unsigned long long>(options.seed), problem_key(scene.axes, at.axes).c_str(),
        time_left(static_cast<double>(held) / options.count, seconds_since(begun)).c_str());
    auto outcomes = hold(options, scene, chosen->variants, at, file->get(), catalogue);
    if (!outcomes) {
      stopped = outcomes.error();
      break;
    }
    ++held;
    for (FigureMatch& pair : outcomes->figures) {
      if (!options.json && pair.match != Match::agrees && pair.match != Match::not_comparable)
        print_finding(pair);
      figures.push_back(std::move(pair));
    }
    for (std::string& words : outcomes->wrong) {
      if (!options.json) std::printf("WRONG  %s\n", words.c_str());
      wrong.push_back(std::move(words));
    }
    for (std::string& words : outcomes->refused) {
      if (!options.json) std::printf("LAUNCH FAILED  %s\n", words.c_str());
      refused.push_back(std::move(words));
    }
  }
  const MatchCounts counts = count_matches(figures);
  print_sum(options, scene, held, counts, figures, wrong, refused);
  if (stopped && stopped->interrupted && held > 0)
    stopped->error.what = "cancelled: what was done before is kept, " + std::to_string(held) +
                          " of " + plural(options.count, "configuration");
  if (stopped) return fail_jobs(*stopped);
  if (counts.compared == 0 && wrong.empty() && refused.empty())
    return fail({ErrorKind::environment, "the device gave no counter for any figure",
                 "agree --random", "see `warpscope doctor`"});
  return counts.differ > 0 || !wrong.empty() ? 1 : 0;
}

}  // namespace warpscope
