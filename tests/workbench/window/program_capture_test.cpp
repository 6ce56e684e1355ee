// tests/workbench/window/program_capture_test.cpp: a running program's launches in the window, and
// one of them captured. The program's driver is made for it.
#include "workbench/window/files/program_capture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "profiling/capture/capture_scene.h"
#include "profiling/capture/reader.h"
#include "scenes/file_scene.h"
#include "tests/folders.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/client/captures/program_timeline.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/panels/panels.h"
#include "workbench/window/offscreen.h"
#include "workbench/window/open_dialog.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ProgramCaptureTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("fake_program"))) GTEST_SKIP() << "the engine is not built";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    setenv("CUDA_HOME", built_program("fake_cuda").c_str(), 1);
    unsetenv("WARPSCOPE_CUDA_ROOT");
  }
  void TearDown() override {
    if (window_->state.open.program.live != nullptr) {
      window_->state.open.program.live->end_program();
      until([&] { return !is_watching(window_->state.open.program); });
    }
    window_->state.open.program.live.reset();
    fs::remove_all(folder_);
  }
  ProgramCapture& program() { return window_->state.open.program; }
  void start(const std::string& command) {
    show_program_capture(window_->state);
    program().command = command;
    program().folder = folder_.string();
    start_program(program());
  }
  void start_fake(const std::string& what) {
    start("'" + built_program("fake_program") + "' " + what);
    ASSERT_NE(program().live, nullptr) << program().trouble;
  }
  // The dialog alone, as ImGui logs words up to the end of the first window.
  std::string dialog() {
    return window_->frame(
        [&] { draw_program_capture(*workspace_, window_->style, window_->state); });
  }
  // Draws it until that holds, for at most 20 s.
  bool until(const std::function<bool()>& holds) {
    const auto start = std::chrono::steady_clock::now();
    while (!holds()) {
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(20)) return false;
      dialog();
      ::usleep(10'000);
    }
    return true;
  }

  fs::path folder_ = fs::temp_directory_path() / ("warpscope-watch-" + std::to_string(::getpid()));
  std::optional<NullWindow> window_{std::in_place, 1600, 900};
  std::unique_ptr<Workspace> workspace_ =
      sample::recorded({sample::correct(sample::focus, 120e3)}, program_catalogue());
};

TEST_F(ProgramCaptureTest, LaunchesAppearAsTheyComeAndSeveralAreCaptured) {
  EXPECT_FALSE(is_watching(program()));
  start_fake("loop");
  EXPECT_TRUE(is_watching(program()));
  ASSERT_TRUE(until([&] { return !program().rows.empty(); }));
  EXPECT_EQ(program().symbols.front(), "_Z3addPKfPfi");
  EXPECT_EQ(program().rows.front().cells.front().text, "add");
  const std::string words = dialog();
  for (const char* part : {"end the program", "capture next", "capture the slowest", "launches",
                           "share", "the program runs", "step 0"})
    EXPECT_THAT(words, HasSubstr(part));
  LiveCapture& live = *program().live;
  ASSERT_TRUE(live.take_next("add"));
  EXPECT_THAT(dialog(), HasSubstr("waiting for the next launch of a kernel with “add”"));
  ASSERT_TRUE(until([&] { return live.kept().size() == 1; })) << dialog();
  ASSERT_TRUE(live.take_like("_Z3addPKfPfi", Launch{{8, 1, 1}, {128, 1, 1}}));
  ASSERT_TRUE(until([&] { return live.kept().size() == 2; })) << dialog();
  EXPECT_FALSE(live.has_ended());
  EXPECT_THAT(dialog(), HasSubstr("add-2.wcap: add(float const*, float*, int), launch "));
  const Result<CaptureFile> second = CaptureFile::open((folder_ / "add-2.wcap").string());
  ASSERT_TRUE(second);
  EXPECT_EQ(second->capture().launch.block.x, 128);
  // Among the recent files, and a scene once it is opened.
  const Result<RecentFiles> recent = load_recent();
  ASSERT_TRUE(recent);
  EXPECT_THAT(recent->paths.at(FileKind::kernel),
              testing::ElementsAre(HasSubstr("add-2.wcap"), HasSubstr("add.wcap")));
  open_file(*workspace_, window_->state, live.kept().front().path);
  workspace_->update();
  EXPECT_EQ(workspace_->scene().name, "add");
}

TEST_F(ProgramCaptureTest, TheNewestLaunchesAreInTimeline) {
  EXPECT_EQ(shown_program(program()), nullptr);
  start_fake("loop");
  ASSERT_TRUE(until([&] { return program().timeline.activities.size() >= 20; }));
  const Timeline* shown = shown_program(program());
  ASSERT_NE(shown, nullptr);
  EXPECT_EQ(shown->activities.front().name, "add");
  EXPECT_EQ(shown->activities.front().start_ns, 0);
  // The program waits 5 ms between its launches, but for the first three.
  for (std::size_t i = 4; i < shown->activities.size(); ++i)
    EXPECT_GT(shown->activities[i].start_ns, shown->activities[i - 1].end_ns + 4e6);
  TimelinePanel state;
  const auto panel = [&] {
    return window_->frame([&] {
      ImGui::Begin("timeline");
      draw_timeline_panel({workspace_->view(), window_->style, workspace_->requests, nullptr,
                           nullptr, shown_program(program())},
                          workspace_->selection, state);
      ImGui::End();
    });
  };
  EXPECT_THAT(panel(), HasSubstr("the running program: its newest"));
  state.program = false;
  EXPECT_THAT(panel(), testing::Not(HasSubstr("the running program")));
}

