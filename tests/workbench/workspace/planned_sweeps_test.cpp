// tests/workbench/workspace/planned_sweeps_test.cpp: sweeps on several devices that the window
// begins, cancels and resumes, with the real program and engines that invent times.
#include "workbench/workspace/jobs/planned_sweeps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <thread>

#include "profiling/plans/plan_file.h"
#include "scenes/host/clock.h"
#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/profiling/plans/swept_plan.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

class WindowSweeps : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("warpscope-window-sweeps-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    ::setenv("WARPSCOPE_ENGINE", built_program("fake_engine").c_str(), 1);
    engines("good");
    workspace_ = sample::recorded({sample::hello()});
    Selection& selection = workspace_->selection;
    for (const Variant& variant : workspace_->scene().variants)
      selection.hidden[variant.name] = variant.name != "auto" && variant.name != "k_tiles";
    selection.sweep_axis = "n";
    selection.sweep_values["n"] = "16,32,64";
    workspace_->update();
  }
  void TearDown() override {
    workspace_.reset();
    ::unsetenv("WARPSCOPE_ENGINE");
    ::unsetenv("FAKE_ENGINE_MODE");
    std::filesystem::remove_all(folder_);
  }
  static void engines(const char* mode) { ::setenv("FAKE_ENGINE_MODE", mode, 1); }
  // Two points at each place.
  void sweep_40_places() {
    std::string& values = workspace_->selection.sweep_values["n"];
    values = "1";
    for (int n = 2; n <= 40; ++n) values += "," + std::to_string(n);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void ask(const Request& request) {
    workspace_->log.clear_notices();
    workspace_->requests.ask(request);
    workspace_->update();
  }
  std::string notices() const {
    std::string all;
    for (const std::string& notice : workspace_->view().log.notices()) all += notice + "\n";
    return all;
  }
  // The first sweep that is followed; one that is not there has not begun.
  FollowedSweep followed() const {
    const auto& all = workspace_->view().sweeps.followed();
    return all.empty() ? FollowedSweep{} : all.front();
  }
  bool until(const std::function<bool()>& reached, double limit_s = 40) {
    const auto begun = std::chrono::steady_clock::now();
    while (!reached() && seconds_since(begun) < limit_s) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      workspace_->update();
    }
    return reached();
  }
  bool until_ended() {
    return until([this] { return followed().runs == false; });
  }
  std::size_t points(const std::string& name) const {
    const auto reading = read_session(path(name));
    return reading ? reading->session.all_points().size() : 0;
  }
  std::filesystem::path folder_;
  std::unique_ptr<Workspace> workspace_;
};

TEST_F(WindowSweeps, MeasureWhatSweepShowsOnTheDevicesThatAreNamed) {
  ask(request::BeginPlan{"", path("s.wsj"), "0,1"});
  EXPECT_EQ(notices(), "");
  EXPECT_TRUE(workspace_->view().sweeps.any_runs());
  ASSERT_TRUE(until_ended());
  EXPECT_THAT(followed().said, HasSubstr("6 of 6 points"));
  EXPECT_THAT(notices(), HasSubstr("sweep of s.wsj: "));
  EXPECT_FALSE(workspace_->view().sweeps.any_runs());
  EXPECT_EQ(points("s.wsj"), 6u);
  EXPECT_FALSE(std::filesystem::exists(path("s.plan.points")));
  const auto text = read_input(path("s.plan"), 1 << 20);
  ASSERT_TRUE(text) << sentence(text.error());
  const auto plan = parse_plan(*text, "s.plan");
  ASSERT_TRUE(plan) << sentence(plan.error());
  EXPECT_EQ(plan->points.size(), 6u);
  EXPECT_THAT(plan->points.front().words, HasSubstr(" n=16 --time-limit 1.5"));
  ask(request::OpenSession{path("s.wsj")});
  EXPECT_EQ(workspace_->session().all_points().size(), 6u);
  // A plan that is there is not written over, and can be swept as it is.
  ask(request::BeginPlan{"", path("s.wsj"), "0"});
  EXPECT_THAT(notices(), HasSubstr("there is a plan of this name already"));
  ask(request::BeginPlan{path("s.plan"), path("t.wsj"), ""});
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(points("t.wsj"), 6u);
}

