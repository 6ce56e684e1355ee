// workbench/workspace/session/standing.h: how far what a panel asks for has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

class Engines;

// What a panel may say of a variant at the selected configuration.
enum class Freshness { nothing, pending, stale, fresh };
struct PointState {
  Freshness freshness = Freshness::nothing;
  const Measurement* point = nullptr;  // at the selection, else (stale) the last one seen
  // A figure that takes part in no comparison, and why: "measured at n=128"; empty: it does.
  std::string apart;
};

struct WorkProgress {
  bool busy = false;
  double ratio = 0;
  std::string text;
  std::size_t waiting = 0;
};

// What is on its way: in the engine, of the `batch` jobs that it got since it last rested, else in
// the emulator. The engine is busy too while measuring the roofs is still to follow.
WorkProgress work_progress(const Engines& engines, const Session& session, std::size_t batch,
                           bool roofs_follow);

// A job, and how it ended, where it has.
struct JobState {
  const Job* job = nullptr;
  std::optional<Progress> progress;
  std::optional<Done> done;
};
// The newest job of this kind for a variant of the scene, or for any variant if none is named.
JobState last_job(const Session& session, const std::string& scene, JobKind kind,
                  const std::string& variant = {});

// How many passes a set of counters took when last collected on the device of this session's
// engine; empty: that is not known.
std::optional<int> counter_passes(const Session& session, const std::string& set);

// The last sweep: how many of its measurements are over. Running while some are not.
struct SweepProgress {
  std::string axis;
  std::size_t done = 0, of = 0;
  bool running() const { return done < of; }
};

// The training of the scene: the one under way, or the last one.
struct TrainingStanding {
  enum class Stage { none, under_way, paused, stopped, over, failed };
  Stage stage = Stage::none;
  std::string variant;
  std::int64_t steps = 0;  // of all epochs; 0: not known yet
  double ratio = 0;        // of them done
  std::string text;        // how far it is, or why it failed
  std::string kept;        // "step 120 of 800, step_nchw": what it can go on from; empty: nothing
};

}  // namespace warpscope
