// profiling/agreement/run_standing.cpp: what the verdict of a run says at a configuration that
// nobody chose.
#include "profiling/agreement/run_standing.h"

#include "profiling/points/occupancy.h"
#include "scenes/host/enumerators.h"

namespace warpscope {

const char* to_text(RunStanding standing) {
  return named(standing, {"correct", "not run", "as stated", "launch fails", "wrong"});
}

RunStanding standing_of(const Variant& variant, const Workload& workload, const Measurement& point,
                        const DeviceLimits& device) {
  const Outcome outcome = point.verdict.outcome;
  if (outcome == Outcome::correct) return RunStanding::correct;
  // Nothing says whether it is right.
  if (outcome == Outcome::no_reference || outcome == Outcome::cannot_run ||
      outcome == Outcome::nothing_to_do)
    return RunStanding::not_run;
  const bool launch = outcome == Outcome::launch_failed;
  const auto& stated = launch ? variant.expected_launch_failure : variant.expected_fault;
  if (stated && stated(workload)) return RunStanding::as_stated;
  return launch && first_failing(point.steps, device) ? RunStanding::launch_fails
                                                      : RunStanding::wrong;
}

}  // namespace warpscope
