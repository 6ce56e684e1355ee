// profiling/overview/stall_reasons.h: why warps wait, by the counters of stall reasons.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/figures/metric.h"

// In each cycle a scheduler looks at its warps: one is issued, the others wait, each for one
// reason. The counters give the average number of warps that wait for a reason while one
// instruction is issued. Their sum, and 1 for the warp that is issued, is the number of cycles that
// a warp needs per instruction. source: Nsight Compute documentation, "Warp Stall Reasons".

namespace warpscope {

enum class StallGroup { memory, dependency, barrier, issue, other };
inline constexpr int kStallGroups = static_cast<int>(StallGroup::other) + 1;
const char* to_text(StallGroup group);  // "memory"
const char* sentence_of(StallGroup group);

struct StallReason {
  const char* id;        // of its metric: "stall.long_scoreboard"
  StallGroup group;      //
  const char* name;      // "global memory"
  const char* sentence;  // what the warp waits for, and what shortens it
};
// All that are counted, by group, the groups in their order.
std::span<const StallReason> all_stall_reasons();

struct StallPart {
  const StallReason* reason = nullptr;
  double warps = 0;  // that wait for it, per issued instruction
};
struct Stalls {
  std::vector<StallPart> parts;               // of those with a figure, in the order of the table
  std::vector<const StallReason*> uncounted;  // the others
  double counted = 0;                         // the sum of the parts
  // With some reasons uncounted: how many warps wait for those, derived of occupancy and of how
  // often a scheduler issues. No value if all are counted, or one of the two figures is missing.
  std::optional<double> others;
  double all() const { return counted + others.value_or(0); }
  // The sum of a group; the uncounted ones are in none.
  double of(StallGroup group) const;
  const StallPart* largest() const;  // null: none is above 0
};
// Whether any reason was counted.
bool counts_stalls(const std::vector<MetricValue>& metrics);
// No value if no reason was counted. `scheduler_warps`: that a scheduler can hold, 16 on an H200.
std::optional<Stalls> stalls_of(const std::vector<MetricValue>& metrics, double scheduler_warps);
// The warps that one of the four schedulers of a multiprocessor can hold; of compute capability 9.0
// where the architecture is not known.
double scheduler_warps(int compute_capability);

// "Most warps wait for global memory: 12.2 of 19.9 cycles per instruction (61 %). …", with what
// shortens it.
std::string stall_sentence(const Stalls& stalls);

}  // namespace warpscope
