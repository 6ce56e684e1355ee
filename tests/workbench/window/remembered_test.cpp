// tests/workbench/window/remembered_test.cpp: what comes back in the next run, and what a broken
// file does.
#include "workbench/window/remembered.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/recorded_session.h"
#include "workbench/workspace/file_kind.h"

namespace warpscope {
namespace {

// The settings of a person, empty at first.
class Layout : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("warpscope-layout-" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "warpscope");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& text) {
    std::ofstream(folder_ / "warpscope" / "layout.json") << text;
  }

  std::filesystem::path folder_;
};

// Opened to be read or to be written, it would keep the window waiting.
TEST_F(Layout, ThatIsAPipeOrAFolderIsRefusedAtOnce) {
  const std::filesystem::path file = folder_ / "warpscope" / "layout.json";
  for (const bool pipe : {true, false}) {
    if (pipe) {
      ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    } else {
      std::filesystem::create_directory(file);
    }
    FrameState state;
    Remembered last;
    EXPECT_FALSE(load_layout(state, last));
    const Result<void> saved = save_layout(state, last);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().kind, ErrorKind::environment);
    EXPECT_FALSE(saved.error().remedy.empty());
    std::filesystem::remove(file);
  }
  ASSERT_EQ(::mkfifo((folder_ / "warpscope" / "recent.json").c_str(), 0600), 0);
  EXPECT_FALSE(load_recent());
  EXPECT_FALSE(save_recent({}));
}

TEST_F(Layout, ThatNobodyHasAFolderForIsNotKept) {
  const char* const home = std::getenv("HOME");
  const std::string before = home == nullptr ? "" : home;
  setenv("XDG_CONFIG_HOME", "relative", 1);  // to be ignored, as the specification says
  unsetenv("HOME");
  EXPECT_TRUE(config_folder().empty());
  FrameState state;
  Remembered last;
  EXPECT_TRUE(load_layout(state, last));
  EXPECT_TRUE(save_layout(state, last));
  EXPECT_TRUE(save_recent({}));
  EXPECT_FALSE(std::filesystem::exists("relative"));
  if (home != nullptr) setenv("HOME", before.c_str(), 1);
}

TEST_F(Layout, ComesBackAsItWasSaved) {
  FrameState saved;
  saved.user_scale = 1.5f;
  saved.theme = Theme::light;
  saved.centre_tab = "timing";
  saved.right_tab = "banks";
  saved.bottom_tab = "source";
  saved.left_tab = "variants";
  saved.stacked_tab = "metrics";
  Remembered kept;
  kept.place = WindowPlace{40, 30, 1500, 800, true};
  kept.scene = "led";
  kept.session = "/somewhere/run.wsj";
  kept.scenes["led"] = {"leds_per_block", "single_frame_repeated", {{"frames", "16"}}};
  kept.folded["led"] = false;
  kept.starred = {"dram.bytes_read", "stall.wait"};
  saved.help.palette.recent = {"scene led", "panel engine"};
  ASSERT_TRUE(save_layout(saved, kept));
  FrameState state;
  Remembered last;
  const Result<void> loaded = load_layout(state, last);
  ASSERT_TRUE(loaded) << sentence(loaded.error());
  EXPECT_FLOAT_EQ(state.user_scale, 1.5f);
  EXPECT_EQ(state.theme, Theme::light);
  EXPECT_EQ(state.centre_tab, "timing");
  EXPECT_EQ(state.right_tab, "banks");
  EXPECT_EQ(state.bottom_tab, "source");
  EXPECT_EQ(state.left_tab, "variants");
  EXPECT_EQ(state.stacked_tab, "metrics");
  ASSERT_TRUE(last.place);
  EXPECT_EQ(last.place->width, 1500);
  EXPECT_EQ(last.place->x, 40);
  EXPECT_TRUE(last.place->maximised);
  EXPECT_EQ(last.scene, "led");
  EXPECT_EQ(last.session, "/somewhere/run.wsj");
  EXPECT_EQ(last.scenes["led"].variant, "leds_per_block");
  EXPECT_EQ(last.scenes["led"].axes["frames"], "16");
  EXPECT_FALSE(last.folded["led"]);
  EXPECT_EQ(last.starred, kept.starred);
  EXPECT_EQ(state.help.palette.recent, saved.help.palette.recent);
}

