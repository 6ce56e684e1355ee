// workbench/workspace/jobs/work_parts.h: what gives work to engines: jobs that are asked for, jobs
// that follow the selection, trainings, and sweeps of plans.
#pragma once

#include "workbench/workspace/jobs/job_scheduler.h"
#include "workbench/workspace/jobs/live_jobs.h"
#include "workbench/workspace/jobs/planned_sweeps.h"
#include "workbench/workspace/jobs/training_control.h"

namespace warpscope {

// They know one another: an object stays where it was made.
struct WorkParts {
  WorkParts(OpenedSession& opened, const ShownScene& scene, Selection& selection,
            const SelectedPoints& points, KernelFiles& files, Engines& engines, WindowLog& log)
      : jobs(opened, scene, selection, points, files, engines, log),
        live(opened, scene, selection, points, files, engines, jobs),
        training(opened, scene, selection, engines, jobs, log),
        sweeps(opened, scene, selection, points, log) {}
  WorkParts(const WorkParts&) = delete;
  WorkParts& operator=(const WorkParts&) = delete;

  JobScheduler jobs;
  LiveJobs live;
  TrainingControl training;
  PlannedSweeps sweeps;
};

}  // namespace warpscope
