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
#include "scenes/base/user_argument.h"
#include "scenes/host/input_file.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/kernel_file.h"
#include "workbench/commands/trace_text.h"

namespace warpscope {
namespace {

struct TraceOptions {
  EngineChoice engine;
  std::string what, step, session, csv, summary;
  std::vector<std::string> axes;
  // For a scene's variant: the block whose requests are kept, and whether sums cover the grid. For
  // a file: the launch shape.
  std::string block, grid, cluster;
  bool grid_given = false, cooperative = false;
  std::optional<std::int64_t> sample;  // warp instructions that a sample may take
  int warp = -1;
  bool json = false, measured = false;
  KernelFile file;
  std::string kernel;
  std::vector<std::string> arguments, variables;
  std::int64_t shared_bytes = 0;
};

Result<Dim3> shape_argument(const std::string& text, const char* option) {
  Dim3 shape;
  std::int64_t* extents[] = {&shape.x, &shape.y, &shape.z};
  std::size_t begin = 0;
  for (std::int64_t* extent : extents) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto parsed = std::from_chars(text.data() + begin, text.data() + end, *extent);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + end || *extent < 1) break;
    if (end == text.size()) return shape;
    begin = end + 1;
  }
  return failure(ErrorKind::usage, "“" + text + "” is not a launch shape", option,
                 "write x, x,y or x,y,z, for example 64,2");
}

// The job that traces a file of the person's own.
Result<Job> file_job(const TraceOptions& options) {
  Result<UserKernel> named = user_kernel(options.file);
  if (!named) return tl::unexpected(named.error());
  if (const auto good = parse_user_arguments(options.arguments); !good)
    return tl::unexpected(good.error());
  for (const std::string& text : options.variables) {
    if (const auto good = parse_user_variable(text); !good) return tl::unexpected(good.error());
  }
  UserKernel user = std::move(*named);
  user.variables = options.variables;
  user.entry = options.kernel;
  Result<Dim3> grid = shape_argument(options.grid.empty() ? "1" : options.grid, "--grid");
  if (!grid) return tl::unexpected(grid.error());
  Result<Dim3> block = shape_argument(options.block.empty() ? "32" : options.block, "--block");
  if (!block) return tl::unexpected(block.error());
  Result<Dim3> cluster =
      shape_argument(options.cluster.empty() ? "1" : options.cluster, "--cluster");
  if (!cluster) return tl::unexpected(cluster.error());
  user.launch = {*grid, *block, options.shared_bytes, *cluster, options.cooperative};
  if (const auto why = defect(user.launch))
    return failure(ErrorKind::usage, *why, "--grid and --block", "choose a smaller shape");
  constexpr std::int64_t kMostShared = 232448;  // of a block, compute capability 9.0
  if (options.shared_bytes > kMostShared)
    return failure(ErrorKind::usage, "no block can have so much shared memory", "--shared",
                   "choose at most " + std::to_string(kMostShared) + " bytes");
  if (Result<void> warp = check_warp(options.warp, user.launch); !warp)
    return tl::unexpected(warp.error());
  user.arguments = options.arguments;
  Job job;
  job.kind = JobKind::trace;
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  job.warp = options.warp;
  job.user = std::move(user);
  return job;
}

