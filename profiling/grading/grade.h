// profiling/grading/grade.h: what was found of a student's kernel, against the goals of an
// exercise.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/gate/gate_record.h"
#include "profiling/grading/exercise.h"
#include "profiling/points/measurement.h"

// A kernel that is wrong or refused gets no points for its counts: a kernel that computes something
// else can have any counts.
//
//   GradeEvidence evidence;             // collected by the command: outputs, traces, counts, times
//   const Grade grade = grade_of(exercise, evidence);
//   std::fputs(grade_text(grade).c_str(), stdout);   // grade_export.h

namespace warpscope {

enum class CheckKind {
  named,         // a size that the exercise names
  size,          // another one
  other_inputs,  // other random numbers
  second_run,    // after a run that leaves its __device__ variables
};

// The output at one size, compared with the reference.
struct GradeCheck {
  CheckKind kind = CheckKind::named;
  std::string where;  // "n=1003"; "n=65536, with other inputs"
  Verdict verdict;
};

// All launches at one size whose counts are compared.
struct GradeCounts {
  std::string where;
  std::vector<Trace> traces;                 // the student's
  std::vector<GateRecord> records, starter;  // in the same order; starter: if a goal asks for it
};

struct GradeEvidence {
  std::string refused;  // a sentence: why it was not run at all; empty: it was
  std::vector<GradeCheck> checks;
  std::vector<GradeCounts> counts;  // of a kernel that is right
  std::vector<Trace> failing;       // where an output is wrong: for the line
  std::string stopped;              // a sentence: counting did not end in time; empty: it did
  std::optional<double> starter_ns, yours_ns;
  std::string not_timed;  // why there are no times
};

enum class GradeVerdict { met, missed, wrong, refused };
const char* to_text(GradeVerdict verdict);  // "met"

enum class GoalOutcome { met, missed, not_counted, not_measured };
const char* to_text(GoalOutcome outcome);  // "not counted"

struct GoalResult {
  Goal goal;
  GoalOutcome outcome = GoalOutcome::not_counted;
  std::string found;          // "16 sectors per request"
  double points = 0, of = 0;  // of: 0 if it was not measured
  SourcePosition position;    // where it is missed; line 0: none is known
  std::string line_text;      // of that line
  std::string reason;         // a sentence; empty: it is met
};

struct Grade {
  std::string exercise, kernel, hash;  // the title, the file that was graded, its text's hash
  GradeVerdict verdict = GradeVerdict::met;
  std::string reason;  // of a verdict other than met
  std::vector<GoalResult> results;
  double points = 0, of = 0;
};

Grade grade_of(const Exercise& exercise, const GradeEvidence& evidence);

// The first check that failed, those of named sizes first. Null: all are right.
const GradeCheck* failed_check(const GradeEvidence& evidence);
// Whether a fault is a write to an input: inside of the buffer, and refused all the same.
bool writes_input(const Trace& trace, const Fault& fault);

}  // namespace warpscope
