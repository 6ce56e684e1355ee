// workbench/commands/plans/distribution.h: options of `warpscope sweep` that run a plan on several
// devices or machines.
#pragma once

#include <string>

#include "workbench/commands/plans/planned_sweep.h"
#include "workbench/commands/plans/slurm.h"

namespace warpscope {

struct DistributionOptions {
  std::string chunk, devices, resume, ssh;
  SlurmOptions slurm;
  bool by_slurm = false;
};
void declare_distribution(CLI::App& command, DistributionOptions& options);
// Whether any of them was given.
bool is_distributed(const DistributionOptions& options);
// `sweep`: with the plan of --plan. `alone`: neither points nor a table were asked for besides.
int run_distributed(const DistributionOptions& options, PlannedSweep sweep, bool alone);

}  // namespace warpscope
