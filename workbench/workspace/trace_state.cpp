// workbench/workspace/trace_state.cpp: which trace diagrams show, and how fresh it is.
#include "workbench/workspace/trace_state.h"

#include <algorithm>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/overview/costly_trace.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/scene/kernel_files.h"
#include "workbench/workspace/selection/trace_steps.h"

namespace warpscope {
namespace {

// The newest emulation that `is_of` it, where it is newer than the trace: on its way, or failed.
template <typename IsOf>
void add_job(TraceState& state, const SessionView& view, const IsOf& is_of) {
  const Session& session = view.session();
  const std::int64_t traced = state.trace != nullptr ? state.trace->job : -1;
  auto last = session.jobs().rbegin();
  while (last != session.jobs().rend() && last->first > traced &&
         !(last->second.is<TraceJob>() && is_of(last->second)))
    ++last;
  if (last == session.jobs().rend() || last->first <= traced) return;
  const std::optional<Done> done = session.done(last->first);
  if (!done) {
    state.freshness = Freshness::pending;
    if (const auto progress = session.progress(last->first)) state.progress = progress->text;
  } else if (done->error && !view.files.are_others_than_of(last->first)) {
    // What failed with another text says nothing of the files as they are.
    state.failure = done->error;
  }
}

}  // namespace

TraceState trace_state(const SessionView& view, const std::string& variant) {
  const Session& session = view.session();
  const Selection& selection = view.selection;
  const std::string& scene = view.scene().name;
  TraceState state;
  const PointId& id = view.point_id(variant);
  if (!selection.step.empty()) state.trace = session.trace(id, selection.step);
  if (state.trace == nullptr) state.trace = costly_trace(session, id);
  if (state.trace != nullptr) {
    state.freshness = Freshness::fresh;
    const std::int64_t asked = selection.trace.block;
    if (asked >= 0 && asked != state.trace->scope.block &&
        asked < block_count(state.trace->launch)) {
      state.freshness = Freshness::stale;
      state.why_stale =
          "of block " + std::to_string(state.trace->scope.block) + ", not " + std::to_string(asked);
    }
    if (const std::string text = view.files.earlier_text(*state.trace); !text.empty()) {
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
  add_job(state, view,
          [&](const Job& job) { return job.scene == scene && job.variant == variant; });
  return state;
}

TraceState trace_state(const SessionView& view, const PinnedPoint& pin) {
  const Session& session = view.session();
  TraceState state;
  const std::string& step = view.selection.step;
  if (!step.empty()) state.trace = session.trace(id_of(pin), step);
  if (state.trace == nullptr) state.trace = trace_of(view, pin);
  if (state.trace != nullptr) {
    state.freshness = Freshness::fresh;
    state.why_stale = view.files.earlier_text(*state.trace);
    if (!state.why_stale.empty()) state.freshness = Freshness::stale;
  }
  const Scene* scene = view.shown.find(pin.scene);
  add_job(state, view, [&](const Job& job) {
    // A live one follows the slider, and is over soon.
    if (scene == nullptr || is_live(job) || job.scene != pin.scene || job.variant != pin.variant)
      return false;
    const Result<Configuration> axes =
        with_values(scene->axes, default_configuration(scene->axes), job.axes);
    return axes && configuration_key(scene->axes, *axes, pin.variant) == pin.key;
  });
  return state;
}

const Trace* leading_trace(const SessionView& view, RequestFamily family) {
  const Pins& pins = view.selection.pins;
  if (!pins.both()) return nullptr;
  const Trace* a = trace_state(view, *pins.a).trace;
  const Trace* b = trace_state(view, *pins.b).trace;
  const Trace* focus = trace_state(view, view.selection.variant).trace;
  if (focus != nullptr && focus == b) std::swap(a, b);
  if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
  const auto uses = [family](const Trace& trace) {
    return nearest_request(trace, 0, family).has_value();
  };
  return uses(*a) || !uses(*b) ? a : b;
}

const Trace* stepped_trace(const SessionView& view) {
  const Selection& selection = view.selection;
  if (selection.pins.both() && !selection.trace.led_by.empty()) {
    for (const auto* pin : {&selection.pins.a, &selection.pins.b}) {
      const Trace* trace = trace_state(view, **pin).trace;
      if (trace != nullptr && name_of(*trace) == selection.trace.led_by) return trace;
    }
  }
  return trace_state(view, selection.variant).trace;
}

std::vector<MetricValue> counters_of(const SessionView& view, const Trace& trace,
                                     std::string* why_none) {
  const Measurement* point = point_of(view.session(), trace, view.device());
  if (point == nullptr) return {};
  std::string why = view.points.earlier_source(*point);
  if (why.empty() && !of_one_code(trace, *point)) why = kOfAnotherCode;
  if (why.empty() || !has_figures(point->verdict.outcome)) return counters_beside(point, trace);
  std::vector<MetricValue> counters = point->metrics;
  for (MetricValue& counter : counters) {
    counter.value.reset();
    counter.reason = why;
    counter.remedy = "measure it again";
  }
  if (why_none != nullptr && !counters.empty()) *why_none = why;
  return counters;
}

const LineCounters* line_counters_of(const SessionView& view, const Trace& trace) {
  const Measurement* point = point_of(view.session(), trace, view.device());
  if (point == nullptr || !has_figures(point->verdict.outcome)) return nullptr;
  if (!view.points.earlier_source(*point).empty() || !of_one_code(trace, *point)) return nullptr;
  for (const StepRecord& step : point->steps) {
    if (step.kind != "kernel" || step.name != trace.step) continue;
    const bool today = view.files.earlier_text(step).empty() &&
                       view.files.earlier_text(trace).empty() && !step.lines.rows.empty();
    return today ? &step.lines : nullptr;
  }
  return nullptr;
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
