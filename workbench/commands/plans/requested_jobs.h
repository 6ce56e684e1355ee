// workbench/commands/plans/requested_jobs.h: the jobs that `warpscope measure` and a line of a plan
// ask for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "workbench/commands/commands.h"

namespace warpscope {

// What follows `warpscope measure` on one line; words with blanks stand in quotation marks.
// error: usage.
Result<MeasureRequest> parse_request(const std::string& line);

// Every line that is neither empty nor a comment (#), as parse_request takes it; an expected time
// at its end is passed over. error: input; as parse_request, with the line.
Result<std::vector<MeasureRequest>> read_requests(const std::filesystem::path& path);

// Whether its counters are known. error: usage.
Result<MeasureRequest> check_request(MeasureRequest request);

// Adds the jobs of one scene's variants at every point. To verify a whole scene is to verify all of
// its variants: one that does not apply at a point is taken where it does. error: usage.
Result<void> add_requested_jobs(const MeasureRequest& request, const EngineChoice& engine,
                                JobKind kind, const SceneAndVariants& chosen,
                                std::vector<Job>& jobs);

}  // namespace warpscope
