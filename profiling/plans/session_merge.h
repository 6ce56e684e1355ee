// profiling/plans/session_merge.h: several sessions merged into one, in which every point counts
// once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scenes/host/result.h"

// The order of the files does not matter, and merging a merged session again changes nothing. Lines
// are read twice, one at a time; of each about 100 bytes stay in memory, whatever its length.
//
//   const Result<SessionMerge> merged = merge_sessions({"a.wsj", "b.wsj"}, "all.wsj", now_utc());
//   for (const std::string& conflict : merged->conflicts) say(conflict);

namespace warpscope {

struct SessionMerge {
  std::int64_t files = 0;
  std::int64_t points = 0;             // that the merged session has
  std::int64_t repeated = 0;           // measured more than once: left out
  std::int64_t unanswered = 0;         // jobs without an answer: left out
  std::int64_t lines = 0;              // that the merged session has, its seal included
  std::int64_t bytes = 0;              // of text
  std::vector<std::string> conflicts;  // sentences, in a fixed order
  std::vector<std::string> warnings;   // as those of a SessionReading
};

// A point is one of its plan (plan_tag) and the model of its device; without a plan it is its
// scene, variant, configuration, source, counters and device. If it was measured several times, an
// answer that says something of the kernel goes before one that was interrupted, then the newest
// counts. A conflict is a point with two verdicts, or with two sources in one plan.
// `now`: later dates are named, as of a clock that is wrong.
// error: as read_session; environment: the output or a temporary file beside it cannot be written.
Result<SessionMerge> merge_sessions(const std::vector<std::filesystem::path>& paths,
                                    const std::filesystem::path& out, const std::string& now);

}  // namespace warpscope
