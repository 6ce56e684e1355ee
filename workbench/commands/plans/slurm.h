// workbench/commands/plans/slurm.h: a plan as an array job of Slurm.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiling/plans/plan_file.h"
#include "workbench/commands/plans/outside_program.h"
#include "workbench/commands/plans/planned_sweep.h"

namespace warpscope {

struct SlurmOptions {
  std::string partition, gres = "gpu:1", time;
  int tasks = 4;
  bool dry_run = false;
};

// The script for sbatch: every task measures one chunk of the plan into a session of its own. All
// paths in it are absolute.
std::string sbatch_script(const PlannedSweep& sweep, const SlurmOptions& options,
                          const std::string& program, const std::string& folder);

// Why Slurm did not take a job, and what to do about it.
Error error_of_sbatch(const OutsideRun& run, const SlurmOptions& options);

// Submits the plan, or prints the script, and returns the exit status.
// Seconds of a time limit as Slurm writes it: "90" (minutes), "1:30:00", "2-12", "infinite" (an
// infinite number). No value: it is none.
std::optional<double> slurm_seconds(std::string_view text);
// Whether a job with this time limit may start in the partition: Slurm takes a longer one and never
// starts it. `partitions`: lines of `sinfo -h -o "%P %l"`; the one with * is the usual one. error:
// environment.
Result<void> check_time_limit(const SlurmOptions& options, std::string_view partitions);

int run_slurm(const PlannedSweep& sweep, const SlurmOptions& options);

}  // namespace warpscope
