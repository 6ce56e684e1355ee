// workbench/commands/machine/sass.cpp: the machine code of a kernel, with figures of each
// instruction.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <utility>

#include "profiling/binaries/library_code.h"
#include "profiling/listings/machine_pipes.h"
#include "profiling/listings/machine_table.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/own_binary.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/files/file_trace.h"
#include "workbench/commands/files/scene_jobs.h"
#include "workbench/commands/trace_text.h"

namespace warpscope {
namespace {

struct SassOptions {
  EngineChoice engine;
  std::string what, step, csv, grid, block;
  std::vector<std::string> axes;
  std::pair<std::string, std::string> diff;  // instead of `what`
  std::int64_t sample = 0;
  int architecture = 0;  // of a listing without figures
  bool whole_grid = false, json = false;
  FileTraceOptions file;
};

// What one name of the command line is: traces of machine code, or tables without figures.
struct Shown {
  std::vector<Trace> traces;
  std::vector<SassTable> tables;
};

Result<void> refuse_library(const std::string& path) {
  const auto library = closed_library_of_file(path);
  if (!library) return {};
  return failure(ErrorKind::usage,
                 "the file is " + *library + ", which NVIDIA's terms forbid to disassemble", path,
                 "name a file of your own, or measure the library's kernels");
}

// A compiled file without a launch is listed, not run.
bool is_listed_alone(const SassOptions& options, const std::string& what) {
  return options.file.arguments.empty() && options.file.launch_file.empty() &&
         kind_of_file(what) != BinaryKind::none;
}

// Options that need a run, or a file, and would do nothing here.
Result<void> refuse_ignored(const SassOptions& options, const std::string& what) {
  const bool outputs =
      !options.file.outs.empty() || !options.file.expects.empty() || !options.file.prints.empty();
  if (is_listed_alone(options, what) && (outputs || options.sample > 0))
    return failure(ErrorKind::usage, "a compiled file without --arg is listed and does not run",
                   outputs ? "--print, --expect, --out" : "--sample",
                   "give its arguments with --arg, or leave the option out");
  if (outputs && !is_kernel_file(what) && options.file.launch_file.empty())
    return failure(ErrorKind::usage, "--print, --expect and --out are for a kernel of a file", what,
                   "leave them out: warpscope verify compares a variant's outputs");
  return {};
}

// The highest architecture that the file has, unless one is asked for.
Result<int> listed_architecture(const SassOptions& options, const std::string& path) {
  if (options.architecture != 0) return options.architecture;
  const Result<BinaryFile> file = read_own_binary(path);
  if (!file) return tl::unexpected(file.error());
  if (file->machine.empty())
    return failure(ErrorKind::input, "the file has no machine code", path,
                   "compile it with nvcc -arch=sm_90, or name its source");
  return std::max_element(file->machine.begin(), file->machine.end())->compute_capability;
}

Result<Job> listing_job(const SassOptions& options, const std::string& path) {
  const Result<int> architecture = listed_architecture(options, path);
  if (!architecture) return tl::unexpected(architecture.error());
  KernelFile file = options.file.file;
  file.path = path;
  Result<UserKernel> user = user_kernel(file);
  if (!user) return tl::unexpected(user.error());
  user->entry = options.file.kernel;
  Job job;
  job.work = ListingJob{"", {*architecture}};
  job.user = std::move(*user);
  job.hang_limit_s = options.engine.limit_s.value_or(job.hang_limit_s);
  return job;
}

Result<Job> traced_job(Catalogue& catalogue, const SassOptions& options, const std::string& what) {
  FileTraceOptions file = options.file;
  const bool of_file = is_kernel_file(what) || !file.launch_file.empty();
  TraceJob asked;
  Job job;
  if (of_file) {
    if (options.sample > 0)
      return failure(ErrorKind::usage, "a file's kernel runs with all its blocks", "--sample",
                     "leave out --sample, which is for the variants of scenes");
    file.program = file.arguments.empty() && file.launch_file.empty();
    file.file.path = what;
    file.values = options.axes;
    file.grid = options.grid;
    file.block = options.block;
    Result<FileTrace> made = file_trace(file, options.engine);
    if (!made) return tl::unexpected(made.error());
    job = std::move(made->job);
    asked = *job.as<TraceJob>();
  } else {
    Result<Job> made = job_of_variant(catalogue, what, options.axes, options.engine);
    if (!made) return made;
    job = std::move(*made);
    asked.step = options.step;
    asked.grid = options.whole_grid;
    if (!asked.grid)
      asked.sample_instructions = options.sample > 0 ? options.sample : kUsualSampleInstructions;
  }
  asked.code = TracedCode::machine_code;
  asked.live_registers = true;
  job.work = std::move(asked);
  return job;
}

// Runs the job of one name. error: what it says; `status` is that of a failed job.
tl::expected<Shown, JobsFailure> shown_of(const std::shared_ptr<Catalogue>& catalogue,
                                          const SassOptions& options, const std::string& what,
                                          int& status) {
  const bool alone = is_listed_alone(options, what);
  Result<void> allowed =
      refuse_library(what).and_then([&] { return refuse_ignored(options, what); });
  Result<Job> job = !allowed ? Result<Job>(tl::unexpected(allowed.error()))
                    : alone  ? listing_job(options, what)
                             : traced_job(*catalogue, options, what);
  if (!job) return tl::unexpected(JobsFailure{job.error()});
  Session session(catalogue);
  Shown shown;
  const auto ran = run_jobs(emulator_command(options.engine), {std::move(*job)}, session, nullptr,
                            [&](const Message& message) {
                              if (const auto* listing = std::get_if<Listing>(&message))
                                shown.tables.push_back(machine_table(*listing));
                            });
  if (!ran) return tl::unexpected(ran.error());
  for (const Trace* trace : session.traces()) {
    shown.tables.push_back(machine_table(*trace));
    shown.traces.push_back(*trace);
  }
  for (const auto& [number, submitted] : session.jobs()) {
    if (const auto done = session.done(number); done && done->error)
      status = exit_status(done->error->kind);
  }
  return shown;
}

void print_faults(const Shown& shown) {
  for (const Trace& trace : shown.traces) {
    for (const Fault& fault : trace.faults)
      std::fprintf(stderr, "warpscope: %s\n", visible_name(fault.sentence).c_str());
  }
}

bool has_wrong_output(const Trace& trace) {
  return std::any_of(trace.outputs.begin(), trace.outputs.end(),
                     [](const TracedOutput& output) { return output.wrong; });
}

int show_one(const std::shared_ptr<Catalogue>& catalogue, const SassOptions& options) {
  int status = 0;
  const auto shown = shown_of(catalogue, options, options.what, status);
  if (!shown) return fail_jobs(shown.error());
  const auto& traces = shown->traces;
  for (std::size_t k = 0; k < shown->tables.size(); ++k) {
    const SassTable& table = shown->tables[k];
    if (!options.json) {
      std::printf("%s%s", k == 0 ? "" : "\n", visible(machine_table_text(table)).c_str());
      if (k < traces.size()) std::printf("\n%s", pipe_table_text(traces[k]).c_str());
    } else if (table.has_figures && k < traces.size()) {
      // The trace as sessions have it, and what is derived from it.
      std::string line = to_line(traces[k]);
      line.pop_back();
      std::printf("%s,\"pipes\":%s}\n", line.c_str(), pipes_json(traces[k]).c_str());
    } else {
      std::printf("%s\n", machine_table_json(table).c_str());
    }
  }
  std::vector<const Trace*> ran;
  for (const Trace& trace : traces) ran.push_back(&trace);
  const bool wrong_output = options.json
                                ? std::any_of(traces.begin(), traces.end(), has_wrong_output)
                                : print_outputs(ran);
  print_faults(*shown);
  if (status == 0) status = wrong_output ? 1 : status_of_faults(ran);
  if (options.csv.empty()) return status;
  const Result<void> written = write_file(options.csv, machine_table_csv(shown->tables));
  return written ? status : fail(written.error());
}

int show_difference(const std::shared_ptr<Catalogue>& catalogue, const SassOptions& options) {
  int status = 0;
  std::vector<Shown> sides;
  for (const std::string& what : {options.diff.first, options.diff.second}) {
    auto shown = shown_of(catalogue, options, what, status);
    if (!shown) return fail_jobs(shown.error());
    print_faults(*shown);
    if (status != 0) return status;
    sides.push_back(std::move(*shown));
  }
  const std::size_t common = std::min(sides[0].tables.size(), sides[1].tables.size());
  if (common == 0)
    return fail({ErrorKind::input, "there is no machine code to compare", options.diff.first,
                 "name kernels that can be traced"});
  for (std::size_t k = 0; k < common; ++k)
    std::printf("%s%s", k == 0 ? "" : "\n",
                visible(machine_diff_text(sides[0].tables[k], sides[1].tables[k])).c_str());
  if (sides[0].tables.size() != sides[1].tables.size())
    std::printf("\nA has %zu kernels and B %zu: the others are not compared\n",
                sides[0].tables.size(), sides[1].tables.size());
  return 0;
}

int run_sass(SassOptions options) {
  const bool two = !options.diff.first.empty();
  // With --diff, what stands in front of it is an axis.
  if (two && options.what.find('=') != std::string::npos)
    options.axes.insert(options.axes.begin(), std::exchange(options.what, ""));
  if (options.what.empty() != two)
    return fail({ErrorKind::usage, "name exactly one thing to list, or two with --diff", "sass",
                 "give SCENE/VARIANT, a file with kernels, or --diff A B"});
  if (two && (options.json || !options.csv.empty()))
    return fail({ErrorKind::usage, "--diff is printed as text only",
                 options.json ? "--json" : "--csv", "leave it out, or list each kernel alone"});
  if (options.whole_grid && options.grid.empty() && options.sample > 0)
    return fail({ErrorKind::usage, "--grid runs all blocks, --sample only some of them", "--sample",
                 "give one of the two"});
  const auto catalogue = program_catalogue();
  return two ? show_difference(catalogue, options) : show_one(catalogue, options);
}

}  // namespace

void declare_sass(CLI::App& command, int& status) {
  auto options = std::make_shared<SassOptions>();
  command.add_option("kernel", options->what,
                     "SCENE/VARIANT, or a file with kernels: a .cu, a .ptx, a cubin, a library or "
                     "a program");
  command.add_option("axes", options->axes, "axis=value; with --launch: a value of its [let]");
  command
      .add_option(
          "--diff", options->diff,
          "two kernels in place of one: what each executes, and their instructions side by side")
      ->type_name("TEXT");
  command.add_option("--step", options->step, "only this step of the variant");
  command.add_option("--block", options->block, "with a file: the block's shape x,y,z");
  CLI::Option* grid = command.add_option(
      "--grid", options->grid,
      "run every block of the grid; with a file and a value: the grid's shape x,y,z");
  grid->expected(0, 1);
  command
      .add_option("--sample", options->sample,
                  "run blocks of about this many warp instructions, and scale their sums to the "
                  "grid (4000000 unless --grid is given)")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--arch", options->architecture,
                  "with a compiled file: list the code for this compute capability, such as 80")
      ->check(CLI::PositiveNumber);
  declare_file_trace(command, options->file);
  declare_engine_options(command, options->engine);
  command.add_option("--csv", options->csv, "write the instructions as CSV");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, grid, &status] {
    options->whole_grid = grid->count() > 0;
    status = run_sass(*options);
  });
}

}  // namespace warpscope
