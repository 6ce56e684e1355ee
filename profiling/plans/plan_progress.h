// profiling/plans/plan_progress.h: which points of a plan a session has answers to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "profiling/points/measurement.h"
#include "scenes/host/result.h"

namespace warpscope {

// Whether the verdict is an answer about the kernel. That an engine died or a job was cancelled is
// none: such a point is measured again.
bool is_answer(Outcome outcome);

struct PlanProgress {
  std::set<std::string> answered;  // tags of jobs (plan_tag)
  std::int64_t newest_date_s = 0;  // of a point, seconds since 1970; 0: there is none
};
// Reads a session line by line. A file that is not there has no answers. error: input.
Result<PlanProgress> plan_progress(const std::filesystem::path& session);

}  // namespace warpscope
