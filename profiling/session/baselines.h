// profiling/session/baselines.h: what the points of a session are compared with.
#pragma once

#include <map>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

// What a point is compared with: the baseline of its league or scene (see catalogue.h) at the same
// problem on the same device; at its own defaults, or as it was measured first where it was not
// measured at those. One a problem and league, whatever the point's own axes. Null where there is
// none.
const Measurement* baseline_of(const Session& session, const Measurement& point);

// The same for many points of one session, which stays as it is: each variant that is a baseline is
// looked through once.
class Baselines {
 public:
  explicit Baselines(const Session& session) : session_(session) {}
  const Measurement* of(const Measurement& point);

 private:
  using FirstAtProblem = std::map<std::string, const Measurement*>;
  const Session& session_;
  std::map<PointId, FirstAtProblem> of_variants_;  // ids without key and code_id
};

}  // namespace warpscope
