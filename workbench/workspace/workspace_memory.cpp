// workbench/workspace/workspace_memory.cpp: what a window keeps of its session in memory.
#include "profiling/session/kept_bytes.h"
#include "workbench/client/process_memory.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

// A process that `client` started on this machine; behind ssh another one says hello.
std::optional<std::int64_t> memory_of(const EngineClient* client) {
  if (client == nullptr || client->process() <= 0) return std::nullopt;
  const auto& hello = client->hello();
  if (!hello || hello->process != client->process()) return std::nullopt;
  return resident_bytes(client->process());
}

}  // namespace

// A trace takes from some hundred kB to 90 MB (its requests are limited in number), a point with
// all its counters and samples 30 kB, a job 1 kB.
const Session::Limits& Workspace::memory_limits() {
  static const Session::Limits limits{.trace_bytes = 96 << 20,
                                      .point_bytes = 256 << 20,
                                      .history_bytes = 4 << 20,
                                      .timeline_bytes = 16 << 20,
                                      .jobs = 8192,
                                      .outcome_bytes = 64 << 20};
  return limits;
}

void Workspace::bound_memory() {
  if (bounded_ != session_.revision()) {
    bounded_ = session_.revision();
    const Session::LetGo gone = session_.let_go(
        limits_, {[this](const Trace& trace) {
                    if (is_pinned(selection.pins, trace.scene, trace.variant, trace.key))
                      return true;
                    return trace.scene == scene_ && trace.variant == selection.variant &&
                           trace.key == point_id(trace.variant).key;
                  },
                  [this](const Measurement& point) {
                    return (point.scene == scene_ && point.key == point_id(point.variant).key) ||
                           is_pinned(selection.pins, point.scene, point.variant, point.key);
                  }});
    let_go_.traces += gone.traces;
    let_go_.points += gone.points;
    let_go_.timelines += gone.timelines;
    let_go_.outcomes += gone.outcomes;
    if (gone.points > 0) ++openings_;
  }
  // A trace is read into many small pieces before it is one: when the emulator rests, their pages
  // go back to the system.
  constexpr std::int64_t kWorth = 8 << 20;
  if (traced_bytes_ > kWorth && emulator_ && emulator_->outstanding().empty()) {
    traced_bytes_ = 0;
    return_free_memory();
  }
}

std::optional<std::int64_t> Workspace::engine_memory() const { return memory_of(client_.get()); }
std::optional<std::int64_t> Workspace::emulator_memory() const {
  return memory_of(emulator_.get());
}

}  // namespace warpscope
