// workbench/workspace/trace_state.cpp: which trace diagrams show, and how fresh it is.
#include "workbench/workspace/trace_state.h"

#include <algorithm>

#include "profiling/agreement/trace_metrics.h"

namespace warpscope {

TraceState trace_state(const Workspace& workspace, const std::string& variant) {
  const Session& session = workspace.session();
  const Selection& selection = workspace.selection;
  const std::string& scene = workspace.scene().name;
  TraceState state;
  const PointId& id = workspace.point_id(variant);
  state.trace = session.trace(id, selection.step);
  if (state.trace == nullptr) state.trace = session.trace(id);
  if (state.trace != nullptr) {
    state.freshness = Freshness::fresh;
    const std::int64_t asked = selection.trace.block;
    if (asked >= 0 && asked != state.trace->scope.block &&
        asked < block_count(state.trace->launch)) {
      state.freshness = Freshness::stale;
      state.why_stale =
          "of block " + std::to_string(state.trace->scope.block) + ", not " + std::to_string(asked);
    }
    if (const std::string text = workspace.earlier_text(*state.trace); !text.empty()) {
      state.freshness = Freshness::stale;
      state.why_stale += (state.why_stale.empty() ? "" : ", ") + text;
    }
  } else {
    for (const Trace* other : session.traces()) {
      if (other->scene == scene && other->variant == variant) state.trace = other;
    }
    if (state.trace != nullptr) {
      state.freshness = Freshness::stale;
      state.why_stale = "at " + state.trace->key;
    }
  }
  const auto last = std::find_if(
      session.jobs().rbegin(), session.jobs().rend(), [&](const std::pair<std::int64_t, Job>& job) {
        return job.second.kind == JobKind::trace && job.second.scene == scene &&
               job.second.variant == variant;
      });
  if (last == session.jobs().rend() || (state.trace != nullptr && state.trace->job >= last->first))
    return state;
  const std::optional<Done> done = session.done(last->first);
  if (!done) {
    state.freshness = Freshness::pending;
    if (const auto progress = session.progress(last->first)) state.progress = progress->text;
  } else if (done->error) {
    state.failure = done->error;
  }
  return state;
}

std::string code_of(const Trace& trace) {
  constexpr std::size_t kDigits = 32;  // source: scenes/base/code_id.h
  return trace.source_hash.size() == kDigits ? trace.source_hash : "";
}

std::vector<MetricValue> counters_of(const Workspace& workspace, const Trace& trace,
                                     std::string* why_none) {
  const Measurement* point = point_of(workspace.session(), trace, workspace.device());
  if (point == nullptr) return {};
  std::string why = workspace.earlier_source(*point);
  if (why.empty() && !of_one_code(trace, *point)) why = kOfAnotherCode;
  if (why.empty() || point->verdict.outcome != Outcome::correct)
    return counters_beside(point, trace);
  std::vector<MetricValue> counters = point->metrics;
  for (MetricValue& counter : counters) {
    counter.value.reset();
    counter.reason = why;
    counter.remedy = "measure it again";
  }
  if (why_none != nullptr && !counters.empty()) *why_none = why;
  return counters;
}

std::vector<std::string> traced_steps(const Session& session, const Trace& trace) {
  std::vector<std::string> steps;
  for (const Trace* other : session.traces()) {
    if (other->scene == trace.scene && other->variant == trace.variant && other->key == trace.key)
      steps.push_back(other->step);
  }
  return steps;
}

}  // namespace warpscope
