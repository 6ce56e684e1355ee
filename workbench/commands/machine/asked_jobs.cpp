// workbench/commands/machine/asked_jobs.cpp: the launches that a command on machine code is asked
// of.
#include "workbench/commands/machine/asked_jobs.h"

#include <utility>

#include "workbench/commands/commands.h"
#include "workbench/commands/files/scene_jobs.h"

namespace warpscope {

Result<AskedJobs> asked_jobs(Catalogue& catalogue, const AskedKernel& kernel,
                             const EngineChoice& engine) {
  AskedJobs asked;
  if (!is_kernel_file(kernel.what) && kernel.file.launch_file.empty()) {
    return job_of_variant(catalogue, kernel.what, kernel.axes, engine).map([&](Job&& job) {
      asked.jobs = {std::move(job)};
      return std::move(asked);
    });
  }
  FileTraceOptions file = kernel.file;
  file.program = file.arguments.empty() && file.launch_file.empty();
  file.file.path = kernel.what;
  file.values = kernel.axes;
  file.grid = kernel.grid;
  file.block = kernel.block;
  Result<FileTrace> made = file_trace(file, engine);
  if (!made) return tl::unexpected(made.error());
  asked.jobs = scene_jobs(catalogue, made->job);
  if (asked.jobs.empty()) {
    asked.jobs = {std::move(made->job)};
    asked.measurable = false;
  }
  return asked;
}

std::vector<Job> with_work(std::vector<Job> jobs, const JobWork& work) {
  for (Job& job : jobs) job.work = work;
  return jobs;
}

int status_of_jobs(const Session& session) {
  for (const auto& [number, submitted] : session.jobs()) {
    if (const auto done = session.done(number); done && done->error) return fail(*done->error);
  }
  return 0;
}

}  // namespace warpscope
