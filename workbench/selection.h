// workbench/selection.h: what the person chose: the only thing panels write.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiling/timing.h"
#include "scenes/axis.h"

namespace warpscope {

struct Selection {
  std::string scene = "csrmm";
  Configuration axes;                      // of the scene
  std::map<std::string, bool> unlinked;    // axes that no longer follow the one they are linked to
  std::string variant;                     // the one in focus
  std::string baseline;                    // the one others are compared with
  std::map<std::string, bool> hidden;      // variants switched off in plots, by name
  CacheState cache = CacheState::warm;     // which time plots show
  std::string counters = "live";           // the set collected when sliders rest
  bool live = true;                        // measure as sliders move
  std::string sweep_axis = "n";            // Sweep's x …
  std::string sweep_metric = "time.warm";  // … and y
  std::string step;                        // of the focused variant; empty: the whole run
  std::uint64_t moved = 0;                 // counts slider moves, to know when they rest
};

}  // namespace warpscope
