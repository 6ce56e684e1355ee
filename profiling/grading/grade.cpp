// profiling/grading/grade.cpp: what was found of a student's kernel, against the goals of an
// exercise.
#include "profiling/grading/grade.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "profiling/figures/metric.h"
#include "profiling/findings/findings.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

constexpr double kPercent = 100;
constexpr double kRounding = 1e-9;  // of ratios of whole numbers

bool is_right(const Verdict& verdict) {
  return verdict.outcome == Outcome::correct || verdict.outcome == Outcome::nothing_to_do;
}

bool is_fault(FindingKind kind) { return kind < FindingKind::uncoalesced_access; }

// What a list of findings says of this line, the most important first; empty: nothing.
std::string said_of(const Trace& trace, const SourcePosition& position) {
  for (const Finding& f : findings_of(trace).findings) {
    if (f.position.file == position.file && f.position.line == position.line) return f.what;
  }
  return "";
}

void miss(GoalResult& result, std::string found, const SourcePosition& position,
          std::string reason) {
  result.outcome = GoalOutcome::missed;
  result.found = std::move(found);
  result.position = position;
  result.reason = std::move(reason);
}

void meet(GoalResult& result, std::string found) {
  result.outcome = GoalOutcome::met;
  result.found = std::move(found);
}

const Fault* first_fault(const GradeEvidence& evidence, const Trace** in) {
  for (const Trace& trace : evidence.failing) {
    const auto found = std::find_if(trace.faults.begin(), trace.faults.end(),
                                    [](const Fault& fault) { return is_wrong(fault); });
    if (found == trace.faults.end()) continue;
    *in = &trace;
    return &*found;
  }
  return nullptr;
}

// A write to an input comes before other faults: it decides the verdict.
const Fault* written_input(const GradeEvidence& evidence) {
  for (const Trace& trace : evidence.failing) {
    for (const Fault& fault : trace.faults) {
      if (writes_input(trace, fault)) return &fault;
    }
  }
  return nullptr;
}

void judge_right(const GradeEvidence& evidence, GoalResult& result) {
  const GradeCheck* failed = failed_check(evidence);
  if (failed == nullptr)
    return meet(result, "right in " + plural(std::ssize(evidence.checks), "run"));
  const Trace* in = nullptr;
  const Fault* fault = first_fault(evidence, &in);
  miss(result, "not right at " + failed->where,
       fault == nullptr ? SourcePosition{} : fault->position, failed->verdict.sentence);
}

// Findings of these kinds in the traces, the first with its line.
template <typename Traces, typename Wanted>
void judge_findings(const Traces& traces, const std::string& step, Wanted wanted, bool right,
                    GoalResult& result) {
  std::optional<Finding> first;
  std::int64_t count = 0;
  for (const Trace* trace : traces) {
    if (!step.empty() && trace->step != step) continue;
    for (Finding& f : findings_of(*trace).findings) {
      if (!wanted(f.kind)) continue;
      ++count;
      if (!first) first = std::move(f);
    }
  }
  if (first) return miss(result, plural(count, "place"), first->position, first->what);
  if (right) meet(result, "none");
}

double per_request(const AccessSite& site) {
  const double all = static_cast<double>(site.space == Space::global ? site.totals.sectors
                                                                     : site.totals.wavefronts);
  return all / static_cast<double>(site.totals.requests);
}

void judge_requests(const GradeEvidence& evidence, GoalResult& result) {
  const Goal& goal = result.goal;
  const AccessSite* worst = nullptr;
  const Trace* in = nullptr;
  for (const GradeCounts& counts : evidence.counts) {
    for (const Trace& trace : counts.traces) {
      if (!goal.step.empty() && trace.step != goal.step) continue;
      for (const AccessSite& site : trace.sites) {
        if (!is_about(goal, site)) continue;
        if (worst != nullptr && per_request(site) <= per_request(*worst)) continue;
        worst = &site;
        in = &trace;
      }
    }
  }
  if (worst == nullptr) return meet(result, "no such access");
  const std::string found = format_value(per_request(*worst), "");
  if (per_request(*worst) <= goal.limit + kRounding) return meet(result, found);
  std::string reason = said_of(*in, worst->position);
  if (reason.empty())
    reason = fmt::format("{} takes {} {} per request.", worst->text, found,
                         goal.space == Space::global ? "sectors" : "wavefronts");
  miss(result, found, worst->position, std::move(reason));
}

// Sums of launches; of what a thread or a block has the worst. No value: it is not known.
std::optional<std::int64_t> sum_of(const std::vector<GateRecord>& records, const Goal& goal) {
  const GateCountRow& row = *find_gate_count(goal.count);
  std::optional<std::int64_t> sum;
  for (const GateRecord& record : records) {
    const auto found = record.counts.find(goal.count);
    const bool other = !goal.step.empty() && record.step != goal.step;
    if (other || found == record.counts.end()) continue;
    const std::int64_t value = found->second;
    sum = !sum        ? value
          : row.lines ? *sum + value
          : row.more  ? std::min(*sum, value)
                      : std::max(*sum, value);
  }
  return sum;
}

