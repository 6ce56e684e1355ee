// tests/workbench/workspace/compiled_requests_test.cpp: what Occupancy and Variants ask for is
// answered by a real emulating engine, without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>

#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class CompiledRequests : public testing::Test {
 protected:
  void SetUp() override {
    workspace_ = std::make_unique<Workspace>(
        std::vector<std::string>{},
        std::vector<std::string>{built_program("warpscope-engine"), "--role", "emulate"});
    ASSERT_TRUE(workspace_->choose_scene("patterns"));
    workspace_->selection.live = false;  // no traces: they are not what is asked for
    workspace_->selection.axes.set("n", std::int64_t{4096});
    workspace_->selection.variant = "copy";
    workspace_->update();
  }
  bool until(const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
      workspace_->wait(0.02);
      workspace_->update();
    }
    return enough();
  }
  std::ptrdiff_t asked(JobKind kind) const {
    const auto& jobs = workspace_->session().jobs();
    return std::count_if(jobs.begin(), jobs.end(),
                         [kind](const auto& job) { return job.second.kind() == kind; });
  }
  std::size_t compiled() const {
    const PointId& id = workspace_->view().point_id(workspace_->selection.variant);
    return workspace_->session().outcomes().compilations_of(id).size();
  }
  std::unique_ptr<Workspace> workspace_;
  NullWindow window_{1600, 900};
};

TEST_F(CompiledRequests, OccupancyAsksOnceForEachConfigurationAndDrawsTheAnswer) {
  EXPECT_THAT(window_.panel(*workspace_, "occupancy"), HasSubstr("Nothing is compiled yet"));
  if (!until([&] { return compiled() == std::size(kOccupancyArchitectures); })) {
    const auto job = workspace_->view().last_job(JobKind::registers);
    ASSERT_TRUE(job.done && job.done->error) << "it is silent";
    GTEST_SKIP() << sentence(*job.done->error);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(
        window_.panel(*workspace_, "occupancy"),
        AllOf(HasSubstr("sm_75"), HasSubstr("sm_80"), HasSubstr("sm_120"), HasSubstr("100.0 %")));
    workspace_->update();
  }
  EXPECT_EQ(asked(JobKind::registers), 1);
  // Another configuration is another question; the first one's answer is kept.
  workspace_->selection.axes.set("n", std::int64_t{8192});
  workspace_->update();
  EXPECT_EQ(compiled(), 0u);
  static_cast<void>(window_.panel(*workspace_, "occupancy"));
  EXPECT_TRUE(until([&] { return compiled() == std::size(kOccupancyArchitectures); }));
  workspace_->undo();
  static_cast<void>(window_.panel(*workspace_, "occupancy"));
  workspace_->update();
  EXPECT_EQ(asked(JobKind::registers), 2);
}

TEST_F(CompiledRequests, OutputsBesideTheBaselineAreSaidWhenTheyCome) {
  workspace_->requests.ask(request::Outputs{"copy"});
  workspace_->update();
  EXPECT_THAT(workspace_->view().log.notices(), Contains(HasSubstr("choose a baseline")));
  workspace_->log.clear_notices();
  workspace_->requests.ask(request::Outputs{"copy_grid_stride"});
  if (!until([&] { return !workspace_->session().outcomes().pairs().empty(); })) {
    const auto job = workspace_->view().last_job(JobKind::outputs);
    ASSERT_TRUE(job.done && job.done->error) << "it is silent";
    GTEST_SKIP() << sentence(*job.done->error);
  }
  EXPECT_THAT(workspace_->view().log.notices(),
              Contains(AllOf(HasSubstr("copy_grid_stride beside copy: "),
                             HasSubstr("every bit of 4 096 elements is equal"))));
}

}  // namespace
}  // namespace warpscope
