// tests/workbench/panels/training_panel_test.cpp: a training in Curves and Pictures, in each of its
// states, and by its buttons.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::map<std::string, std::string> kSmall = {
    {"part", "step"}, {"batch", "2"}, {"channels", "4"}, {"size", "8"}, {"lr", "0.05"}};

std::string key_of() {
  const Scene& scene = *built_in_catalogue().find("autoencoder").value();
  return configuration_key(scene.axes, *configured(scene, "step_nchw", kSmall), "step_nchw");
}

Job training_job() {
  Job job;
  job.job = 5;
  job.work = TrainJob{};
  job.scene = "autoencoder";
  job.variant = "step_nchw";
  job.axes = kSmall;
  return job;
}

Series curve(const char* name, const char* along, std::vector<double> y, bool partial = false) {
  Series s;
  s.job = 5;
  s.point = {"autoencoder", "step_nchw", key_of(), "", ""};
  s.name = name;
  s.label = std::string(name) + " curve";
  s.along = along;
  s.unit = std::string(name) == "psnr" ? "dB" : "1";
  for (std::size_t i = 0; i < y.size(); ++i) s.x.push_back(static_cast<double>(i + 1));
  s.y = std::move(y);
  s.partial = partial;
  return s;
}

std::vector<Message> a_training(std::vector<Message> more) {
  std::vector<Message> all = {
      training_job(), curve("loss", "step", {1, 0.5, 0.25}), curve("train", "epoch", {0.8, 0.4}),
      curve("test", "epoch", {0.9, 0.45}), curve("psnr", "epoch", {0.5, 3.5})};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

// As a person opens it: the session has no point, and turns to what was trained.
std::unique_ptr<Workspace> opened(const std::vector<Message>& messages) {
  const std::filesystem::path path =
      testing::TempDir() + "training-" + std::to_string(::getpid()) + ".wsj";
  std::filesystem::remove(path);
  {
    Result<SessionFile> file = SessionFile::open(path);
    for (const Message& message : messages) EXPECT_TRUE(file->append(message));
  }
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{},
                                               std::vector<std::string>{"/bin/true"});
  EXPECT_TRUE(workspace->open(path));
  return workspace;
}

TEST(TrainingPanel, OfARecordedSessionShowsWhatItLeft) {
  NullWindow window;
  auto workspace = opened(a_training({Done{5, DoneStatus::finished}}));
  EXPECT_EQ(workspace->selection.scene, "autoencoder");
  EXPECT_EQ(workspace->selection.variant, "step_nchw");
  EXPECT_EQ(workspace->view().key(), key_of());
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("loss curve 0.25 at step 3"), HasSubstr("has learnt all its epochs"),
                    HasSubstr("Start"), HasSubstr("Resume"), Not(HasSubstr("the run goes on"))));
}

TEST(TrainingPanel, DrawsTheLossesOfAnEpochTogether) {
  NullWindow window;
  auto workspace = opened(a_training({Done{5, DoneStatus::finished}}));
  window.panels.curves.chosen = "test";
  EXPECT_THAT(window.panel(*workspace, "curves"), AllOf(HasSubstr("test curve 0.45 at epoch 2"),
                                                        HasSubstr("train curve 0.4 at epoch 2"),
                                                        Not(HasSubstr("psnr curve 3.5 dB at"))));
}

TEST(TrainingPanel, SaysWhyATrainingFailedAndThatARecordingIsTorn) {
  NullWindow window;
  const Error grew{ErrorKind::input, "the loss grew to 12 at step 37, with a learning rate of 0.1",
                   "step_nchw", "lower lr"};
  auto failed = opened(a_training({Done{5, DoneStatus::failed, grew}}));
  EXPECT_THAT(window.panel(*failed, "curves"),
              AllOf(HasSubstr("✕"), HasSubstr("at step 37, with a learning rate of 0.1"),
                    HasSubstr("loss curve 0.25 at step 3")));
  auto torn = opened(a_training({}));
  EXPECT_THAT(window.panel(*torn, "curves"),
              HasSubstr("the recording ends before the training does"));
}

TEST(TrainingPanel, SaysThatNothingWasTrainedYet) {
  NullWindow window;
  auto workspace = opened(a_training({Done{5, DoneStatus::finished}}));
  workspace->selection.variant = "step_naive";
  EXPECT_THAT(window.panel(*workspace, "curves"), HasSubstr("a training makes them"));
  EXPECT_THAT(window.panel(*workspace, "pictures"), HasSubstr("a training makes them"));
}