TEST_F(WindowSweeps, AreCancelledWithWhatThereIsAndResumed) {
  engines("slow");
  sweep_40_places();
  ask(request::BeginPlan{"", path("s.wsj"), "0,1"});
  ask(request::BeginPlan{"", path("t.wsj"), "0"});
  EXPECT_THAT(notices(), HasSubstr("s.wsj: a sweep of this window runs already"));
  ASSERT_TRUE(until([this] { return followed().state && followed().state->done > 0; }));
  EXPECT_EQ(followed().state->devices.size(), 2u);
  ask(request::CancelPlan{path("s.wsj")});
  EXPECT_TRUE(followed().asked_to_end);
  ASSERT_TRUE(until_ended());
  const std::size_t before = points("s.wsj");
  EXPECT_GT(before, 0u);
  EXPECT_LT(before, 80u);
  ASSERT_TRUE(followed().state);
  EXPECT_THAT(followed().state->ended, HasSubstr("cancelled"));
  EXPECT_THAT(notices(), HasSubstr("cancelled: what was measured before is kept"));
  engines("good");
  ask(request::ResumePlan{path("s.wsj")});
  EXPECT_EQ(notices(), "");
  ASSERT_TRUE(until_ended());
  EXPECT_FALSE(followed().state);
  EXPECT_THAT(followed().said,
              HasSubstr("80 of 80 points, " + std::to_string(before) + " of them from before"));
  EXPECT_EQ(points("s.wsj"), 80u);
}

TEST_F(WindowSweeps, EndWithTheWindowAndCanBeResumedByAnother) {
  engines("slow");
  sweep_40_places();
  ask(request::BeginPlan{"", path("s.wsj"), "0"});
  ASSERT_TRUE(until([this] { return followed().state && followed().state->done > 0; }));
  const SweepState running = *followed().state;
  const auto begun = std::chrono::steady_clock::now();
  workspace_ = sample::recorded({sample::hello()});
  EXPECT_LT(seconds_since(begun), 10);
  EXPECT_EQ(is_running(running), false);
  const auto state = read_sweep_state(path("s.wsj"));
  ASSERT_TRUE(state);
  EXPECT_THAT(state->ended, HasSubstr("cancelled"));
  ASSERT_TRUE(workspace_->open(path("s.wsj")));
  workspace_->update();
  ASSERT_EQ(followed().session, path("s.wsj"));
  EXPECT_FALSE(followed().ours);
  engines("good");
  ask(request::ResumePlan{path("s.wsj")});
  EXPECT_EQ(notices(), "");
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(points("s.wsj"), 80u);
}

TEST_F(WindowSweeps, OfATerminalAreCancelledHere) {
  engines("slow");
  sweep_40_places();
  ask(request::BeginPlan{"", path("s.wsj"), "0"});
  ASSERT_TRUE(until([this] { return followed().state && followed().state->done > 0; }));
  // Another window sees it as a sweep that somebody else began.
  auto other = sample::recorded({sample::hello()});
  ASSERT_TRUE(other->open(path("s.wsj")));
  other->update();
  ASSERT_EQ(other->view().sweeps.followed().size(), 1u);
  EXPECT_EQ(other->view().sweeps.followed()[0].runs, true);
  other->requests.ask(request::CancelPlan{path("s.wsj")});
  other->update();
  ASSERT_TRUE(until_ended());
  EXPECT_THAT(followed().state->ended, HasSubstr("cancelled"));
}

TEST_F(WindowSweeps, SayInOneSentenceWhyTheyDoNotBegin) {
  const std::string session = path("s.wsj");
  ask(request::BeginPlan{"", "", "0"});
  EXPECT_THAT(notices(), HasSubstr("needs a file for its points"));
  ask(request::CancelPlan{session});
  EXPECT_THAT(notices(), HasSubstr("no sweep of this session runs"));
  ask(request::ResumePlan{session});
  EXPECT_THAT(notices(), HasSubstr("no sweep of this session was interrupted"));
  workspace_->selection.sweep_values["n"] = "many";
  ask(request::BeginPlan{"", session, "0"});
  EXPECT_THAT(notices(), HasSubstr("many"));
  EXPECT_FALSE(std::filesystem::exists(path("s.plan")));
  workspace_->selection.sweep_values["n"] = "16";
  ask(request::BeginPlan{path("no.plan"), session, "0"});
  ASSERT_TRUE(until_ended());
  EXPECT_THAT(notices(), HasSubstr("there is no such file"));
  ask(request::BeginPlan{"", session, "gpu"});
  ASSERT_TRUE(until_ended());
  EXPECT_THAT(notices(), HasSubstr("“gpu” is not a device"));
  engines("bare");
  ask(request::BeginPlan{path("s.plan"), session, "0"});
  ASSERT_TRUE(until_ended());
  EXPECT_THAT(notices(), HasSubstr("there is no GPU"));
}

TEST_F(WindowSweeps, AskOnlyASweepToEnd) {
  // This process has the number that the state names, and is not a sweep.
  const Result<void> asked = ask_to_end(swept_plan(33));
  ASSERT_FALSE(asked);
  EXPECT_THAT(sentence(asked.error()), HasSubstr("does not run any more"));
  SweepState elsewhere = swept_plan(33);
  elsewhere.host = "another";
  EXPECT_THAT(sentence(ask_to_end(elsewhere).error()), HasSubstr("on another machine"));
}

}  // namespace
}  // namespace warpscope
