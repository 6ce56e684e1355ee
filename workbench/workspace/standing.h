// workbench/workspace/standing.h: how far what a panel asks for has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "profiling/session/session.h"

namespace warpscope {

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
