// workbench/commands/plans/plan_jobs.h: plans made of what a person asks for, and the jobs of their
// points.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiling/plans/plan_file.h"
#include "workbench/commands/commands.h"

namespace warpscope {

// What the person called the scene, without the variants: "csrmm", "./my_kernel".
std::string words_of_scene(const MeasureRequest& request, const SceneAndVariants& chosen);

// The points of requests in measuring order, with the scenes that they are of; without expected
// times. Requests that differ in more than their axes follow each other. error: usage, input,
// environment.
Result<Plan> plan_of(Catalogue& catalogue, const std::vector<MeasureRequest>& requests);

// A hash of the texts of all kernels that the scene may launch. error: environment, input.
Result<std::string> kernels_hash(const Catalogue& catalogue, const std::string& scene);

// Reads a plan that this program may run: made by this version, of kernels that are the same here.
// Their folders are opened in the catalogue. error: input, usage, environment.
Result<Plan> read_plan_to_run(Catalogue& catalogue, const std::string& path);

// A point with what is to be done for it: one job, or two with a timeline.
struct PlannedPoint {
  std::size_t index = 0;  // in the plan
  double weight = 0;      // expected seconds, or 1 where nothing is known
  std::vector<Job> jobs;  // with the point's tag; several have an ending each
};
// `emulated`: the points are verified on the emulator, which has no times. error: as `measure`,
// with the line.
Result<std::vector<PlannedPoint>> planned_points(Catalogue& catalogue, const Plan& plan,
                                                 const PlanRange& range, const EngineChoice& engine,
                                                 bool emulated);

}  // namespace warpscope
