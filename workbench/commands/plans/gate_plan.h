// workbench/commands/plans/gate_plan.h: the kernels of a gate's file as lines of a plan.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workbench/commands/gate/gate_jobs.h"
#include "workbench/commands/plans/plan_jobs.h"

// A line is “ci FILE --kernel NAME”. Emulators of any machine answer it into a session, which
// `warpscope ci FILE --from SESSION` then compares with what the file records.

namespace warpscope {

// One line per kernel as the gate records it, with the scenes that they are of. error: input,
// usage.
Result<Plan> plan_of_gate(Catalogue& catalogue, const std::string& path);

// Gives `answers` what sessions have of a plan of this gate, with the number of the job in `jobs`
// made negative, from -1 on; returns those numbers. What is of other kernels, another version or
// another list of kernels is passed over. error: as read_session; environment: two toolkits.
Result<std::set<std::int64_t>> take_recorded(Catalogue& catalogue, const std::string& path,
                                             const std::vector<GateJob>& jobs,
                                             const std::vector<std::string>& sessions,
                                             GateAnswers& answers);

// The gates of a plan, each read once.
class PlannedGates {
 public:
  static bool is_gate_line(std::string_view words);
  // The jobs of a line. error: input, usage.
  Result<std::vector<Job>> jobs_of(Catalogue& catalogue, const std::string& words,
                                   const EngineChoice& engine);

 private:
  struct Gate {
    GateFile file;
    std::vector<GateJob> jobs;
  };
  std::map<std::string, std::unique_ptr<Gate>> gates_;
};

}  // namespace warpscope