// Three launches in step/forward, two in step/backward, of two streams.
TEST(ProgramTimelineTest, NeighbouringLaunchesShareTheirRanges) {
  SeenLaunches seen;
  const Launch shape{{1, 1, 1}, {32, 1, 1}};
  LaunchesReport report;
  report.process = 9;
  report.rows = {{"f", "step/forward", shape, 3, 3, 3, 1, 1},
                 {"b", "step/backward", shape, 2, 2, 2, 1, 1}};
  report.spans = {{1, 5003, 1, 77},
                  {0, 5000, 0.5, 77},
                  {0, 5001, 0.5, 78},
                  {0, 5002, 0.5, 77},
                  {1, 5004, 2, 77}};
  seen.add(report);
  const Timeline timeline = program_timeline(seen);
  ASSERT_EQ(timeline.activities.size(), 5u);
  EXPECT_EQ(timeline.activities[1].start_ns, 1e6);
  EXPECT_EQ(timeline.activities[1].end_ns, 1.5e6);
  EXPECT_NE(timeline.activities[0].stream, timeline.activities[1].stream);
  EXPECT_EQ(timeline.activities[0].stream, timeline.activities[2].stream);
  ASSERT_EQ(timeline.ranges.size(), 3u);
  const auto is = [&](std::size_t i, const char* name, double start, double end, int depth) {
    const TimelineRange& range = timeline.ranges[i];
    EXPECT_EQ(range.name, name);
    EXPECT_EQ(range.start_ns, start) << name;
    EXPECT_EQ(range.end_ns, end) << name;
    EXPECT_EQ(range.depth, depth) << name;
  };
  is(0, "step", 0, 6e6, 0);
  is(1, "forward", 0, 2.5e6, 1);
  is(2, "backward", 3e6, 6e6, 1);
}

TEST_F(ProgramCaptureTest, WhatIsWaitedForIsCancelledAndTheProgramGoesOn) {
  start_fake("loop");
  ASSERT_TRUE(until([&] { return !program().rows.empty(); }));
  LiveCapture& live = *program().live;
  ASSERT_TRUE(live.take_next("never_launched"));
  EXPECT_FALSE(live.take_next("add"));
  live.cancel();
  EXPECT_FALSE(live.waiting());
  const std::int64_t launches = live.seen().launches();
  ASSERT_TRUE(until([&] { return live.seen().launches() > launches + 20; }));
  EXPECT_TRUE(live.kept().empty());
}

// As a picture, with the device's own renderer or Mesa's. WARPSCOPE_CAPTURE_PICTURE keeps it, of
// the command in WARPSCOPE_CAPTURE_COMMAND: how the page's picture is made.
TEST_F(ProgramCaptureTest, TheDialogIsAPictureWithARowPerKernel) {
  const char* kept = std::getenv("WARPSCOPE_CAPTURE_PICTURE");
  const char* command = std::getenv("WARPSCOPE_CAPTURE_COMMAND");
  if (command != nullptr) {
    start(command);
  } else {
    start_fake("loop");
  }
  ASSERT_NE(program().live, nullptr) << program().trouble;
  ASSERT_TRUE(until([&] { return !program().rows.empty(); }));
  if (command == nullptr) {
    ASSERT_TRUE(program().live->take_next("add"));
    ASSERT_TRUE(until([&] { return program().live->kept().size() == 1; }));
  } else {
    ASSERT_TRUE(program().live->take_next("layer_norm"));
    ::usleep(1'500'000);
  }
  const ProgramCapture shown = program();
  window_.reset();  // one of Dear ImGui's contexts at a time
  Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(1280, 560);
  ASSERT_TRUE(screen) << sentence(screen.error());
  FrameState state;
  state.open.program = shown;
  Style style = make_style(Theme::dark, 1);
  load_fonts(style);
  apply_style(style);
  for (int frame = 0; frame < 4; ++frame)
    (*screen)->frame(0.1, [&] { draw_program_capture(*workspace_, style, state); });
  const std::string path = kept != nullptr ? kept : (folder_ / "dialog.png").string();
  const Result<void> saved = (*screen)->save_png(path);
  screen->reset();
  window_.emplace(1600, 900);
  program() = shown;
  ASSERT_TRUE(saved) << sentence(saved.error());
  EXPECT_GT(fs::file_size(path), 10'000u);  // a plain surface has less than 5000 bytes
}

TEST_F(ProgramCaptureTest, WhatGoesWrongIsOneSentenceInTheDialog) {
  start("  ");
  EXPECT_THAT(program().trouble, HasSubstr("no program is named"));
  EXPECT_THAT(dialog(), HasSubstr("no program is named"));
  program().folder = (folder_ / "nowhere").string();
  program().command = "true";
  start_program(program());
  EXPECT_THAT(program().trouble, HasSubstr("nowhere: there is no such folder"));
  start("./not_there");
  ASSERT_TRUE(until([&] { return !is_watching(program()); }));
  EXPECT_THAT(dialog(), HasSubstr("not found"));  // the shell's own words
  EXPECT_THAT(program().live->messages().front(), HasSubstr("the program ended with status 127"));
  start("true");
  ASSERT_TRUE(until([&] { return !is_watching(program()); }));
  EXPECT_EQ(program().live->messages().back(), "the program did not use CUDA");
  start_fake("crash");
  ASSERT_TRUE(program().live->take_next("never_launched"));
  ASSERT_TRUE(until([&] { return !is_watching(program()); }));
  EXPECT_EQ(program().live->messages().back(),
            "the program ended before such a launch came: the next launch of a kernel with "
            "“never_launched”");
}

}  // namespace
}  // namespace warpscope
