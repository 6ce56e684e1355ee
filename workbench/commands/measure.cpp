// workbench/commands/measure.cpp: measure, sweep, verify and roofs: jobs without a window.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/export/export.h"
#include "profiling/export/verdicts.h"
#include "profiling/plans/plan_file.h"
#include "profiling/points/derive.h"
#include "profiling/session/roof_join.h"
#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/job_order.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/compiled_kernels.h"
#include "workbench/commands/measured_table.h"
#include "workbench/commands/plans/distribution.h"
#include "workbench/commands/plans/requested_jobs.h"

namespace warpscope {
namespace {

struct MeasureOptions {
  EngineChoice engine;
  MeasureRequest request;
  DistributionOptions distribution;  // of a sweep
  std::string plan, session, csv, hard_case;
  bool missing = false, wide = false, json = false, roofs = false, hard = false;
};

// What one place made of the jobs: 1 where an output is wrong, which is said above all else; else
// why a job did not end, else 0.
int status_of(const Session& session) {
  if (has_findings(session)) return 1;
  int status = 0;
  for (const auto& [number, job] : session.jobs()) {
    const auto done = session.done(number);
    if (done && done->error) status = std::max(status, exit_status(done->error->kind));
  }
  return status;
}

int finish(const MeasureOptions& options, const Session& session) {
  if (!options.csv.empty()) {
    const std::string csv = options.wide ? wide_csv(session) : tidy_csv(session);
    if (Result<void> written = write_file(options.csv, csv); !written) return fail(written.error());
  }
  if (options.json) {
    std::printf("%s\n", points_json(session).c_str());
  } else {
    print_table(session);
  }
  return is_above_a_roof(session) ? 1 : status_of(session);
}

// On the emulator always, on the GPU where there is one. What was verified is written in any case.
int verify(const MeasureOptions& options, const std::shared_ptr<Catalogue>& catalogue,
           const std::vector<Job>& jobs, SessionFile* file) {
  Session emulated(catalogue), measured(catalogue);
  std::optional<Error> no_compiler;  // without which nothing of a scene runs
  const auto note_hello = [&no_compiler](const Message& message) {
    const auto* hello = std::get_if<Hello>(&message);
    const Capability* emulator = hello != nullptr ? find_capability(*hello, "emulator") : nullptr;
    if (emulator != nullptr && !emulator->available)
      no_compiler = Error{ErrorKind::environment, emulator->reason, "emulator", emulator->remedy};
  };
  const auto on_emulator =
      run_jobs(emulator_command(options.engine), jobs, emulated, file, note_hello);
  if (!on_emulator && emulated.all_points().empty()) return fail_jobs(on_emulator.error());
  if (!options.json) print_verdicts(emulated, "emulator");
  int status = on_emulator ? status_of(emulated) : fail_jobs(on_emulator.error());
  const bool cancelled = !on_emulator && on_emulator.error().interrupted;
  const Result<bool> device = cancelled ? Result<bool>(false) : device_answers(options.engine);
  if (cancelled) {
    // Neither starts anything more.
  } else if (!device) {
    status = std::max(status, fail(device.error()));
  } else if (*device) {
    const auto on_device = run_jobs(engine_command(options.engine), jobs, measured, file);
    if (!options.json) print_verdicts(measured, "GPU");
    status = std::max(status, on_device ? status_of(measured) : fail_jobs(on_device.error()));
  } else {
    const auto points = emulated.all_points();
    const bool ran = std::any_of(points.begin(), points.end(), [](const Measurement* point) {
      return point->verdict.outcome != Outcome::cannot_run;
    });
    if (!options.json)
      std::puts(ran ? "no GPU here: verified on the emulator alone"
                    : "nothing was verified: there is no GPU here, and the emulator cannot run it");
    if (!ran && no_compiler) status = std::max(status, fail(*no_compiler));
  }
  if (options.json)
    std::printf("{\"emulator\": %s, \"gpu\": %s}\n", points_json(emulated).c_str(),
                points_json(measured).c_str());
  if (!options.csv.empty()) {
    const std::string csv = verdict_csv({{"emulator", &emulated}, {"GPU", &measured}});
    if (Result<void> written = write_file(options.csv, csv); !written) return fail(written.error());
  }
  return has_findings(emulated) || has_findings(measured) ? 1 : status;
}

// One request, those of a plan, or one of each scene.
Result<std::vector<MeasureRequest>> requests_of(const MeasureOptions& options) {
  if (!options.plan.empty()) return read_requests(options.plan);
  if (auto counters = parse_counters(options.request.counters); !counters)
    return tl::unexpected(counters.error());
  if (!options.request.what.empty()) return std::vector<MeasureRequest>{options.request};
  std::vector<MeasureRequest> all;
  for (const Scene& scene : built_in_scenes()) {
    all.push_back(options.request);
    all.back().what = scene.name;
  }
  return all;
}

// What the file of --session holds before it is appended to.
Result<Session> session_so_far(const std::string& path,
                               const std::shared_ptr<Catalogue>& catalogue) {
  if (path.empty())
    return failure(ErrorKind::usage, "--missing needs a file to compare with", "--missing",
                   "name a file with --session");
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return Session(catalogue);
  Result<SessionReading> reading = read_sessions({path}, {.catalogue = catalogue});
  if (!reading) return tl::unexpected(reading.error());
  return std::move(reading->session);
}

int run_measure(const MeasureOptions& options, JobKind kind) {
  if (list_machine_code_alone(options.request.what, options.json))
    return exit_status(ErrorKind::input);
  if (options.hard || !options.hard_case.empty()) {
    if (!options.request.axes.empty())
      return fail({ErrorKind::usage, "a hard case sets its axes itself",
                   options.request.axes.front(), "leave out the axes, or --hard"});
    return run_verify_hard({options.engine, options.request.what, options.hard_case, options.csv,
                            options.session, options.json});
  }
  const auto catalogue = program_catalogue();
  const Result<std::vector<MeasureRequest>> requests = requests_of(options);
  if (!requests) return fail(requests.error());
  std::vector<Job> jobs;
  if (options.roofs) {
    Job job;
    job.work = RoofsJob{};
    job.scene = built_in_scenes().front().name;
    job.hang_limit_s = options.engine.limit_s.value_or(kRoofsLimitS);
    jobs.push_back(job);
  }
  std::vector<Job> points;
  for (const MeasureRequest& request : *requests) {
    const Result<SceneAndVariants> chosen = variants_argument(*catalogue, request.what);
    if (!chosen) return fail(chosen.error());
    if (Result<void> added = add_requested_jobs(request, options.engine, kind, *chosen, points);
        !added)
      return fail(added.error());
  }
  if (kind == JobKind::measure) points = in_measuring_order(*catalogue, std::move(points));
  if (options.missing) {
    const Result<Session> held = session_so_far(options.session, catalogue);
    if (!held) return fail(held.error());
    points = lacking(std::move(points), *held);
  }
  std::move(points.begin(), points.end(), std::back_inserter(jobs));
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  if (kind == JobKind::verify) return verify(options, catalogue, jobs, file->get());
  auto ran = run_jobs(engine_command(options.engine), std::move(jobs), session, file->get());
  if (!ran && session.all_points().empty()) return fail_jobs(ran.error());
  if (!ran && ran.error().interrupted && *file != nullptr)
    ran.error().error.remedy = "--missing measures what the file of --session lacks";
  const int status = finish(options, session);
  return ran ? status : fail_jobs(ran.error());
}

CLI::Option& declare_points(CLI::App& command, MeasureRequest& request, const char* scenes) {
  CLI::Option* what = command.add_option("scene", request.what, scenes);
  // A shell's variable that was not set is not the wish to measure everything.
  what->check([](const std::string& text) {
    return text.empty() ? std::string("it is empty; `warpscope list` names the scenes")
                        : std::string();
  });
  command.add_option("axes", request.axes, "axis=value, axis=a,b,c or axis=lo:hi:n");
  return *what;
}

// `distributed`: the command may run a plan on several devices.
void declare_jobs(CLI::App& command, int& status, JobKind kind, bool distributed = false) {
  auto options = std::make_shared<MeasureOptions>();
  if (kind == JobKind::measure) {
    CLI::Option& what = declare_measure_request(command, options->request);
    CLI::Option* plan = command.add_option(
        "--plan", options->plan,
        distributed
            ? "a plan of `warpscope plan`, with --devices, --chunk, --ssh or --slurm; without "
              "these, a list with one measurement per line"
            : "a list with one measurement per line; one engine measures all of them");
    what.excludes(plan);
    if (distributed) declare_distribution(command, options->distribution);
    command.add_flag("--missing", options->missing,
                     "only what the file of --session does not contain yet");
    command.add_flag("--roofs", options->roofs,
                     "compare times with the roofs, which are measured once per device and kept");
  } else {
    declare_points(command, options->request, "SCENE or SCENE/VARIANT,…; all scenes by default");
  }
  declare_engine_options(command, options->engine);
  if (kind == JobKind::verify) {
    command.add_flag("--hard", options->hard,
                     "emulate every variant at the hard cases of its scene: ragged sizes, odd "
                     "weights, contention, NaN and infinities, far addresses, ties");
    command.add_option("--case", options->hard_case, "one hard case, by its name");
  }
  command.add_option(distributed ? "--session,--out" : "--session", options->session,
                     "append everything to this .wsj file");
  command.add_option("--csv", options->csv,
                     kind == JobKind::verify ? "write the verdicts as CSV, one row per point"
                                             : "write the metrics as CSV");
  if (kind == JobKind::measure)
    command.add_flag("--wide", options->wide, "one CSV row per measurement");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status, kind] {
    if (is_distributed(options->distribution)) {
      PlannedSweep sweep;
      sweep.engine = options->engine;
      sweep.plan = options->plan;
      sweep.session = options->session;
      sweep.roofs = options->roofs;
      sweep.json = options->json;
      const bool alone = options->request.what.empty() && options->csv.empty();
      status = run_distributed(options->distribution, sweep, alone);
      return;
    }
    const bool nothing = options->request.what.empty() && options->plan.empty();
    if (kind == JobKind::measure && nothing) throw CLI::RequiredError("scene");
    status = run_measure(*options, kind);
  });
}

}  // namespace

