// profiling/export/session_comparison.h: what changed between two sessions, point by point: a gate.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/figures/obstacle.h"
#include "profiling/session/session.h"
#include "scenes/host/write_file.h"

// Sessions are read without what does not matter here: see PointParts::times. Points are joined by
// scene, variant, axes and device; of a point that a session has twice the newest counts. Sources
// may differ, which is what one compares for, and is shown.
//
//   Result<SessionComparison> c = compare_sessions(before, after, rules);
//   for (const ComparedPoint& point : c->points)
//     for (const PointChange& change : point.changes) show(change.sentence, change.finding);
//   return c->status();                       // 1 where there is a finding, else 0
//
// A device is its UUID, or its name where a session has none. What was measured on a device that
// the other session does not have is never joined with another one's.

namespace warpscope {

// In the order in which lists show them.
enum class Change {
  wrong,         // the output is wrong or the run failed, and was not before: always a finding
  missing,       // there was a figure, and is none
  incomparable,  // both have one, under other circumstances: see Obstacle
  slower,        // by more than the noise and more than the rules' share
  tolerated,     // slower by more than the noise, and less than that share
  ambiguous,     // inside the noise
  same,          // within 0.5 %, or the same verdict where nothing was timed
  faster,
  mended,         // correct, and was not
  still_failing,  // not correct, before or now
  added,          // a figure that was not there
};
const char* to_text(Change change);  // "wrong", "still failing", …

struct PointChange {
  Change change = Change::same;
  std::optional<CacheState> cache;   // no value: of the verdict, not of a time
  std::optional<Obstacle> obstacle;  // of an incomparable one
  std::optional<double> before_ns, after_ns;
  std::optional<double> more_ratio;  // after / before − 1 of medians that may be compared
  std::string sentence;              // "118.8 µs to 122.4 µs: 1.03× slower"
  bool finding = false;
  bool waived = false;  // it would be one, and was allowed
};

struct ComparedPoint {
  std::string scene, variant, key;
  Configuration axes;
  std::string league;           // of the variant
  DeviceName device;            // of the point before, or of the new one
  bool source_changed = false;  // both know their source, and it is not the same
  std::vector<PointChange> changes;
  bool finding() const;
  std::string name() const;  // "csrmm/float4_columns at n=128,… on NVIDIA H200 (GPU-c84bc8ec)"
};

struct ComparisonRules {
  double slower_ratio = 0.005;    // a smaller slowdown is not a finding
  bool cold = true, warm = true;  // which times
  std::vector<std::string> only;  // "csrmm", "csrmm/float4_columns"; empty: everything
  std::set<Change> allowed;       // of missing, incomparable, slower
  std::set<Obstacle> allowed_obstacles;
};

// "missing,clocks" into the rules. error: usage (an unknown word; wrong, which nothing waives).
Result<void> allow(ComparisonRules& rules, std::string_view words);
// "3%" or "3 %" as 0.03. error: usage.
Result<double> parse_percentage(const std::string& text);

struct SessionComparison {
  std::vector<ComparedPoint> points;  // as first measured before, then the new ones
  std::vector<std::string> notes;     // "before has no UUID of NVIDIA H200: joined by name"
  std::string nothing_compared;       // why not one figure was compared with another; else empty
  std::map<Change, int> counts;       // of changes
  int compared = 0, findings = 0, waived = 0, sources_changed = 0;
  int status() const { return findings > 0 || !nothing_compared.empty() ? 1 : 0; }
  std::string summary() const;  // one line
};

// error: usage (rules.only names no point of either), input (neither has a point).
Result<SessionComparison> compare_sessions(const Session& before, const Session& after,
                                           const ComparisonRules& rules);

// One object: rules, summary, points with their changes.
void write_comparison_json(const SessionComparison& comparison, const ComparisonRules& rules,
                           const TextSink& write);
// JUnit XML: a test case a point, a failure where it has a finding.
std::string comparison_junit(const SessionComparison& comparison, const std::string& suite);

}  // namespace warpscope
