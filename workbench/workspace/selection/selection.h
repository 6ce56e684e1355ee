// workbench/workspace/selection/selection.h: what the person chose.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/figures/timing.h"
#include "scenes/base/axis.h"
#include "scenes/folder/form/description_edits.h"
#include "scenes/host/result.h"
#include "workbench/workspace/selection/named_baselines.h"
#include "workbench/workspace/selection/pins.h"

namespace warpscope {

struct Scene;
struct Stop;

// How near diagrams look: all blocks, one block's warps, one warp's requests, one request.
enum class TraceZoom { grid, block, warp, request };
const char* to_text(TraceZoom zoom);  // "grid"

// What the pointer is on, in any diagram; every open diagram lights up the same thing. Fields keep
// their "nothing" where a diagram does not know them.
struct Hovered {
  int lane = -1;
  int warp = -1;
  std::int64_t request = -1;  // index into Trace::requests
  std::int64_t sector = -1;   // of `buffer`: byte offset / 32; of none: address / 32
  std::int64_t word = -1;     // byte offset / 4 in shared memory
  std::string buffer;         // of `sector` and `element`
  std::int64_t element = -1;
  char pin = 0;      // in whose half the pointer is: 'A', 'B'; 0: the focus is shown alone
  std::string file;  // of `line`
  int line = 0;
  bool operator==(const Hovered&) const = default;
};

// What diagrams show of a trace. trace_steps.h keeps it inside the trace and moves it.
struct TraceSelection {
  struct LookedAt {
    std::string scene, variant, step;
    bool operator==(const LookedAt&) const = default;
  };
  TraceZoom zoom = TraceZoom::request;
  std::int64_t block = -1;   // linear index asked for; −1: the trace's own
  bool machine_code = true;  // diagrams are of SASS where that can be emulated, else of PTX
  std::uint32_t warp = 0;    // in the block
  std::size_t request = 0;   // index into Trace::requests, of `warp`
  std::int64_t site = -1;    // steps go through this instruction's requests; −1: through all
  int lane = -1;             // clicked: its ribbons stay; −1: none
  std::string buffer;        // the array of Warp map; empty: the one written most
  bool reads = false;        // Warp map shows readers instead of writers
  bool playing = false;      // a step forward every 1 / speed s
  bool so_far = false;       // Warp map shows only what happened up to the request
  double speed = 4;          // steps a second
  double since_step_s = 0;   // time since the last step while playing
  std::optional<LookedAt> looked_at = {};  // what the request belongs to
  std::string led_by;  // while A and B are shown: name_of the trace that `request` is of
  Hovered hovered;     // as of the last frame
  Hovered hovering;    // being written in this frame
};

// Something to be written to a file after this frame. A folder is asked for by Launch.
struct ExportWish {
  enum class Kind { none, picture, accesses, rows, raster, folder };
  Kind kind = Kind::none;
  std::string panel;  // of a picture, or of the table whose rows are wanted
  std::string text;   // the rows as CSV, once their table has been drawn; a raster's name
  int frames = 0;     // for which the rows have been waited
};

// A scene as a person leaves it for another one.
struct SceneChoice {
  Configuration axes;
  std::string variant, baseline;
};

// A line of a kernel that Source is to show. Setting it (by a click on a cause, a request or a
// branch) brings Source to the front. Source goes to the line and sets it to 0 again.
struct SourceLine {
  std::string file;  // below kernels/, as SourcePosition has it: "csrmm/float4_columns.cu"
  int line = 0;      // from 1; 0: nothing is asked for
};

// Which devices of a session of several Sweep shows: the one whose figures are shown, a line for
// each of them, or a table with a column for each.
enum class SweepDevices { shown, lines, table };

// A sweep on several devices, as it is asked for in Sweep.
struct PlannedSelection {
  bool open = false;                           // its fields are shown
  std::string devices = "all", session, plan;  // as request::BeginPlan has them
};

struct Selection {
  std::string scene;                     // another name here makes the workspace turn to that scene
  Configuration axes;                    // of the scene; those of variants where a person set them
  std::map<std::string, bool> unlinked;  // axes that no longer follow the one they are linked to
  std::map<std::string, DescriptionEdits> launches;  // other fields of scenes that are files
  std::string device;                  // UUID of the one whose figures are shown; empty: see
                                       // SelectedPoints::device
  std::string variant;                 // the one in focus
  std::string baseline;                // the one others are compared with …
  std::string baseline_device;         // … or, where this is set, the same variant on that device
  NamedBaselines baselines;            // points with names; a chosen one comes before both
  std::map<std::string, bool> hidden;  // variants switched off in plots, by name
  CacheState cache = CacheState::warm;               // which time plots show
  std::string counters = "live";                     // the set collected when sliders rest
  bool live = true;                                  // measure as sliders move
  std::string touched_axis;                          // the one moved last
  std::string sweep_axis;                            // Sweep's x …
  std::string sweep_second_axis;                     // … a map's y, else empty …
  std::string sweep_metric = "time.warm";            // … and what is plotted, or decides who wins
  SweepDevices sweep_devices = SweepDevices::shown;  // … and of which devices
  std::map<std::string, std::string> sweep_values;   // as typed, by axis; absent: its marks
  PlannedSelection planned;
  Pins pins;                 // two points kept in view …
  bool pair = true;          // … by Coalescing, Banks and Timing: both or focus
  TraceSelection trace;      // what diagrams show
  SourceLine show_source;    // taken by Source
  std::string wanted_panel;  // to be brought to the front; taken by the frame
  ExportWish wish;           // taken by the frame
  std::map<std::string, std::string> training;  // samples and epochs, as typed; absent: defaults
  std::string step;                             // of the focused variant; empty: the whole run
  // What a panel has to say of a choice; emptied by the workspace.
  std::vector<std::string> notices;
  std::map<std::string, SceneChoice> left_at;  // of scenes that a panel left: they come back so
  bool held = false;                           // a slider is being dragged: all of it is one undo
  std::uint64_t moved = 0;                     // counts slider moves, to know when they rest
};

// The scene's default axes, its baseline in focus, nothing hidden or unlinked.
void begin_scene(Selection& selection, const Scene& scene);
// Back to what was chosen when the scene was left, if it was.
void come_back(Selection& selection, const Scene& scene);
// After the scene's description changed: values that its axes can still have, others at their
// defaults; focus and baseline that it still has.
void refit(Selection& selection, const Scene& scene);
// Focus, baseline and sweep axis apply to the selected configuration, or others take their place.
void fit(Selection& selection, const Scene& scene);

// The selection with one axis at another value, as a slider moves it: it and the axes linked to it
// move as one unless the person unlinked them. error: usage.
Result<Configuration> with_axis(const Scene& scene, const Selection& selection, const Axis& axis,
                                const std::string& text);
// The selection with each of two different axes at a value, also where one is linked to the other.
// error: usage.
Result<Selection> with_place(const Scene& scene, const Selection& selection, const Axis& x,
                             const AxisValue& at_x, const Axis& y, const AxisValue& at_y);
// Turns to a recorded stop. Where other axes move with it, says which.
void choose_stop(Selection& selection, const std::string& axis, const Stop& stop);

}  // namespace warpscope