// The line that has most of a count, and what is said of it.
void place_count(const GradeCounts& counts, std::int64_t sum, GoalResult& result) {
  const Goal& goal = result.goal;
  const GateLine* most = nullptr;
  std::int64_t share = 0;
  for (const GateRecord& record : counts.records) {
    if (!goal.step.empty() && record.step != goal.step) continue;
    for (const GateLine& line : record.lines) {
      const auto found = line.counts.find(goal.count);
      if (found == line.counts.end() || found->second <= share) continue;
      most = &line;
      share = found->second;
    }
  }
  if (most == nullptr) return;
  result.position = {most->file, most->line, 0};
  result.reason = fmt::format("This line has {} of {} {}.", grouped(share), grouped(sum),
                              find_gate_count(goal.count)->label);
  for (const Trace& trace : counts.traces) {
    const std::string said = said_of(trace, result.position);
    if (said.empty()) continue;
    result.reason += " " + said;
    return;
  }
}

// error of the exercise, not of the kernel: there is no such launch.
void judge_count(const GradeEvidence& evidence, GoalResult& result) {
  const GradeCounts& counts = evidence.counts.front();
  const Goal& goal = result.goal;
  const std::optional<std::int64_t> sum = sum_of(counts.records, goal);
  if (!sum) return miss(result, "not known", {}, "No launch has this count.");
  const bool more = find_gate_count(goal.count)->more;
  const auto value = static_cast<double>(*sum);
  if (more ? value >= goal.limit : value <= goal.limit) return meet(result, grouped(*sum));
  miss(result, grouped(*sum), {},
       std::string("It has ") + (more ? "fewer" : "more") + " than the goal says at " +
           counts.where + ".");
  place_count(counts, *sum, result);
}

void judge_of_starter(const GradeEvidence& evidence, GoalResult& result) {
  const Goal& goal = result.goal;
  const GradeCounts* worst = nullptr;
  double worst_ratio = -1;
  std::int64_t worst_sum = 0, worst_starter = 0;
  for (const GradeCounts& counts : evidence.counts) {
    const auto yours = sum_of(counts.records, goal), starter = sum_of(counts.starter, goal);
    if (!yours || !starter) continue;
    const double ratio = *starter > 0 ? static_cast<double>(*yours) / static_cast<double>(*starter)
                         : *yours > 0 ? std::numeric_limits<double>::infinity()
                                      : 0;
    if (ratio <= worst_ratio) continue;
    worst = &counts;
    worst_ratio = ratio;
    worst_sum = *yours;
    worst_starter = *starter;
  }
  if (worst == nullptr) return miss(result, "not known", {}, "No launch has this count.");
  const std::string found = fmt::format("{:.1f} % ({} of {}) at {}", worst_ratio * kPercent,
                                        grouped(worst_sum), grouped(worst_starter), worst->where);
  if (worst_ratio <= goal.limit + kRounding) return meet(result, found);
  miss(result, found, {}, "It has more than the goal says.");
  place_count(*worst, worst_sum, result);
}

void judge_speed(const GradeEvidence& evidence, GoalResult& result) {
  if (!evidence.starter_ns || !evidence.yours_ns || *evidence.yours_ns <= 0) {
    result.outcome = GoalOutcome::not_measured;
    result.found = "not measured";
    result.reason = evidence.not_timed;
    result.of = 0;
    return;
  }
  const double ratio = *evidence.starter_ns / *evidence.yours_ns;
  const std::string found = fmt::format("{:.2f}x", ratio);
  if (ratio >= result.goal.limit) return meet(result, found);
  miss(result, found, {},
       fmt::format("The starter takes {:.1f} µs and this kernel {:.1f} µs.",
                   *evidence.starter_ns / 1000, *evidence.yours_ns / 1000));
}

std::vector<const Trace*> traces_of(const GradeEvidence& evidence) {
  std::vector<const Trace*> traces;
  for (const GradeCounts& counts : evidence.counts) {
    for (const Trace& trace : counts.traces) traces.push_back(&trace);
  }
  for (const Trace& trace : evidence.failing) traces.push_back(&trace);
  return traces;
}

