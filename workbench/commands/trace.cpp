// workbench/commands/trace.cpp: emulated accesses of a kernel by source line and by instruction.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "profiling/access/trace_view.h"
#include "profiling/agreement/line_comparison.h"
#include "profiling/agreement/trace_metrics.h"
#include "profiling/export/access_summary.h"
#include "profiling/findings/findings_export.h"
#include "scenes/base/user_argument.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/compiled_kernels.h"
#include "workbench/commands/files/file_trace.h"
#include "workbench/commands/files/scene_jobs.h"
#include "workbench/commands/trace_text.h"

namespace warpscope {
namespace {

struct TraceOptions {
  EngineChoice engine;
  std::string what, step, session, csv, summary, sarif;
  std::vector<std::string> axes;
  // For a scene's variant: the block whose requests are kept, and whether sums cover the grid. For
  // a file: the launch shape.
  std::string block, grid;
  bool grid_given = false;
  TracedCode code = TracedCode::best;
  std::optional<std::int64_t> sample;  // warp instructions that a sample may take
  int warp = -1;
  bool json = false, measured = false;
  FileTraceOptions file;
};

// Whether a file of the person's own is traced; what the command line says of it.
bool take_file(TraceOptions& options) {
  FileTraceOptions& file = options.file;
  if (is_kernel_file(options.what) && file.file.path.empty()) {
    file.program = file.arguments.empty();
    file.file.path = options.what;
    options.what.clear();
  }
  if (!file.launch_file.empty() && !options.what.empty()) {
    options.axes.insert(options.axes.begin(), options.what);  // n=1000
    options.what.clear();
  }
  file.values = options.axes;
  file.grid = options.grid;
  file.block = options.block;
  file.warp = options.warp;
  return !file.file.path.empty() || !file.launch_file.empty();
}

Result<Job> variant_job(Catalogue& catalogue, const TraceOptions& options) {
  Result<Job> job = job_of_variant(catalogue, options.what, options.axes, options.engine);
  if (!job) return job;
  if (options.grid_given && options.sample)
    return failure(ErrorKind::usage, "--grid runs all blocks, --sample only some of them",
                   "--sample", "give one of the two");
  if (!options.grid.empty())
    return failure(ErrorKind::usage, "--grid takes no value for a scene's variant", options.grid,
                   "its launch shape follows from the axes");
  TraceJob asked;
  asked.block = options.block.empty() ? "0" : options.block;
  asked.warp = options.warp;
  // Counters sum over the grid.
  asked.grid = options.grid_given || (options.measured && !options.sample);
  // One block alone where one is named; else as many as stand for the grid.
  if (!asked.grid && (options.block.empty() || options.sample))
    asked.sample_instructions = options.sample.value_or(kUsualSampleInstructions);
  asked.step = options.step;
  asked.code = options.code;
  job->work = std::move(asked);
  return job;
}

bool counted(const Measurement& m, const Trace& trace) {
  const LineCounters* lines = measured_lines(&m, trace);
  return lines != nullptr && !lines->rows.empty();
}

// If there are several devices, the one that counted by line: see several_counted.
const Measurement* counted_point(const Session& measured, const Trace& trace) {
  const Measurement* point = nullptr;
  for (const Measurement* other : measured.points_at(trace.scene, trace.variant, trace.key)) {
    const auto worth = [&](const Measurement* m) {
      return std::pair(counted(*m, trace), m->conditions.date);
    };
    if (point == nullptr || worth(other) > worth(point)) point = other;
  }
  return point;
}

// Two cards' counters are two answers: the person says which.
std::optional<Error> several_counted(const Session& measured, const Trace& trace) {
  std::string devices;
  int count = 0;
  for (const Measurement* m : measured.points_at(trace.scene, trace.variant, trace.key)) {
    if (!counted(*m, trace)) continue;
    devices += (count++ == 0 ? "" : ", ") + to_text(device_of(m->conditions));
  }
  if (count < 2) return std::nullopt;
  return Error{ErrorKind::usage, "several devices counted this point by source line",
               trace.scene + "/" + trace.variant + " at " + trace.key,
               "choose one with --device-uuid: " + devices};
}

// Counts by source line on the device of this machine or of --host, where there is one, else reads
// what the session file has; returns why there is nothing of `trace`, or nothing.
std::optional<Error> measure_lines(const TraceOptions& options, const Job& traced,
                                   const Session& session, SessionFile* file, Session& measured) {
  const Result<bool> device = device_answers(options.engine);
  if (!device) return device.error();
  if (*device) {
    Job job;
    job.work = MeasureJob{.counters = std::string(kLineCounterSet), .time = false};
    job.scene = traced.scene;
    job.variant = traced.variant;
    job.axes = traced.axes;
    job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
    if (const auto ran = run_jobs(engine_command(options.engine), {job}, measured, file); !ran)
      return ran.error().error;
  } else if (!options.session.empty()) {
    Result<Session> recorded = read_session(options.session).map([](SessionReading&& reading) {
      return std::move(reading.session);
    });
    if (!recorded) return recorded.error();
    measured = std::move(*recorded);
    if (!options.engine.device_uuid.empty()) {
      const Result<std::string> device = find_device(measured, options.engine.device_uuid);
      if (!device) return device.error();
      measured.keep_device(*device);
    }
  }
  for (const Trace* trace : session.traces()) {
    if (auto several = several_counted(measured, *trace)) return several;
    const Measurement* point = counted_point(measured, *trace);
    const LineComparison comparison = compare_lines(trace, measured_lines(point, *trace));
    if (comparison.reason.empty()) continue;
    if (point != nullptr && point->verdict.outcome != Outcome::correct)
      return Error{ErrorKind::environment, "it was not counted: " + point->verdict.sentence,
                   trace->scene + "/" + trace->variant, point->verdict.remedy};
    const std::string where = trace->scene + "/" + trace->variant + " at " + trace->key;
    if (point != nullptr && measured_lines(point, *trace) != nullptr &&
        !measured_lines(point, *trace)->missing.empty())
      return Error{ErrorKind::environment, comparison.reason, where, comparison.remedy};
    return Error{ErrorKind::environment,
                 options.session.empty()
                     ? "there is no GPU here to count by source line"
                     : "the session has no counters by source line of this point",
                 where,
                 "on a machine with a GPU run `warpscope measure " + trace->scene + "/" +
                     trace->variant + " … --counters lines --session F`, then give --session F"};
  }
  return std::nullopt;
}

void print_faults_first(const std::vector<const Trace*>& traces) {
  std::vector<std::pair<const Trace*, FindingList>> lists;
  for (const Trace* trace : traces) lists.emplace_back(trace, findings_of(*trace));
  const auto is_wrong = [](const auto& list) {
    return !list.second.findings.empty() &&
           list.second.findings.front().severity == FindingSeverity::error;
  };
  std::stable_partition(lists.begin(), lists.end(), is_wrong);
  // Launches without a finding are passed over, unless none has any.
  const bool none = std::all_of(lists.begin(), lists.end(),
                                [](const auto& list) { return list.second.findings.empty(); });
  if (none && !lists.empty()) lists.resize(1);
  for (const auto& [trace, list] : lists) {
    if (list.findings.empty() && lists.size() > 1) continue;
    if (lists.size() > 1) std::printf("%s: ", visible_name(launch_name(*trace)).c_str());
    print_findings(list);
  }
}

void print_file(const std::vector<const Trace*>& traces, const FileTrace& file) {
  print_faults_first(traces);
  print_launches(traces);
  print_read(file);
  for (const Trace* trace : traces) print_accesses(*trace);
}

// What the command line asks for. error: usage, input.
Result<FileTrace> asked_trace(Catalogue& catalogue, TraceOptions& options, bool& of_file) {
  of_file = take_file(options);
  if (options.what.empty() != of_file)
    return failure(ErrorKind::usage, "name exactly one thing to trace", "trace",
                   "give SCENE/VARIANT, a file with kernels, or --source FILE --kernel NAME");
  if (options.measured && of_file)
    return failure(ErrorKind::usage,
                   "--measured works for a scene's variant, not for a file of your own",
                   options.file.file.path, "leave --measured out");
  if (of_file) {
    return file_trace(options.file, options.engine).map([&](FileTrace&& trace) {
      trace.job.as<TraceJob>()->code = options.code;
      return std::move(trace);
    });
  }
  return variant_job(catalogue, options).map([](Job&& job) {
    return FileTrace{std::move(job), {}, {}};
  });
}

// Prints the traces of a file; returns 1 if an output is wrong.
int print_own(const TraceOptions& options, const FileTrace& asked, const Session& session) {
  for (const LogLine& line : session.log()) {
    if (line.level == "warning")
      std::fprintf(stderr, "warpscope: %s\n", visible_name(line.text).c_str());
  }
  if (options.json) return 0;
  print_file(session.traces(), asked);
  return print_outputs(session.traces()) ? 1 : 0;
}

// The status of the first job that ended with an error; 0: none did.
int status_of_jobs(const Session& session) {
  for (const auto& [number, submitted] : session.jobs()) {
    if (const auto done = session.done(number); done && done->error)
      return exit_status(done->error->kind);
  }
  return 0;
}

int run_trace(TraceOptions options) {
  bool of_file = false;
  const std::string& named = options.what.empty() ? options.file.file.path : options.what;
  if (!has_emulated_machine_code(named) && list_machine_code_alone(named, options.json))
    return exit_status(ErrorKind::input);
  const auto catalogue = program_catalogue();
  const Result<FileTrace> asked = asked_trace(*catalogue, options, of_file);
  if (!asked) return fail(asked.error());
  const Job& job = asked->job;
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  const auto ran = run_jobs(emulator_command(options.engine), {job}, session, file->get());
  if (!ran) return fail_jobs(ran.error());
  if (of_file && *file != nullptr) {
    Session shown(catalogue);
    const std::vector<Job> as_scene = scene_jobs(*catalogue, job);
    if (!as_scene.empty())
      static_cast<void>(run_jobs(emulator_command(options.engine), as_scene, shown, file->get()));
  }
  Session measured(catalogue);
  std::optional<Error> not_measured;
  if (options.measured && !session.traces().empty())
    not_measured = measure_lines(options, job, session, file->get(), measured);
  int status = of_file ? print_own(options, *asked, session) : 0;
  std::string csv, summary;
  std::vector<SarifLaunch> launches;
  for (const Trace* trace : session.traces()) {
    launches.push_back({launch_name(*trace), findings_of(*trace)});
    const FindingList& findings = launches.back().list;
    const Measurement* point =
        several_counted(measured, *trace) ? nullptr : counted_point(measured, *trace);
    const LineComparison comparison = compare_lines(trace, measured_lines(point, *trace));
    if (options.json) {
      std::printf("%s\n", with_findings(to_line(*trace), findings).c_str());
      if (options.measured)
        std::printf("%s\n", line_comparison_json(*trace, comparison, point).c_str());
    } else {
      if (!of_file) print_trace(*trace, findings);
      if (point != nullptr && !not_measured) print_comparison(*trace, comparison, *point);
    }
    for (const TracedOutput& output : trace->outputs) status = output.wrong ? 1 : status;
    for (const ReportTable& table : access_tables(*trace, measured_lines(point, *trace)))
      summary += options.summary.ends_with(".csv") ? csv_table(table) : markdown_table(table);
    const std::string rows = accesses_csv(*trace, {});
    csv += csv.empty() ? rows : rows.substr(std::min(rows.size(), rows.find('\n') + 1));
  }
  const std::string sarif =
      options.sarif.empty() ? std::string() : sarif_text(launches, [&](const std::string& file) {
        return place_in_project(file, options.what);
      });
  for (const auto& [path, text] : {std::pair(options.csv, csv), std::pair(options.summary, summary),
                                   std::pair(options.sarif, sarif)}) {
    if (path.empty()) continue;
    if (Result<void> written = write_file(path, text); !written) return fail(written.error());
  }
  if (status == 0) status = status_of_faults(session.traces());
  if (const int wrong = status_of_jobs(session); wrong != 0) return wrong;
  return not_measured ? fail(*not_measured) : status;
}

}  // namespace

void declare_trace(CLI::App& command, int& status) {
  auto options = std::make_shared<TraceOptions>();
  command.add_option("variant", options->what,
                     "SCENE/VARIANT; a scene, folder or .wcap with one variant; or a file with "
                     "kernels: their launches are read from its host code, or given as with "
                     "--source");
  command.add_option("axes", options->axes, "axis=value; with --launch: a value of its [let]");
  command.add_option(
      "--block", options->block,
      "x,y,z: run only this block and keep its requests; with --source: the block's shape");
  command
      .add_option("--warp", options->warp,
                  "keep only this warp's requests; by default those of all warps of the block, and "
                  "diagrams begin with the warp that makes most")
      ->check(CLI::NonNegativeNumber);
  CLI::Option* grid = command.add_option(
      "--grid", options->grid,
      "run every block of the grid; with --source and a value: the grid's shape x,y,z");
  grid->expected(0, 1);
  command
      .add_option(
          "--sample", options->sample,
          "run blocks of about this many warp instructions, and scale their sums to the grid "
          "with an interval (4000000 unless --block or --grid is given)")
      ->check(CLI::PositiveNumber);
  command.add_option("--step", options->step, "trace only this step");
  declare_code(command, options->code);
  declare_file_trace(command, options->file);
  declare_engine_options(command, options->engine);
  command.add_flag(
      "--measured", options->measured,
      "add the device's counters of each line, as sums over the grid: counted by the GPU, or "
      "without a GPU read from the file of --session");
  command.add_option("--session", options->session,
                     "append the trace to this .wsj file; without a GPU, --measured reads its "
                     "counters from it");
  command.add_option("--csv", options->csv, "write the instructions as CSV");
  command.add_option("--summary", options->summary,
                     "write the cost of each access and the elements that its lanes access, as "
                     "tables: FILE.md or FILE.csv");
  command.add_option("--sarif", options->sarif,
                     "write the findings as SARIF 2.1.0, for editors and code review");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, grid, &status] {
    options->grid_given = grid->count() > 0;
    status = run_trace(*options);
  });
}

}  // namespace warpscope
