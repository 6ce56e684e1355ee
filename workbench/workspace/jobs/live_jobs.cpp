// workbench/workspace/jobs/live_jobs.cpp: jobs that follow the selection without being asked for.
#include "workbench/workspace/jobs/live_jobs.h"

#include "profiling/session/roof_join.h"

namespace warpscope {
namespace {

constexpr double kRestS = 0.12;  // a slider that has not moved for this long rests
// Roofs take seconds: a drag that only pauses does not wait for them.
constexpr double kRoofsRestS = 1;

// Whether the session has roofs of the device that measures.
bool has_own_roofs(const Session& session) {
  const Hello* engine = session.engine();
  if (engine == nullptr || !engine->device) return session.roofs() != nullptr;
  Conditions device;
  device.device = engine->device->name;
  device.device_uuid = engine->device->uuid;
  return join_roofs(session, device).roofs != nullptr;
}

}  // namespace

LiveJobs::LiveJobs(OpenedSession& opened, const ShownScene& scene, const Selection& selection,
                   const SelectedPoints& points, const KernelFiles& files, Engines& engines,
                   JobScheduler& jobs)
    : opened_(opened),
      scene_(scene),
      selection_(selection),
      points_(points),
      files_(files),
      engines_(engines),
      jobs_(jobs) {}

void LiveJobs::measure() {
  EngineClient& engine = *engines_.measuring();
  moved_ = Clock::now();
  counters_due_ = selection_.counters != "none";
  // What waits for the last position or text is out of date, whatever variant it is of.
  for (const char* tag : {"live/", "counters/", "run/", "quoted "}) engine.cancel_tagged(tag);
  if (!has_own_roofs(opened_.session())) {
    engine.cancel_tagged("roofs");
    roofs_due_ = true;
  }
  // The variant in focus first: its point is what the person looks at.
  for (const bool focus : {true, false}) {
    for (const Variant* variant : points_.shown_variants()) {
      if ((variant->name == selection_.variant) == focus) {
        jobs_.submit(*variant, MeasureJob{.live = true}, {.tag = "live"}, selection_.axes);
      }
    }
  }
}

void LiveJobs::moved() {
  moved_ = Clock::now();
  if (!opened_.recorded() && selection_.live) measure();
}

void LiveJobs::begin_measuring() {
  // They follow the first time of the variant in focus.
  roofs_due_ = !has_own_roofs(opened_.session());
}

void LiveJobs::forget_all() {
  traced_.forget();
  counters_due_ = false;
}

bool LiveJobs::roofs_follow() const {
  return roofs_due_ && engines_.engine_ready() && !opened_.recorded();
}

bool LiveJobs::awaits_roofs() const {
  const EngineClient* engine = engines_.measuring();
  return roofs_follow() || (engine != nullptr && engine->is_outstanding("roofs"));
}

std::optional<LiveJobs::Traced> LiveJobs::traced_now() const {
  const EngineClient* emulator = engines_.emulating();
  if (emulator == nullptr || emulator->given_up()) return std::nullopt;
  const PointId& id = points_.id(selection_.variant);
  // A folder's description counts like its kernels.
  const auto described = scene_.catalogue().text(id.scene);
  return Traced{id.scene,
                id.variant,
                id.key,
                selection_.trace.block,
                selection_.trace.machine_code,
                files_.all_hash(),
                described ? described->hash : ""};
}

bool LiveJobs::trace_follows() const {
  const std::optional<Traced> now = traced_now();
  return now && traced_.last() != now;
}

// Diagrams follow the slider and the kernel's file: one block of the variant in focus is emulated
// at every move, and whenever the text is another one. “Live” is about the GPU: this does not ask
// it.
void LiveJobs::follow_traces() {
  const std::optional<Traced> now = traced_now();
  if (!now || !traced_.changes_to(*now)) return;
  const PointId& id = points_.id(selection_.variant);
  const Trace* known = opened_.session().trace(id);
  const bool of_code =
      known != nullptr && (selection_.trace.machine_code
                               ? known->machine_code.has_value() ||
                                     !known->no_machine_code.empty() || !engines_.has_disassembler()
                               : !known->machine_code.has_value());
  if (of_code && selection_.trace.block < 0 && files_.earlier_text(*known).empty()) {
    opened_.use_traces(id);
    return;  // the session has it
  }
  const Variant* variant = find_variant(scene_.scene(), selection_.variant);
  if (variant != nullptr && variant->own_kernels) jobs_.trace_live(*variant);
}

void LiveJobs::measure_counters() {
  counters_due_ = false;
  // The variant in focus does not wait for the others' times.
  for (const bool focus : {true, false}) {
    for (const Variant* variant : points_.shown_variants()) {
      if ((variant->name == selection_.variant) != focus) continue;
      jobs_.submit(*variant, measuring(selection_.counters), {.tag = "counters", .first = focus},
                   selection_.axes);
    }
  }
}

void LiveJobs::follow() {
  follow_traces();
  const double rested_s = std::chrono::duration<double>(Clock::now() - moved_).count();
  const EngineClient* engine = engines_.measuring();
  if (roofs_follow() && rested_s > kRoofsRestS &&
      !engine->is_outstanding("live/" + selection_.variant) &&
      !engine->is_outstanding("run/" + selection_.variant)) {
    roofs_due_ = false;
    jobs_.measure_roofs();
  }
  if (counters_due_ && rested_s > kRestS && !opened_.recorded()) measure_counters();
}

}  // namespace warpscope
