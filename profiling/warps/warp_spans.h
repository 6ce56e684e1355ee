// profiling/warps/warp_spans.h: spans of warps between probes, the roles of warps, and what the
// spans add up to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/warps/warp_timeline.h"

//   const RecordedRoles roles = roles_of(timeline);
//   for (const WarpSpan& span : spans_of(timeline, row)) draw(span.begin, span.end, span.type);
//   for (const SpanSum& sum : sums_of(timeline, roles)) show(sum.span, sum.mean_cycles());

namespace warpscope {

enum class SpanType : std::uint8_t {
  wait,    // from before an instruction that waits to after it; a loop that does nothing but wait
  work,    // from the end of a wait to the beginning of the next one
  loop,    // of more than a wait
  line,    // instructions of a line
  moment,  // a copy or a product is started
};
const char* to_text(SpanType type);

struct WarpSpan {
  SpanType type = SpanType::wait;
  // An index into WarpTimeline::spans; of work the wait before it, −1: it is before the first wait.
  std::int32_t span = -1;
  std::int64_t begin = 0, end = 0;  // cycles
  bool cut = false;                 // its end was not recorded: the warp's end stands for it
  std::int64_t cycles() const { return end - begin; }
  bool operator==(const WarpSpan&) const = default;
};

// By their beginning; a loop comes before what lies in it.
std::vector<WarpSpan> spans_of(const WarpTimeline& timeline, const WarpRow& row);

// Warps of a block that pass the same waits and start the same copies.
struct RecordedRole {
  std::string name;        // "producer", "consumer A", "writer", "role A"; of all: "warps"
  std::string sentence;    // "starts copies; waits in lines 22 and 30"
  std::vector<int> warps;  // of a block
  std::vector<std::uint32_t> spans;  // waits and moments
};

struct RecordedRoles {
  // Some warps pass waits or start copies that others do not, and the other way round.
  bool specialised = false;
  std::vector<RecordedRole> roles;
  std::vector<int> of_warp;  // the role of each warp of a block
};
RecordedRoles roles_of(const WarpTimeline& timeline);

// All spans of one place, or the work after it, in the warps of one role.
struct SpanSum {
  SpanType type = SpanType::wait;
  std::int32_t span = -1;  // as of WarpSpan
  int role = 0;
  std::int64_t warps = 0, count = 0;
  std::int64_t cycles = 0, longest = 0;
  double share_ratio = 0;  // of the time that the role's warps exist
  double mean_cycles() const {
    return count > 0 ? static_cast<double>(cycles) / static_cast<double>(count) : 0;
  }
};
// By role, then by share, the largest first.
std::vector<SpanSum> sums_of(const WarpTimeline& timeline, const RecordedRoles& roles);

// What a role's warps do with their time.
struct RoleSum {
  std::int64_t warps = 0;
  double waiting_ratio = 0;
};
std::vector<RoleSum> role_sums(const std::vector<SpanSum>& sums, const RecordedRoles& roles);

// "mbarrier wait, line 22", "work after line 22", "loop, line 19".
std::string span_words(const WarpTimeline& timeline, SpanType type, std::int32_t span);
// "0, 1-4".
std::string warp_list(const std::vector<int>& warps);
// In nanoseconds if the clock is known, else in cycles: "1.2 µs", "350 cycles".
std::string duration_words(const WarpTimeline& timeline, double cycles);

}  // namespace warpscope
