// workbench/workspace/memory_bounds.cpp: what a window keeps of its session in memory.
#include "workbench/workspace/memory_bounds.h"

#include <set>

#include "profiling/session/kept_bytes.h"
#include "workbench/client/process_memory.h"
#include "workbench/workspace/selection/pins.h"
#include "workbench/workspace/session/engines.h"
#include "workbench/workspace/session/opened_session.h"
#include "workbench/workspace/session/selected_points.h"
#include "workbench/workspace/session/shown_scene.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// Whether a trace or a point is of the shown scene's present sizes, or pinned.
template <typename One>
bool is_here_or_pinned(const SessionView& view, const One& one) {
  return (one.scene == view.shown.name() && one.key == view.points.id(one.variant).key) ||
         is_pinned(view.selection.pins, one.scene, one.variant, one.key);
}

}  // namespace

void MemoryBounds::came(const Trace& trace) { traced_bytes_ += kept_bytes(trace); }

void MemoryBounds::keep(const SessionView& view, OpenedSession& opened) {
  const auto needed = [&view](const auto& one) { return is_here_or_pinned(view, one); };
  opened.bound_memory({[&](const Trace& trace) {
                         return is_pinned(view.selection.pins, trace.scene, trace.variant,
                                          trace.key) ||
                                (trace.variant == view.selection.variant && needed(trace));
                       },
                       needed});
  // A trace is read into many small pieces before it is one: when the emulator rests, their pages
  // go back to the system.
  constexpr std::int64_t kWorth = 8 << 20;
  const EngineClient* emulator = view.engines.emulating();
  if (traced_bytes_ > kWorth && emulator != nullptr && emulator->outstanding().empty()) {
    traced_bytes_ = 0;
    return_free_memory();
  }
}

void MemoryBounds::release(const SessionView& view, OpenedSession& opened) {
  const Trace* shown = trace_state(view, view.selection.variant).trace;  // a stale one as well
  std::set<std::int64_t> asked;  // by hand: a whole grid takes long
  for (const auto& [number, job] : view.session().jobs()) {
    const auto* traced = job.as<TraceJob>();
    if (traced != nullptr && !traced->live) asked.insert(number);
  }
  opened.release_traces([&](const Trace& trace) {
    return &trace == shown || asked.count(trace.job) != 0 || is_here_or_pinned(view, trace);
  });
  traced_bytes_ = 0;
  return_free_memory();
}

}  // namespace warpscope
