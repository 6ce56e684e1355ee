// workbench/workspace/selection/requests.h: what the person asked for once: a button, a key, a
// menu.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/points/outcome_messages.h"
#include "scenes/base/axis.h"

namespace warpscope {

// Something the person asked for once (a button, a key, a menu). The workspace takes requests and
// turns them into jobs.
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
    train_pause,  // end it after the step under way, with a checkpoint …
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
  // A note's number; without one it is new, of `variant` at the selection.
  std::optional<Iteration> iteration = {};
};

// What was asked since the workspace last took requests, in that order.
class Requests {
 public:
  void ask(Request request) { waiting_.push_back(std::move(request)); }
  bool empty() const { return waiting_.empty(); }
  const std::vector<Request>& waiting() const { return waiting_; }
  std::vector<Request> take() { return std::exchange(waiting_, {}); }

 private:
  std::vector<Request> waiting_;
};

}  // namespace warpscope