// A cache of the test's own: a person's training is neither found nor lost.
class OwnCache {
 public:
  OwnCache() {
    const char* before = std::getenv("XDG_CACHE_HOME");
    before_ = before == nullptr ? "" : before;
    std::filesystem::remove_all(folder_);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  OwnCache(const OwnCache&) = delete;
  OwnCache& operator=(const OwnCache&) = delete;
  ~OwnCache() {
    before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

 private:
  std::filesystem::path folder_ =
      testing::TempDir() + "training-cache-" + std::to_string(::getpid());
  std::string before_;
};

// A window without a device, whose emulator trains for real.
class LiveTraining : public testing::Test {
 protected:
  LiveTraining() : workspace_({}, {built_program("warpscope-engine"), "--role", "emulate"}) {}
  void SetUp() override {
    ASSERT_TRUE(workspace_.choose_scene("autoencoder"));
    workspace_.selection.axes =
        *with_values(workspace_.scene().axes, workspace_.selection.axes, kSmall);
    workspace_.selection.variant = "cpu_sequential";
    workspace_.selection.live = false;
    workspace_.selection.training = {{"samples", "16"}, {"epochs", "1000"}};
  }
  template <typename Happened>
  bool until(Happened happened, double seconds = 60) {
    const auto start = std::chrono::steady_clock::now();
    while (!happened()) {
      if (std::chrono::steady_clock::now() - start > std::chrono::duration<double>(seconds))
        return false;
      workspace_.wait(0.02);
      workspace_.update();
    }
    return true;
  }
  using Stage = TrainingStanding::Stage;
  bool reaches(Stage stage) {
    return until([&] { return workspace_.view().training.standing().stage == stage; });
  }
  void ask(Request request) {
    workspace_.requests.ask(std::move(request));
    workspace_.update();
  }
  std::size_t steps() const {
    for (const Series* series : workspace_.session().outcomes().series()) {
      if (series->name == "loss") return series->x.size();
    }
    return 0;
  }

  OwnCache cache_;
  Workspace workspace_;
  NullWindow window_;
};

TEST_F(LiveTraining, GrowsPausesResumesAndStops) {
  EXPECT_EQ(workspace_.view().training.standing().stage, Stage::none);
  EXPECT_THAT(window_.panel(workspace_, "curves"), HasSubstr("Start lets one CPU thread learn"));
  ask(request::Train{workspace_.selection.variant});
  ASSERT_TRUE(until([&] { return steps() > 10; }));
  EXPECT_EQ(workspace_.view().training.standing().stage, Stage::under_way);
  EXPECT_THAT(
      window_.panel(workspace_, "curves"),
      AllOf(HasSubstr("Pause"), HasSubstr("training one CPU thread"), HasSubstr("at step")));
  EXPECT_TRUE(workspace_.view().progress().busy);
  EXPECT_THAT(workspace_.view().progress().text, HasSubstr("training cpu_sequential"));
  ask(request::TrainPause{});
  ASSERT_TRUE(reaches(Stage::paused));
  const std::size_t paused = steps();
  EXPECT_THAT(window_.panel(workspace_, "curves"),
              AllOf(HasSubstr("paused"), HasSubstr("step " + std::to_string(paused) + " of 8000"),
                    HasSubstr("Resume")));
  EXPECT_THAT(window_.panel(workspace_, "pictures"),
              AllOf(HasSubstr("Held-out images"), HasSubstr("3 pictures")));
  ask(request::TrainOn{});
  ASSERT_TRUE(until([&] { return steps() > paused + 10; }));
  ask(request::TrainStop{});
  ASSERT_TRUE(reaches(Stage::stopped));
  EXPECT_THAT(window_.panel(workspace_, "curves"), HasSubstr("stopped"));
  // Curves of one piece: each step once.
  for (const Series* series : workspace_.session().outcomes().series()) {
    if (series->name != "loss") continue;
    for (std::size_t i = 0; i < series->x.size(); ++i)
      ASSERT_EQ(series->x[i], static_cast<double>(i + 1));
  }
}

TEST_F(LiveTraining, IsFoundAgainByTheNextWindow) {
  ask(request::Train{workspace_.selection.variant});
  ASSERT_TRUE(until([&] { return steps() > 10; }));
  ask(request::TrainPause{});
  ASSERT_TRUE(reaches(Stage::paused));
  Workspace next({}, {built_program("warpscope-engine"), "--role", "emulate"});
  ASSERT_TRUE(next.choose_scene("autoencoder"));
  EXPECT_EQ(next.view().training.standing().kept, workspace_.view().training.standing().kept);
  EXPECT_NE(next.view().training.standing().kept, "");
  EXPECT_THAT(window_.panel(next, "curves"), HasSubstr("cpu_sequential is kept"));
}

TEST_F(LiveTraining, DoesNotMoveThePlotUnderThePointer) {
  workspace_.selection.training["epochs"] = "10000";
  ask(request::Train{workspace_.selection.variant});
  ASSERT_TRUE(until([&] { return steps() > 10; }));
  window_.panel(workspace_, "curves");
  window_.move_mouse(640, 500);
  window_.panel(workspace_, "curves");
  const PlotView before = window_.panels.curves.view;
  const std::size_t then = steps();
  ASSERT_TRUE(until([&] { return steps() > 2 * then + 100; }));
  window_.panel(workspace_, "curves");
  EXPECT_EQ(window_.panels.curves.view.x.high, before.x.high);
  EXPECT_EQ(window_.panels.curves.view.y.high, before.y.high);
  EXPECT_EQ(window_.panels.curves.view.y.low, before.y.low);
  // Where the pointer is gone it follows.
  window_.move_mouse(5, 5);
  window_.panel(workspace_, "curves");
  EXPECT_GT(window_.panels.curves.view.x.high, before.x.high);
  ask(request::TrainStop{});
  ASSERT_TRUE(reaches(Stage::stopped));
}

TEST_F(LiveTraining, SaysWhatKeepsARungFromLearning) {
  workspace_.selection.variant = "step_naive_faulty";
  EXPECT_THAT(window_.panel(workspace_, "curves"), HasSubstr("wrong on purpose"));
  workspace_.selection.axes = *with_values(workspace_.scene().axes, workspace_.selection.axes,
                                           {{"size", "32"}, {"channels", "256"}, {"batch", "16"}});
  workspace_.selection.variant = "step_nchw";
  ask(request::Train{workspace_.selection.variant});
  ASSERT_TRUE(reaches(Stage::failed));
  EXPECT_THAT(window_.panel(workspace_, "curves"), HasSubstr("would take minutes in the emulator"));
}

}  // namespace
}  // namespace warpscope
