// workbench/commands/machine/warps.cpp: what the warps of a kernel do and when, recorded by probes.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "profiling/warps/warp_export.h"
#include "scenes/host/program.h"
#include "scenes/host/write_file.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/commands/commands.h"
#include "workbench/commands/machine/asked_jobs.h"

namespace warpscope {
namespace {

struct WarpOptions {
  EngineChoice engine;
  AskedKernel kernel;
  WarpsJob work;
  bool no_waits = false, no_barriers = false, no_loops = false;
  std::string session, csv, trace;
  bool json = false;
};

Result<void> write_parts(const std::string& path,
                         const std::function<void(const TextSink& write)>& make) {
  return write_file(path, [&](const TextSink& write) -> Result<void> {
    make(write);
    return {};
  });
}

// Those of the variants that are asked for, at any configuration of a recorded session.
std::vector<const WarpTimeline*> asked_timelines(const WarpOptions& options, const Session& session,
                                                 const std::vector<Job>& jobs) {
  std::vector<const WarpTimeline*> timelines = session.outcomes().warp_timelines();
  std::erase_if(timelines, [&](const WarpTimeline* t) {
    const bool asked = std::any_of(jobs.begin(), jobs.end(), [&](const Job& job) {
      return job.scene == t->scene && job.variant == t->variant;
    });
    return !asked || (!options.work.step.empty() && t->step != options.work.step);
  });
  return timelines;
}

int show(const WarpOptions& options, const std::vector<const WarpTimeline*>& timelines) {
  const bool csv_alone = options.csv == "-";
  for (const WarpTimeline* t : timelines) {
    if (options.json) {
      std::printf("%s\n", warps_json(*t).c_str());
    } else if (!csv_alone) {
      std::printf("%s%s", t == timelines.front() ? "" : "\n", visible(warps_text(*t)).c_str());
    }
  }
  if (!options.csv.empty()) {
    const Result<void> written =
        write_parts(options.csv, [&](const TextSink& write) { write_warps_csv(timelines, write); });
    if (!written) return fail(written.error());
  }
  if (!options.trace.empty()) {
    const Result<void> written = write_parts(
        options.trace, [&](const TextSink& write) { write_warps_trace(timelines, write); });
    if (!written) return fail(written.error());
  }
  return 0;
}

// Without a GPU: what a session has of the variant.
int show_recorded(const WarpOptions& options, const std::vector<Job>& jobs) {
  if (options.session.empty()) {
    return fail({ErrorKind::environment, "warps are recorded on a GPU, and there is none here",
                 options.kernel.what,
                 "record on a machine with a GPU (--host, or --session there), and read the file "
                 "here with --session"});
  }
  Result<SessionReading> reading = read_session(options.session);
  if (!reading) return fail(reading.error());
  const std::vector<const WarpTimeline*> timelines =
      asked_timelines(options, reading->session, jobs);
  if (timelines.empty()) {
    return fail({ErrorKind::environment,
                 "there is no GPU here, and the session has no warps of this variant",
                 options.session,
                 "record them on a machine with a GPU: warpscope warps SCENE/VARIANT --session "
                 "FILE"});
  }
  return show(options, timelines);
}

int run_warps(WarpOptions options) {
  if (options.kernel.what.empty()) {
    return fail({ErrorKind::usage, "name a variant or a file", "warps",
                 "give SCENE/VARIANT, or a file with kernels"});
  }
  if (options.json && options.csv == "-") {
    return fail({ErrorKind::usage, "both --json and --csv - write to standard output", "--csv",
                 "give --csv the name of a file"});
  }
  options.work.waits = !options.no_waits;
  options.work.barriers = !options.no_barriers;
  options.work.loops = !options.no_loops;
  const auto catalogue = program_catalogue();
  const Result<AskedJobs> asked = asked_jobs(*catalogue, options.kernel, options.engine);
  if (!asked) return fail(asked.error());
  if (!asked->measurable) {
    return fail({ErrorKind::usage, "the file cannot be a scene, which alone is recorded",
                 options.kernel.what,
                 "make a folder of it with `warpscope new`, and name its variant"});
  }
  const Result<bool> device = device_answers(options.engine);
  if (!device) return fail(device.error());
  if (!*device) return show_recorded(options, asked->jobs);
  Result<std::unique_ptr<SessionFile>> file = session_option(options.session, catalogue);
  if (!file) return fail(file.error());
  Session session(catalogue);
  if (const auto ran = run_jobs(engine_command(options.engine),
                                with_work(asked->jobs, options.work), session, file->get());
      !ran)
    return fail_jobs(ran.error());
  if (const int wrong = status_of_jobs(session); wrong != 0) return wrong;
  if (session.outcomes().warp_timelines().empty()) {
    for (const Measurement* point : session.all_points())
      return fail(
          {ErrorKind::fault, point->verdict.sentence, options.kernel.what, point->verdict.remedy});
  }
  return show(options, asked_timelines(options, session, asked->jobs));
}

}  // namespace

void declare_warps(CLI::App& command, int& status) {
  auto options = std::make_shared<WarpOptions>();
  AskedKernel& kernel = options->kernel;
  command.add_option("kernel", kernel.what,
                     "SCENE/VARIANT; a scene or folder with one variant; or a file with kernels");
  command.add_option("axes", kernel.axes, "axis=value; with --launch: a value of its [let]");
  command.add_option("--step", options->work.step, "only this step of the variant");
  command.add_option("--line", options->work.lines, "also probe the instructions of these lines");
  command.add_flag("--no-waits", options->no_waits,
                   "no probes at mbarriers, asynchronous copies and wgmma");
  command.add_flag("--no-barriers", options->no_barriers, "no probes at barriers of a block");
  command.add_flag("--no-loops", options->no_loops, "no probes at loops");
  command.add_flag("--all", options->work.all,
                   "keep all probes, even if they make the kernel more than 5 % slower");
  command.add_option("--session", options->session,
                     "append everything to this .wsj file; without a GPU: read its warps");
  command.add_option("--block", kernel.block, "with a file: the block's shape x,y,z");
  command.add_option("--grid", kernel.grid, "with a file: the grid's shape x,y,z");
  declare_file_trace(command, kernel.file);
  declare_engine_options(command, options->engine);
  command.add_option("--csv", options->csv,
                     "write each span of each warp as CSV; - for standard output");
  command.add_option("--trace", options->trace, "write a trace that Perfetto opens");
  command.add_flag("--json", options->json, "print JSON");
  command.callback([options, &status] { status = run_warps(*options); });
}

}  // namespace warpscope
