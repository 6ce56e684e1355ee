// workbench/commands/machine/asked_jobs.h: the launches that a command on machine code is asked of.
#pragma once

#include <string>
#include <vector>

#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "workbench/client/engine_command.h"
#include "workbench/commands/files/file_trace.h"

namespace warpscope {

// What the person named: SCENE/VARIANT, or a file with its launch.
struct AskedKernel {
  std::string what, grid, block;
  std::vector<std::string> axes;
  FileTraceOptions file;
};

// One variant, or the launches of a file; without the work.
struct AskedJobs {
  std::vector<Job> jobs;
  bool measurable = true;  // false: a file that cannot be a scene
};
// error: as job_of_variant and file_trace.
Result<AskedJobs> asked_jobs(Catalogue& catalogue, const AskedKernel& asked,
                             const EngineChoice& engine);

std::vector<Job> with_work(std::vector<Job> jobs, const JobWork& work);
// The status of the first job that ended with an error, which is printed; 0: none did.
int status_of_jobs(const Session& session);

}  // namespace warpscope