CLI::Option& declare_measure_request(CLI::App& command, MeasureRequest& request) {
  CLI::Option& what = declare_points(command, request, "SCENE or SCENE/VARIANT,…");
  command.add_option("--counters", request.counters,
                     "none, or live, standard, full, lines and names joined by commas");
  command.add_flag("--cold-counters", request.cold_counters, "flush L2 before every counter pass");
  check_range(*command.add_option("--time-limit", request.time_limit_s,
                                  "seconds of sampling for cold and for warm caches"),
              0.01, 600);
  command.add_flag("--timeline", request.timeline, "capture a timeline of each point as well");
  static const std::map<std::string, ChooseBy> kChooseBy = {
      {"device", ChooseBy::device}, {"table", ChooseBy::table}, {"measure", ChooseBy::measure}};
  command
      .add_option_function<std::string>(
          "--choose", [&request](const std::string& name) { request.choose = kChooseBy.at(name); },
          "how automatic choices with fitted costs choose. table: the variant that their table "
          "lists for this configuration, else the one with the shortest predicted time; measure: "
          "the fastest of the six variants with the shortest predicted times, which are timed "
          "once and remembered; device, the default: the same as table if their table lists this "
          "configuration for a device of this name, else the same as measure")
      ->check(CLI::IsMember({"device", "table", "measure"}));
  return what;
}

