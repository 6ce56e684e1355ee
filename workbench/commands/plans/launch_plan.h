// workbench/commands/plans/launch_plan.h: launch files as lines of a plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workbench/commands/commands.h"
#include "workbench/commands/plans/plan_jobs.h"

// A line is “trace --launch FILE name=value”. Emulators of any machine answer it with a trace, and
// with how the outputs differ from what the launch file expects.

namespace warpscope {

// A point for every value of each name: "rows=64,128". error: input, usage: as file_trace.
Result<Plan> plan_of_launches(const std::string& path, const std::vector<std::string>& values);

bool is_launch_line(std::string_view words);
// error: as file_trace; usage.
Result<Job> launch_job(const std::string& words, const EngineChoice& engine);

// What a plan keeps of a launch file, to notice that it changed: a hash of its text, of the
// kernel's texts and of the files that it reads. error: input.
Result<PlanScene> scene_of_launch(const std::string& path);
// The launch file of such a scene; empty: it is a scene of another kind.
std::string launch_of_scene(const PlanScene& scene);

}  // namespace warpscope