void judge(const GradeEvidence& evidence, bool right, GoalResult& result) {
  const Goal& goal = result.goal;
  if (goal.kind == GoalKind::right) return judge_right(evidence, result);
  // A fault is missed wherever it was found; its absence counts only for a kernel that is right.
  if (goal.kind == GoalKind::no_fault)
    return judge_findings(traces_of(evidence), goal.step, is_fault, right, result);
  const auto is_goals = [&](FindingKind kind) { return kind == goal.finding; };
  if (goal.kind == GoalKind::no_finding && is_fault(goal.finding))
    return judge_findings(traces_of(evidence), goal.step, is_goals, right, result);
  // Never timed if it is not right, so that the sum of points is the same on every machine.
  if (goal.kind == GoalKind::speed) return judge_speed(evidence, result);
  if (!right || evidence.counts.empty()) return;
  switch (goal.kind) {
    case GoalKind::no_finding:
      return judge_findings(traces_of(evidence), goal.step, is_goals, right, result);
    case GoalKind::per_request:
      return judge_requests(evidence, result);
    case GoalKind::count:
      return judge_count(evidence, result);
    default:
      return judge_of_starter(evidence, result);
  }
}

// Why outputs that are not right decide the verdict so.
void judge_outputs(const GradeEvidence& evidence, Grade& grade) {
  const GradeCheck& failed = *failed_check(evidence);
  grade.verdict = GradeVerdict::wrong;
  grade.reason = "at " + failed.where + ": " + failed.verdict.sentence;
  if (const Fault* fault = written_input(evidence)) {
    grade.verdict = GradeVerdict::refused;
    grade.reason = "the kernel writes to an input: " + fault->sentence;
  } else if (failed.kind == CheckKind::other_inputs && failed.verdict.outcome == Outcome::wrong) {
    grade.verdict = GradeVerdict::refused;
    grade.reason = "right with the inputs that the exercise has, and wrong with others: " +
                   failed.verdict.sentence;
  } else if (failed.kind == CheckKind::second_run && failed.verdict.outcome == Outcome::wrong) {
    grade.verdict = GradeVerdict::refused;
    grade.reason = "wrong after another run: " + failed.verdict.sentence;
  } else if (failed.kind == CheckKind::size && failed.verdict.outcome == Outcome::wrong) {
    grade.verdict = GradeVerdict::refused;
    grade.reason = "right at the first size of the exercise, and wrong at " + failed.where + ": " +
                   failed.verdict.sentence;
  }
}

}  // namespace

const char* to_text(GradeVerdict verdict) {
  constexpr const char* kNames[] = {"met", "missed", "wrong", "refused"};
  return kNames[static_cast<int>(verdict)];
}

const char* to_text(GoalOutcome outcome) {
  constexpr const char* kNames[] = {"met", "missed", "not counted", "not measured"};
  return kNames[static_cast<int>(outcome)];
}

const GradeCheck* failed_check(const GradeEvidence& evidence) {
  for (const bool named : {true, false}) {
    for (const GradeCheck& check : evidence.checks) {
      if ((check.kind == CheckKind::named) == named && !is_right(check.verdict)) return &check;
    }
  }
  return nullptr;
}

bool writes_input(const Trace& trace, const Fault& fault) {
  if (fault.kind != FaultKind::out_of_bounds || fault.index < 0) return false;
  const auto buffer =
      std::find_if(trace.buffers.begin(), trace.buffers.end(),
                   [&](const TracedBuffer& row) { return row.name == fault.buffer; });
  if (buffer == trace.buffers.end()) return false;
  const std::int64_t count = buffer->bytes / element_bytes(buffer->type);
  return fault.index < count && fault.needed <= count;
}

Grade grade_of(const Exercise& exercise, const GradeEvidence& evidence) {
  Grade grade;
  grade.exercise = exercise.title;
  grade.kernel = exercise.kernel;
  const bool right = evidence.refused.empty() && failed_check(evidence) == nullptr;
  if (!evidence.refused.empty()) {
    grade.verdict = GradeVerdict::refused;
    grade.reason = evidence.refused;
  } else if (!right) {
    judge_outputs(evidence, grade);
  }
  for (const Goal& goal : exercise.goals) {
    GoalResult result;
    result.goal = goal;
    result.of = goal.points;
    result.found = "not counted";
    if (evidence.refused.empty()) judge(evidence, right, result);
    if (result.outcome == GoalOutcome::not_counted)
      result.reason = !evidence.refused.empty()   ? "The kernel is refused."
                      : !evidence.stopped.empty() ? evidence.stopped
                                                  : "The kernel is not right.";
    if (result.outcome == GoalOutcome::met) result.points = result.of;
    const bool missed =
        result.outcome == GoalOutcome::missed || result.outcome == GoalOutcome::not_counted;
    if (missed && grade.verdict == GradeVerdict::met) grade.verdict = GradeVerdict::missed;
    if (missed && grade.reason.empty()) grade.reason = goal.name + ": " + result.found;
    grade.points += result.points;
    grade.of += result.of;
    grade.results.push_back(std::move(result));
  }
  return grade;
}

}  // namespace warpscope
