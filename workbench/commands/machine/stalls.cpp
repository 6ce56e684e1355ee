// workbench/commands/machine/stalls.cpp: why the warps of a kernel wait: sampled on a device, or
// modelled.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <utility>

#include "profiling/stalls/stall_export.h"
#include "profiling/stalls/stall_points.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/machine/asked_jobs.h"

namespace warpscope {
namespace {

struct StallOptions {
  EngineChoice engine;
  AskedKernel kernel;
  std::string step, session, csv;
  bool modelled = false, no_counters = false, json = false;
};

// error: what the engine says; `status` of a job that failed.
tl::expected<void, JobsFailure> emulate(const StallOptions& options, std::vector<Job> jobs,
                                        Session& session, SessionFile* file) {
  for (Job& job : jobs) {
    TraceJob asked;
    if (const auto* of_file = job.as<TraceJob>(); of_file != nullptr && job.user) asked = *of_file;
    asked.grid = false;
    if (!job.user) asked.sample_instructions = kUsualSampleInstructions;
    asked.step = options.step;
    asked.code = TracedCode::machine_code;
    asked.dependencies = true;
    job.work = std::move(asked);
  }
  return run_jobs(emulator_command(options.engine), std::move(jobs), session, file);
}

// Samples, then counters, in two engines: a process cannot do both.
tl::expected<void, JobsFailure> measure(const StallOptions& options, const std::vector<Job>& jobs,
                                        Session& session, SessionFile* file) {
  EngineChoice sampling = options.engine;
  sampling.samples = true;
  const MeasureJob samples{.counters = std::string(kStallSampleSet), .time = false};
  const auto sampled = run_jobs(engine_command(sampling), with_work(jobs, samples), session, file);
  if (!sampled || options.no_counters) return sampled;
  const MeasureJob counters{.counters = kStallLevelCounters, .time = false};
  // Without counters the samples are still there: the report then says nothing of the levels.
  if (auto counted =
          run_jobs(engine_command(options.engine), with_work(jobs, counters), session, file);
      !counted && counted.error().interrupted) {
    if (file != nullptr)
      counted.error().error.what = "cancelled: the file of --session has the samples, no counters";
    return counted;
  }
  return {};
}

enum class WaitsOf { device, session, model };

bool has_samples(const Session& session) {
  for (const Measurement* point : session.all_points()) {
    for (const StepRecord& step : point->steps) {
      if (step.samples.runs > 0) return true;
    }
  }
  return false;
}

int show(const StallOptions& options, const Session& traced, const Session& measured,
         bool modelled) {
  std::vector<std::pair<const Trace*, StallReport>> reports;
  int status = 0;
  for (const Trace* trace : traced.traces()) {
    Result<StallReport> report =
        modelled ? stall_report({*trace}) : sampled_report(measured, *trace);
    if (!report) {
      status = fail(report.error());
      continue;
    }
    reports.emplace_back(trace, std::move(*report));
  }
  const bool csv_alone = options.csv == "-";
  bool first = true;
  std::vector<StallCsvSource> rows;
  for (const auto& [trace, report] : reports) {
    if (options.json) {
      std::printf("%s\n", stall_json(report, *trace).c_str());
    } else if (!csv_alone) {
      std::printf("%s%s", first ? "" : "\n", visible(stall_text(report, *trace)).c_str());
    }
    first = false;
    rows.push_back({trace->scene, trace->variant, trace->key, *trace, report});
  }
  if (!options.csv.empty()) {
    if (Result<void> written = write_file(options.csv, stall_csv(rows)); !written)
      return fail(written.error());
  }
  return status;
}

// Where samples come from: the device, else the session that is given.
Result<WaitsOf> origin_of(const StallOptions& options, bool measurable, Session& recorded) {
  if (options.modelled) return WaitsOf::model;
  if (measurable) {
    EngineChoice sampling = options.engine;
    sampling.samples = true;
    const Result<bool> device = device_answers(sampling);
    if (!device) return tl::unexpected(device.error());
    if (*device) return WaitsOf::device;
  }
  if (options.session.empty()) return WaitsOf::model;
  Result<SessionReading> reading = read_session(options.session);
  if (!reading) return tl::unexpected(reading.error());
  recorded = std::move(reading->session);
  if (!has_samples(recorded))
    return failure(ErrorKind::environment, "there is no GPU here, and the session has no samples",
                   options.session,
                   "take samples on a machine with a GPU, or give --modelled without --session");
  return WaitsOf::session;
}

int run_stalls(const StallOptions& options) {
  if (options.kernel.what.empty())
    return fail({ErrorKind::usage, "name a variant or a file", "stalls",
                 "give SCENE/VARIANT, or a file with kernels"});
  if (options.json && options.csv == "-")
    return fail({ErrorKind::usage, "both --json and --csv - write to standard output", "--csv",
                 "give --csv the name of a file"});
  const auto catalogue = program_catalogue();
  const Result<AskedJobs> asked = asked_jobs(*catalogue, options.kernel, options.engine);
  if (!asked) return fail(asked.error());
  Session measured(catalogue);
  const Result<WaitsOf> origin = origin_of(options, asked->measurable, measured);
  if (!origin) return fail(origin.error());
  Result<std::unique_ptr<SessionFile>> file =
      session_option(*origin == WaitsOf::session ? "" : options.session, catalogue);
  if (!file) return fail(file.error());
  Session traced(catalogue);
  if (const auto ran = emulate(options, asked->jobs, traced, file->get()); !ran)
    return fail_jobs(ran.error());
  if (const int wrong = status_of_jobs(traced); wrong != 0) return wrong;
  if (*origin == WaitsOf::device) {
    if (const auto ran = measure(options, asked->jobs, measured, file->get()); !ran)
      return fail_jobs(ran.error());
    if (const int wrong = status_of_jobs(measured); wrong != 0) return wrong;
  }
  const bool modelled = *origin == WaitsOf::model;
  if (modelled && !options.modelled)
    std::fprintf(stderr, "warpscope: %s, so the waits are modelled\n",
                 asked->measurable ? "there is no GPU here to sample on"
                                   : "the file cannot be a scene, which alone is sampled");
  return show(options, traced, measured, modelled);
}

}  // namespace

void declare_stalls(CLI::App& command, int& status) {
  auto options = std::make_shared<StallOptions>();
  command.add_option("kernel", options->kernel.what,
                     "SCENE/VARIANT; a scene or folder with one variant; or a file with kernels");
  command.add_option("axes", options->kernel.axes,
                     "axis=value; with --launch: a value of its [let]");
  command.add_option("--step", options->step, "only this step of the variant");
  command.add_flag("--modelled", options->modelled,
                   "model the waits from the emulated run, even if there is a GPU");
  command.add_flag("--no-counters", options->no_counters,
                   "take samples alone; the level that answers loads is then not known");
  command.add_option("--session", options->session,
                     "append everything to this .wsj file; without a GPU: read its samples");
  command.add_option("--block", options->kernel.block, "with a file: the block's shape x,y,z");
  command.add_option("--grid", options->kernel.grid, "with a file: the grid's shape x,y,z");
  declare_file_trace(command, options->kernel.file);
  declare_engine_options(command, options->engine);
  command.add_option("--csv", options->csv,
                     "write the waits of each instruction as CSV; - for standard output");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_stalls(*options); });
}

}  // namespace warpscope
