// workbench/selection.h: what the person chose: the only thing panels write.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profiling/timing.h"
#include "scenes/axis.h"

namespace warpscope {

// Something the person asked for once (a button, a key, a menu). The workspace takes requests out
// of the selection and turns them into jobs.
struct Request {
  enum class Kind {
    measure,   // one variant (or all applying ones when `variant` is empty) at the selection
    sweep,     // all shown variants over sweep_axis
    timeline,  // capture one run of `variant`
    roofs,     // measure the roofs again
    verify,    // check outputs only
    cancel,    // everything waiting and running
    restart_engine,
  };
  Kind kind = Kind::measure;
  std::string variant;
};

struct Selection {
  std::string scene;                     // another name here makes the workspace turn to that scene
  Configuration axes;                    // of the scene
  std::map<std::string, bool> unlinked;  // axes that no longer follow the one they are linked to
  std::string variant;                   // the one in focus
  std::string baseline;                  // the one others are compared with
  std::map<std::string, bool> hidden;    // variants switched off in plots, by name
  CacheState cache = CacheState::warm;   // which time plots show
  std::string counters = "live";         // the set collected when sliders rest
  bool live = true;                      // measure as sliders move
  std::string sweep_axis;                // Sweep's x …
  std::string sweep_metric = "time.warm";  // … and y
  std::string step;                        // of the focused variant; empty: the whole run
  std::vector<Request> requests;           // emptied by the workspace
  std::uint64_t moved = 0;                 // counts slider moves, to know when they rest
};

}  // namespace warpscope