void declare_measure(CLI::App& command, int& status) {
  declare_jobs(command, status, JobKind::measure);
}
void declare_sweep(CLI::App& command, int& status) {
  declare_jobs(command, status, JobKind::measure, true);
}
void declare_verify(CLI::App& command, int& status) {
  declare_jobs(command, status, JobKind::verify);
}

void declare_roofs(CLI::App& command, int& status) {
  struct Options {
    EngineChoice engine;
    std::string session;
    bool keep = false, json = false;
  };
  auto options = std::make_shared<Options>();
  declare_engine_options(command, options->engine);
  command.add_flag("--kept", options->keep,
                   "print the roofs that were measured before, if there are any");
  command.add_option("--session", options->session, "append them to this .wsj file");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] {
    Job job;
    job.work = RoofsJob{.fresh = !options->keep};
    job.scene = built_in_scenes().front().name;
    job.hang_limit_s = options->engine.limit_s.value_or(kRoofsLimitS);
    const auto catalogue = program_catalogue();
    Result<std::unique_ptr<SessionFile>> file = session_option(options->session, catalogue);
    Session session(catalogue);
    if (!file) {
      status = fail(file.error());
      return;
    }
    const auto ran = run_jobs(engine_command(options->engine), {job}, session, file->get());
    status = ran ? 0 : fail_jobs(ran.error());
    if (session.roofs() == nullptr) {
      if (ran) status = 3;
      return;
    }
    if (options->json) {
      std::printf("%s\n", roofs_json(*session.roofs()).c_str());
      return;
    }
    std::printf("%s, driver %s, toolkit %s, %s\n", session.roofs()->conditions.device.c_str(),
                session.roofs()->conditions.driver.c_str(),
                session.roofs()->conditions.toolkit.c_str(),
                session.roofs()->conditions.date.c_str());
    for (const Roof& roof : session.roofs()->roofs) {
      std::printf("%s%s%s%s\n", padded(label(roof), 22).c_str(),
                  padded(format_value(roof.value, roof.unit), 16).c_str(),
                  padded(roof.trusted ? "" : "NOT TRUSTED", roof.trusted ? 0 : 13).c_str(),
                  (roof.method + (roof.note.empty() ? "" : " (" + roof.note + ")")).c_str());
    }
  });
}

}  // namespace warpscope
