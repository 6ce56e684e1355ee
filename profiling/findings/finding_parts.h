// profiling/findings/finding_parts.h: the parts that a list of findings is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/findings/findings.h"

namespace warpscope {

// Faults and hangs, in the order of FindingKind.
std::vector<Finding> fault_findings(const Trace& trace);
// Extra sectors of global memory, atomics that wait for each other, and local memory.
std::vector<Finding> global_findings(const Trace& trace);
// Wavefronts of shared memory that bank conflicts add.
std::vector<Finding> shared_findings(const Trace& trace);
// Warp instructions in which some lanes are idle.
std::vector<Finding> lane_findings(const Trace& trace);

// Memory instructions of one line that do the same: "loads of B at line 31".
struct AccessGroup {
  SourcePosition position;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  int width_bytes = 4;  // of the site that wastes most
  std::string buffer;
  std::vector<std::size_t> requests;  // kept ones with an active lane, by warp; the first of many
  std::uint32_t worst = 0;            // the site that wastes most
  AccessTotals totals;
};
// `shared`: of shared memory, else of global memory.
std::vector<AccessGroup> access_groups(const Trace& trace, bool shared);
// Sectors or wavefronts beyond those that the bytes or words need. unit: as the space has it.
std::int64_t extra_of(const AccessTotals& totals, bool shared);

// Whether so much waste of `all` is worth a finding: both limits of findings.h.
bool is_listed(const Trace& trace, std::int64_t extra, std::int64_t all);
FindingSeverity severity_of_share(double share_ratio);

// "3.67 M", "1 024": a count with three digits, or whole below ten thousand.
std::string brief_count(std::int64_t count);
// "at most 3.67 M sectors fewer (62 % of the launch's)"; "of the traced block's" where that alone
// ran.
std::string gain_text(const Trace& trace, std::int64_t extra, std::int64_t all, const char* unit);
// "B[k, n]"; of shared memory "shared memory"; else "global memory".
std::string array_text(const Trace& trace, const AccessGroup& group);
const char* verb_of(AccessKind kind);  // "read", "write", "update", "copy"

}  // namespace warpscope
