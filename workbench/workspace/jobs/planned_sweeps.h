// workbench/workspace/jobs/planned_sweeps.h: sweeps of plans, which run in programs of their own.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/plans/sweep_state.h"
#include "workbench/client/child_process.h"
#include "workbench/workspace/selection/requests.h"
#include "workbench/workspace/session/selected_points.h"

// The window runs what a person would type: `warpscope plan`, then `warpscope sweep --plan`. It
// follows the file that a sweep keeps beside its session (sweep_state.h), and cancels with SIGTERM.
// Sweeps of open sessions that somebody else began are followed in the same way.
//
//   sweeps.begin({"", "csrmm.wsj", "all"});
//   sweeps.follow();                                            // once per update
//   for (const FollowedSweep& sweep : sweeps.followed()) draw(sweep);

namespace warpscope {

struct FollowedSweep {
  std::filesystem::path session;
  std::optional<SweepState> state;  // no value: it has not begun, or all points have an answer
  std::optional<bool> runs;         // as is_running
  bool ours = false;                // this window began it
  bool asked_to_end = false;
  std::string said;  // ours, once it has ended: what its program said last
};

class PlannedSweeps {
 public:
  PlannedSweeps(const OpenedSession& opened, const ShownScene& scene, const Selection& selection,
                const SelectedPoints& points, WindowLog& log);
  PlannedSweeps(const PlannedSweeps&) = delete;
  PlannedSweeps& operator=(const PlannedSweeps&) = delete;
  // A sweep of this window ends with it, in 3 s at most. It can be resumed.
  ~PlannedSweeps();
  // The engine that sweeps use from now on, as options_of has it.
  void choose_engine(std::vector<std::string> options) { engine_ = std::move(options); }
  // error: as begin, cancel and resume.
  Result<void> take(const PlanRequest& request);

  // error: usage: one of this window runs already, no session, a plan of that name is there, or
  // Sweep has no points; environment.
  Result<void> begin(const request::BeginPlan& asked);
  // error: usage: no sweep of this session runs; as ask_to_end.
  Result<void> cancel(const std::string& session);
  // Goes on with one that ended. error: as begin; usage: its state does not name the plan.
  Result<void> resume(const std::string& session);

  void follow();
  const std::vector<FollowedSweep>& followed() const { return followed_; }
  bool any_runs() const;

 private:
  // The program that runs for the window, and what it printed.
  struct Running {
    ChildProcess child;
    std::string out, err;
  };
  Result<void> is_busy() const;  // a failure
  Result<void> start(const std::filesystem::path& session,
                     std::deque<std::vector<std::string>> commands);
  Result<void> start_next();
  void look_at_program();
  void ended(int status);
  void finish(const std::string& said);
  void look_at_states();
  std::vector<std::string> sweep_command(const std::string& plan, const std::string& how) const;

  const OpenedSession& opened_;
  const ShownScene& scene_;
  const Selection& selection_;
  const SelectedPoints& points_;
  WindowLog& log_;
  std::vector<std::string> engine_;  // options of `warpscope sweep`
  std::optional<Running> running_;
  std::deque<std::vector<std::string>> next_;  // commands that follow the one that runs
  std::filesystem::path points_file_;          // that `plan` reads; removed when it has
  std::optional<FollowedSweep> own_;           // the last one that this window began
  std::vector<FollowedSweep> followed_;
  // A state is read again once its file is another one.
  struct Seen {
    std::filesystem::file_time_type written;
    std::optional<SweepState> state;
  };
  std::map<std::filesystem::path, Seen> seen_;
};

// What Sweep would measure, as lines for `warpscope plan --points`. error: usage: as sweep_places;
// the scene is in no file here, or its launch was changed in the window.
Result<std::string> planned_lines(const ShownScene& scene, const Selection& selection,
                                  const SelectedPoints& points);

}  // namespace warpscope
