// workbench/workspace/selection.h: what the person chose: the only thing panels write.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/figures/timing.h"
#include "profiling/points/outcome_messages.h"
#include "scenes/base/axis.h"
#include "workbench/workspace/pins.h"

namespace warpscope {

// Something the person asked for once (a button, a key, a menu). The workspace takes requests out
// of the selection and turns them into jobs.
struct Request {
  enum class Kind {
    measure,      // one variant (or all applying ones when `variant` is empty) at the selection
    quote,        // `counters` of `variant` at the selection, hidden or not; “none”: its times
    sweep,        // all shown variants over sweep_axis: times, and what sweep_metric needs
    timeline,     // capture one run of `variant`
    roofs,        // measure the roofs again
    verify,       // check outputs only
    trace,        // emulate `variant` at the selection, with the trace selection's block and step
    registers,    // compile `variant` at the selection for the usual architectures
    outputs,      // hold the outputs of `variant` to its baseline's, bit by bit
    listing,      // compile `step` of `variant` to PTX, and to machine code of `architecture`
    saved,        // a text of the scene's folder is another: all shown variants, briefly
    judge,        // hold `variant` at the selection to its reference, emulated
    fork,         // copy `variant` into a folder of the person's, and turn to it there
    edit,         // save `text` as `file` in the scene's folder
    go_back,      // the scene's folder as it stood at `iteration`
    train,        // let `variant` learn at the selection, from the beginning …
    train_on,     // … from its last checkpoint, at that one's axes
    train_pause,  // end it behind the step under way, with a checkpoint …
    train_stop,   // … and not to go on with it soon
    note,    // write `iteration` into the journal: a new one, or another decision on an old one
    cancel,  // everything waiting and running
    cancel_sweep,
    restart_engine,
  };
  Kind kind = Kind::measure;
  std::string variant;
  std::string counters = "none";           // of a quote
  std::string step = {};                   // of a listing …
  int architecture = 0;                    // … and whose machine code it has; 0: none
  std::optional<Configuration> axes = {};  // of a trace elsewhere than at the selection …
  std::int64_t block = -1;                 // … and its block; −1: the usual one
  std::string file = {}, text = {};        // of an edit: "warp_row.cu", all of it
  // Of a note; without a number it is a new one, of `variant` at the selection.
  std::optional<Iteration> iteration = {};
};

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
  TraceZoom zoom = TraceZoom::request;
  std::int64_t block = -1;  // linear index asked for; −1: the trace's own
  std::uint32_t warp = 0;   // in the block
  std::size_t request = 0;  // index into Trace::requests, of `warp`
  std::int64_t site = -1;   // steps go through this instruction's requests; −1: through all
  int lane = -1;            // clicked: its ribbons stay; −1: none
  std::string buffer;       // the array of Warp map; empty: the one written most
  bool reads = false;       // Warp map shows who reads instead of who writes
  bool playing = false;     // a step forward every 1 / speed s
  bool so_far = false;      // Warp map shows only what happened up to the request
  double speed = 4;         // steps a second
  double since_step_s = 0;  // time since the last step while playing
  std::string looked_at;    // scene, variant and step that the request belongs to
  std::string led_by;       // while A and B are shown: name_of the trace that `request` is of
  Hovered hovered;          // as of the last frame
  Hovered hovering;         // being written in this frame
};

// Something to be written to a file after this frame.
struct ExportWish {
  enum class Kind { none, picture, accesses, rows, raster };
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

// A line of a kernel that Source is to show. Whoever sets it (a click on a cause, a request, a
// branch) brings Source to the front; Source takes it and goes there, and line is 0 again.
struct SourceLine {
  std::string file;  // below kernels/, as SourcePosition has it: "csrmm/float4_columns.cu"
  int line = 0;      // from 1; 0: nothing is asked for
};

struct Selection {
  std::string scene;                     // another name here makes the workspace turn to that scene
  Configuration axes;                    // of the scene; those of variants where a person set them
  std::map<std::string, bool> unlinked;  // axes that no longer follow the one they are linked to
  std::string device;                    // UUID of the one whose figures are shown; empty: see
                                         // Workspace::device
  std::string variant;                   // the one in focus
  std::string baseline;                  // the one others are compared with …
  std::string baseline_device;         // … or, where this is set, the same variant on that device
  std::map<std::string, bool> hidden;  // variants switched off in plots, by name
  CacheState cache = CacheState::warm;     // which time plots show
  std::string counters = "live";           // the set collected when sliders rest
  bool live = true;                        // measure as sliders move
  std::string touched_axis;                // the one moved last
  std::string sweep_axis;                  // Sweep's x …
  std::string sweep_metric = "time.warm";  // … and y
  Pins pins;                               // two points kept in view …
  bool pair = true;                        // … by Coalescing, Banks and Timing: both or focus
  TraceSelection trace;                    // what diagrams show
  SourceLine show_source;                  // taken by Source
  std::string wanted_panel;                // to be brought to the front; taken by the frame
  ExportWish wish;                         // taken by the frame
  std::map<std::string, std::string> training;  // samples and epochs, as typed; absent: defaults
  std::string step;                             // of the focused variant; empty: the whole run
  std::vector<Request> requests;                // emptied by the workspace …
  std::vector<std::string> notices;             // … as is what a panel has to say of a choice
  std::map<std::string, SceneChoice> left_at;   // of scenes that a panel left: they come back so
  bool held = false;                            // a slider is being dragged: all of it is one undo
  std::uint64_t moved = 0;                      // counts slider moves, to know when they rest
};

}  // namespace warpscope