TEST_F(Layout, IgnoresABadFileAndClampsWhatIsOutOfRangeAndSaysSo) {
  for (const char* text :
       {"", "{", "[1]", R"({"theme": 7, "scale": null, "centre_tab": 3})",
        R"({"window": 3, "scene": [], "scenes": {"csrmm": 1, "led": {"axes": {"frames": 3}}}})"}) {
    write(text);
    FrameState state;
    Remembered last;
    const Result<void> loaded = load_layout(state, last);
    ASSERT_FALSE(loaded) << text;
    EXPECT_THAT(sentence(loaded.error()), testing::HasSubstr("layout.json")) << text;
    EXPECT_FALSE(loaded.error().remedy.empty()) << text;
    EXPECT_EQ(state.centre_tab, FrameState{}.centre_tab) << text;
    EXPECT_FALSE(last.place) << text;
  }
  write(R"({"scale": 99, "bottom_tab": "nowhere", "window": {"width": 5, "x": 1e9}})");
  FrameState state;
  Remembered last;
  const Result<void> loaded = load_layout(state, last);
  ASSERT_FALSE(loaded);
  for (const char* name : {"scale", "bottom_tab", "width", "x"})
    EXPECT_THAT(loaded.error().what, testing::HasSubstr(name));
  EXPECT_FLOAT_EQ(state.user_scale, 2.5f);
  EXPECT_EQ(state.bottom_tab, FrameState{}.bottom_tab);
  EXPECT_FALSE(last.place) << "a window 5 pixels wide";
}

TEST_F(Layout, IsNoErrorWhereThereIsNone) {
  FrameState state;
  Remembered last;
  EXPECT_TRUE(load_layout(state, last));
}

TEST_F(Layout, SceneAxesAndVariantComeBackAndUndoDoesNotLeadBehindThem) {
  Workspace before({});
  ASSERT_TRUE(before.open(recorded_session("csrmm")));
  before.update();
  before.selection.axes.set("n", std::int64_t{256});
  before.selection.variant = "float4_columns";
  before.update();
  before.selection.scene = "led";
  before.update();
  before.selection.axes.set("frames", std::int64_t{16});
  before.update();
  Remembered kept;
  remember(before, kept);
  ASSERT_TRUE(save_layout(FrameState{}, kept));

  FrameState state;
  Remembered last;
  ASSERT_TRUE(load_layout(state, last));
  Workspace after({});
  ASSERT_TRUE(recall(last, after));
  after.update();
  EXPECT_EQ(after.scene().name, "led");
  EXPECT_EQ(after.selection.axes.integer("frames"), 16);
  after.undo();
  EXPECT_EQ(after.scene().name, "led");
  after.selection.scene = "csrmm";
  after.update();
  EXPECT_EQ(after.selection.axes.integer("n"), 256);
  EXPECT_EQ(after.selection.variant, "float4_columns");
}

TEST_F(Layout, WhatTheScenesOfTodayDoNotKnowIsLeftOutAndSaid) {
  Remembered last;
  last.scene = "a scene that is gone";
  last.scenes["csrmm"] = {"a variant that is gone", "", {{"n", "many"}}};
  last.scenes["another one"] = {"x", "y", {}};
  Workspace workspace({});
  const Result<void> recalled = recall(last, workspace);
  ASSERT_FALSE(recalled);
  EXPECT_THAT(sentence(recalled.error()), testing::HasSubstr("csrmm"));
  workspace.update();
  EXPECT_EQ(workspace.scene().name, "csrmm");
  EXPECT_EQ(workspace.selection.axes, default_configuration(workspace.scene().axes));
}

TEST_F(Layout, ASessionThatLacksTheSceneShowsItsOwn) {
  Remembered last;
  last.scene = "led";
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("patterns")));
  ASSERT_TRUE(recall(last, workspace));
  EXPECT_EQ(workspace.scene().name, "patterns");
}

TEST_F(Layout, OnlyASessionThatIsNotShippedIsKept) {
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  EXPECT_EQ(workspace.view().opened.opened_by_hand(), "");
  const std::filesystem::path own = folder_ / "own.wsj.gz";
  std::filesystem::copy_file(recorded_session("csrmm"), own);
  ASSERT_TRUE(workspace.open(own));
  EXPECT_EQ(workspace.view().opened.opened_by_hand(), own.string());
}

}  // namespace
}  // namespace warpscope
