// workbench/commands/plans/distribution.cpp: options of `warpscope sweep` that run a plan on
// several devices or machines.
#include "workbench/commands/plans/distribution.h"

#include <CLI/CLI.hpp>
#include <tuple>

#include "workbench/options/shared_options.h"

namespace warpscope {

void declare_distribution(CLI::App& command, DistributionOptions& options) {
  command.add_option("--resume", options.resume,
                     "a plan that was begun: only points without an answer are measured");
  command.add_option("--chunk", options.chunk,
                     "with a plan: K/N, the K-th of N ranges of lines with equal expected time");
  command.add_option(
      "--devices", options.devices,
      "with a plan: all, numbers such as 0,1, or emulated,emulated; one engine each");
  command.add_option(
      "--ssh", options.ssh,
      "with a plan: hosts such as gpu1,user@gpu2, whose devices are used through ssh");
  CLI::Option* slurm = command.add_flag("--slurm", options.by_slurm,
                                        "with a plan: submit it as an array job of Slurm");
  check_range(
      *command.add_option("--tasks", options.slurm.tasks, "tasks of the array job, one chunk each")
           ->needs(slurm),
      1, 100000);
  const auto one_line = [](const std::string& text) {
    return text.find('\n') == std::string::npos ? std::string() : std::string("it has two lines");
  };
  for (const auto& [name, text, words] :
       {std::tuple("--partition", &options.slurm.partition, "partition of the array job"),
        std::tuple("--gres", &options.slurm.gres,
                   "what each task gets, such as gpu:2; none: nothing is asked for"),
        std::tuple("--time", &options.slurm.time, "time limit of each task, as sbatch takes it")})
    command.add_option(name, *text, words)->needs(slurm)->check(one_line);
  command
      .add_flag("--dry-run", options.slurm.dry_run, "print the script for sbatch; needs no Slurm")
      ->needs(slurm);
}

bool is_distributed(const DistributionOptions& options) {
  return !options.chunk.empty() || !options.devices.empty() || !options.resume.empty() ||
         !options.ssh.empty() || options.by_slurm;
}

int run_distributed(const DistributionOptions& options, PlannedSweep sweep, bool alone) {
  if (!sweep.plan.empty() && !options.resume.empty())
    return fail({ErrorKind::usage, "--plan and --resume both name a plan", options.resume,
                 "leave out one of them"});
  if (sweep.plan.empty()) sweep.plan = options.resume;
  if (sweep.plan.empty())
    return fail({ErrorKind::usage, "--chunk, --devices, --ssh and --slurm need a plan", "--plan",
                 "make one with `warpscope plan`, and name it with --plan"});
  if (!alone)
    return fail({ErrorKind::usage, "a plan has its points, and its results are a session",
                 sweep.plan, "leave out scene, axes and --csv; `warpscope export` makes tables"});
  sweep.chunk = options.chunk;
  sweep.devices = options.devices;
  sweep.ssh = options.ssh;
  if (options.by_slurm && (!sweep.chunk.empty() || !sweep.ssh.empty() || !sweep.session.empty()))
    return fail({ErrorKind::usage, "--slurm makes the chunks and names the sessions itself",
                 sweep.plan, "leave out --chunk, --ssh and --session"});
  return options.by_slurm ? run_slurm(sweep, options.slurm) : run_planned_sweep(sweep);
}

}  // namespace warpscope
