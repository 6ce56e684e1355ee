// workbench/workspace/selection/requests.h: what the person asked for once: a button, a key, a
// menu.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "profiling/points/outcome_messages.h"
#include "scenes/base/axis.h"

// The workspace takes requests once per frame and turns them into jobs, or acts on them itself:
//
//   requests.ask(request::Trace{selection.variant});
//   requests.ask(request::Edit{"warp_row.cu", text});
//
// A request has the fields of its kind and no others. Without more words it concerns the selected
// configuration.

namespace warpscope {

namespace request {

// Jobs of an engine.
struct Measure {
  std::string variant;  // empty: all that apply
};
struct Quote {  // what a text quotes, also of a hidden variant
  std::string variant;
  std::string counters = "none";  // “none”: its times
};
struct Sweep {};  // all shown variants over sweep_axis: times, and what sweep_metric needs
struct Timeline {
  std::string variant;
};
struct Roofs {};  // measured again
struct Trace {    // emulated, with the trace selection's block and step
  struct Place {
    Configuration axes;
    std::int64_t block = -1;  // −1: the usual one
  };
  std::string variant;
  std::optional<Place> elsewhere = {};  // than at the selection
};
struct Stalls {  // where its warps wait: sampled on a device, and traced with its dependencies
  std::string variant;
};
struct Warps {  // what they do over time, recorded by probes on a device
  std::string variant;
};
struct Registers {  // compiled for the usual architectures
  std::string variant;
};
struct Outputs {  // compared with its baseline's, bit by bit
  std::string variant;
};
struct Listing {  // compiled to PTX, and to machine code of `architecture`
  std::string variant, step;
  int architecture = 0;  // 0: no machine code
};

// A sweep of a plan, by a program of its own (planned_sweeps.h).
struct BeginPlan {
  std::string plan;     // a plan's file; empty: one is made of what Sweep would measure
  std::string session;  // the .wsj file that its points go to
  std::string devices;  // "all", "0,1", "emulated,emulated"
};
struct CancelPlan {
  std::string session;
};
struct ResumePlan {
  std::string session;
};
struct OpenSession {
  std::string path;
};

// What is under way.
struct Cancel {};  // everything waiting and running
struct CancelSweep {};
struct RestartEngine {};

// Frees the memory of traces that are not shown and can be emulated again. The window asks for it
// when nobody has used it for a while.
struct Release {};

// A training at the selection.
struct Train {  // from the beginning
  std::string variant;
};
struct TrainOn {};     // from its last checkpoint, at that one's axes
struct TrainPause {};  // ends it after the step under way, with a checkpoint …
struct TrainStop {};   // … and does not offer to go on with it

// The scene's folder.
struct Saved {};  // a text of it is another: all shown variants, briefly
struct Judge {    // compares `variant` with its reference, emulated
  std::string variant;
};
struct Fork {  // copies `variant` into a folder of the person's, and turns to it there
  std::string variant;
};
struct Edit {
  std::string file, text;  // "warp_row.cu", all of it
};
struct GoBack {
  Iteration iteration;  // the folder becomes what it was then
};

// A scene that is a file.
struct MakeScene {  // writes it as a folder, and turns to that
  std::string folder;
};
struct WriteText {  // a file that is not there yet: a launch file
  std::string path, text;
};

// The named baselines of a session file, or its point where the selection is.
struct TakeBaselines {
  std::string path;
};
// From now on named baselines are also kept in this file, and those that it has are listed beside
// the session's.
struct KeepBaselines {
  std::string path;
};

// The journal: a new iteration of `variant`, or another decision on the one with that number.
struct Note {
  std::string variant;
  Iteration iteration;
};

}  // namespace request

// What becomes jobs of an engine.
using JobRequest =
    std::variant<request::Measure, request::Quote, request::Sweep, request::Timeline,
                 request::Roofs, request::Trace, request::Registers, request::Outputs,
                 request::Listing, request::Stalls, request::Warps>;

// What the programs of planned sweeps are asked.
using PlanRequest = std::variant<request::BeginPlan, request::CancelPlan, request::ResumePlan>;

using Request =
    std::variant<request::Measure, request::Quote, request::Sweep, request::Timeline,
                 request::Roofs, request::Trace, request::Registers, request::Outputs,
                 request::Listing, request::Stalls, request::Warps, request::Cancel,
                 request::CancelSweep, request::RestartEngine, request::Release, request::Train,
                 request::TrainOn, request::TrainPause, request::TrainStop, request::Saved,
                 request::Judge, request::Fork, request::Edit, request::GoBack, request::MakeScene,
                 request::WriteText, request::TakeBaselines, request::KeepBaselines, request::Note,
                 PlanRequest, request::OpenSession>;

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
