// profiling/findings/access_causes.h: why an access costs more than it needs to, and what would be
// better.
#pragma once

#include <string>

#include "profiling/findings/finding_parts.h"

namespace warpscope {

struct AccessCause {
  FindingKind kind = FindingKind::uncoalesced_access;
  std::string what, better;  // sentences
};

// For a group in global memory that takes more sectors than its bytes need.
AccessCause global_cause(const Trace& trace, const AccessGroup& group);
// For a group in shared memory that takes more wavefronts than its words need.
AccessCause bank_cause(const Trace& trace, const AccessGroup& group);

}  // namespace warpscope
