// profiling/grading/goal.h: a goal of an exercise, as a sentence with the field's words.
#pragma once

#include <string>
#include <string_view>

#include "profiling/access/access.h"
#include "profiling/findings/findings.h"
#include "scenes/host/result.h"

// The forms. Each but the first two and the last may end in " in STEP", for one kernel of several.
//
//   right at every size
//   no fault
//   no race                                  # or another finding: no bank conflict
//   at most 4 sectors per request for every global access      # or load, store, atomic
//   at most 1.5 wavefronts per request for every shared access
//   at most 24576 sectors of global memory   # a count of a gate, by its label or its id
//   at most 50 % of the starter's sectors of global memory
//   at least 32 resident_warps
//   at least 1.5x as fast as the starter on a GPU

namespace warpscope {

enum class GoalKind { right, no_fault, no_finding, per_request, count, of_starter, speed };
enum class GoalAccess { any, load, store, atomic };

struct Goal {
  GoalKind kind = GoalKind::right;
  std::string text;                         // the sentence
  std::string name;                         // short: "coalesced"
  std::string why;                          // what a student reads where it is missed
  double points = 1;                        // above 0
  double limit = 0;                         // of_starter: a ratio
  std::string count;                        // id of a gate's count
  std::string step;                         // empty: all launches
  FindingKind finding = FindingKind::race;  // no_finding
  Space space = Space::global;              // per_request: global or shared
  GoalAccess access = GoalAccess::any;      // per_request
  int line = 0;                             // of the exercise's file
};

// error: input: it has none of the forms; there is no such count or finding.
Result<Goal> parse_goal(std::string_view sentence);

// Whether it is a count that the compiler tells, such as registers.
bool needs_compiler(const Goal& goal);
// Whether an access is one that the goal is about.
bool is_about(const Goal& goal, const AccessSite& site);

}  // namespace warpscope