Result<Job> variant_job(const TraceOptions& options) {
  Result<SceneAndVariants> chosen = scene_argument(options.what);
  if (!chosen) return tl::unexpected(chosen.error());
  if (chosen->variants.size() != 1)
    return failure(ErrorKind::usage, "a trace needs exactly one variant", options.what,
                   "write SCENE/VARIANT; `warpscope list` names them");
  const auto axes = axis_arguments(options.axes);
  if (!axes) return tl::unexpected(axes.error());
  if (const Result<void> admitted = admit_own_axes(*chosen, *axes); !admitted)
    return tl::unexpected(admitted.error());
  const Scene& scene = *chosen->scene;
  Result<Configuration> configuration =
      with_values(scene.axes, default_configuration(scene.axes), *axes);
  if (!configuration) return tl::unexpected(configuration.error());
  Job job;
  job.kind = JobKind::trace;
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  job.scene = scene.name;
  job.variant = chosen->variants.front()->name;
  job.axes = *axes;
  // A variant of another operation is traced where it applies.
  if (const Variant& variant = *chosen->variants.front(); !applies(variant, *configuration)) {
    if (const auto elsewhere = where_applies(scene, variant, *configuration)) {
      for (const auto& [name, value] : elsewhere->values()) {
        if (value != configuration->at(name) && axes->count(name) == 0)
          job.axes[name] = to_text(value);
      }
    }
  }
  if (options.grid_given && options.sample)
    return failure(ErrorKind::usage, "--grid runs all blocks, --sample only some of them",
                   "--sample", "give one of the two");
  if (!options.grid.empty())
    return failure(ErrorKind::usage, "--grid takes no value for a scene's variant", options.grid,
                   "its launch shape follows from the axes");
  job.block = options.block.empty() ? "0" : options.block;
  job.warp = options.warp;
  // Counters sum over the grid.
  job.grid = options.grid_given || (options.measured && !options.sample);
  // One block alone where one is named; else as many as stand for the grid.
  if (!job.grid && (options.block.empty() || options.sample))
    job.sample_instructions = options.sample.value_or(kUsualSampleInstructions);
  job.step = options.step;
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
    job.kind = JobKind::measure;
    job.scene = traced.scene;
    job.variant = traced.variant;
    job.axes = traced.axes;
    job.counters = std::string(kLineCounterSet);
    job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
    job.time = false;
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

int run_trace(TraceOptions options) {
  // A file may be named in the place of a variant.
  std::error_code ignored;
  if (options.file.path.empty() && std::filesystem::is_regular_file(options.what, ignored))
    options.file.path = std::exchange(options.what, {});
  if (options.what.empty() == options.file.path.empty())
    return fail({ErrorKind::usage, "name exactly one thing to trace", "trace",
                 "give SCENE/VARIANT, or FILE --kernel NAME"});
  if (options.measured && !options.file.path.empty())
    return fail({ErrorKind::usage,
                 "--measured works for a scene's variant, not for a file of your own",
                 options.file.path, "leave --measured out"});
  const Result<Job> job = options.file.path.empty() ? variant_job(options) : file_job(options);
  if (!job) return fail(job.error());
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session);
  if (!file) return fail(file.error());
  Session session;
  const auto ran = run_jobs(emulator_command(options.engine), {*job}, session, file->get());
  if (!ran) return fail_jobs(ran.error());
  Session measured;
  std::optional<Error> not_measured;
  if (options.measured && !session.traces().empty())
    not_measured = measure_lines(options, *job, session, file->get(), measured);
  int status = 0;
  std::string csv, summary;
  for (const Trace* trace : session.traces()) {
    const Measurement* point =
        several_counted(measured, *trace) ? nullptr : counted_point(measured, *trace);
    const LineComparison comparison = compare_lines(trace, measured_lines(point, *trace));
    if (options.json) {
      std::printf("%s\n", to_line(*trace).c_str());
      if (options.measured)
        std::printf("%s\n", line_comparison_json(*trace, comparison, point).c_str());
    } else {
      print_trace(*trace);
      if (point != nullptr && !not_measured) print_comparison(*trace, comparison, *point);
    }
    if (!trace->faults.empty()) status = 1;
    for (const ReportTable& table : access_tables(*trace, measured_lines(point, *trace)))
      summary += options.summary.ends_with(".csv") ? csv_table(table) : markdown_table(table);
    const std::string rows = accesses_csv(*trace, {});
    csv += csv.empty() ? rows : rows.substr(std::min(rows.size(), rows.find('\n') + 1));
  }
  for (const auto& [path, text] :
       {std::pair(options.csv, csv), std::pair(options.summary, summary)}) {
    if (path.empty()) continue;
    if (Result<void> written = write_file(path, text); !written) return fail(written.error());
  }
  for (const auto& [number, submitted] : session.jobs()) {
    if (const auto done = session.done(number); done && done->error)
      return exit_status(done->error->kind);
  }
  return not_measured ? fail(*not_measured) : status;
}

}  // namespace

void declare_trace(CLI::App& command, int& status) {
  auto options = std::make_shared<TraceOptions>();
  command.add_option("variant", options->what, "SCENE/VARIANT, or a file as with --source");
  command.add_option("axes", options->axes, "axis=value");
  command.add_option(
      "--block", options->block,
      "x,y,z: run only this block and keep its requests; with --source: the block's shape");
  command
      .add_option("--warp", options->warp,
                  "keep only this warp's requests; by default those of all warps of the block, and "
                  "diagrams begin with the warp that makes most")
      ->check(CLI::NonNegativeNumber);
  CLI::Option* grid = command.add_option(
      "--grid", options->grid, "sums over the whole grid; with --source: the grid's shape x,y,z");
  grid->expected(0, 1);
  command
      .add_option(
          "--sample", options->sample,
          "run blocks of about this many warp instructions, and scale their sums to the grid "
          "with an interval (4000000 unless --block or --grid is given)")
      ->check(CLI::PositiveNumber);
  command.add_option("--step", options->step, "trace only this step");
  command.add_option("--source", options->file.path,
                     "a file of your own: .cu, .ptx, or a compiled one that has PTX (.fatbin, .o, "
                     ".a, .so, a program)");
  command.add_option("--kernel", options->kernel,
                     "its kernel, with template arguments if it has some: saxpy<float>; may be "
                     "left out if the file has only one");
  command.add_option(
      "--arg", options->arguments,
      "an argument, in order: f32[1024]:random, i32[64]:iota, f64[9]:zero, u8[8]:unset, i32:7; a "
      "structure by value: struct:{f32[64]:random,i32:64}, or its bytes: bytes:0x0700");
  command.add_option("--set", options->variables,
                     "a __constant__ or __device__ variable: table=f32[9]:random, scale=f32:2");
  declare_compiler_flags(command, options->file);
  command.add_option(
      "--cluster", options->cluster,
      "with --source: blocks per cluster x,y,z; a kernel declared __cluster_dims__ has its own");
  command.add_flag("--cooperative", options->cooperative,
                   "with --source: all blocks are resident and may wait for each other");
  command.add_option("--shared", options->shared_bytes, "bytes of dynamic shared memory")
      ->check(CLI::NonNegativeNumber);
  declare_engine_options(command, options->engine);
  command.add_flag(
      "--measured", options->measured,
      "add the device's counters of each line, from a GPU or from --session; sums over the grid");
  command.add_option("--session", options->session, "append the trace to this .wsj file");
  command.add_option("--csv", options->csv, "write the instructions as CSV");
  command.add_option("--summary", options->summary,
                     "write the cost of each access and the elements that its lanes access, as "
                     "tables: FILE.md or FILE.csv");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, grid, &status] {
    options->grid_given = grid->count() > 0;
    status = run_trace(*options);
  });
}

}  // namespace warpscope
