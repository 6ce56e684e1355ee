// tests/workbench/window/open_dialog_test.cpp: files of every kind go where they belong, and are
// remembered.
#include "workbench/window/open_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "profiling/capture/capture_scene.h"
#include "scenes/file_scene.h"
#include "scenes/folder_watch.h"
#include "tests/profiling/capture/made_capture.h"
#include "tests/recorded_session.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/client/program_catalogue.h"
#include "workbench/window/presenter.h"
#include "workbench/window/remembered.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class OpenFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope-open-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "inner");
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    std::ofstream(folder_ / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n"
                                        "1 1 1\n";
    std::ofstream(folder_ / "frame.png") << "x";
    std::ofstream(folder_ / "own.cu") << "extern \"C\" __global__ void own(float** x) {}\n";
    std::ofstream(folder_ / "lesson.json") << "{}";
    std::ofstream(folder_ / "notes.txt") << "x";
    std::ofstream(folder_ / ".hidden.mtx") << "x";
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string last_toast() const {
    return window_.state.notices.shown.empty() ? "" : window_.state.notices.shown.back().words;
  }
  // ImGui logs words up to the end of the first window: the dialog is drawn alone.
  std::string dialog() {
    std::string words;
    for (int i = 0; i < 3; ++i)
      words = window_.frame([&] { draw_open_dialog(*workspace_, window_.style, window_.state); });
    return words;
  }
  void press(ImGuiKey key) {
    window_.hold_named(key, true);
    dialog();
    window_.hold_named(key, false);
    dialog();
  }
  void open(const char* name) { open_file(*workspace_, window_.state, folder_ / name); }

  fs::path folder_;
  NullWindow window_{1280, 720};
  std::unique_ptr<Workspace> workspace_ =
      sample::recorded({sample::correct(sample::focus, 120e3)}, program_catalogue());
};

TEST_F(OpenFiles, HaveAKindByTheirNames) {
  EXPECT_EQ(kind_of("a/run.wsj"), FileKind::session);
  EXPECT_EQ(kind_of("run.WSJ.gz"), FileKind::session);
  EXPECT_EQ(kind_of("a.mtx"), FileKind::matrix);
  EXPECT_EQ(kind_of("k.cu"), FileKind::kernel);
  EXPECT_EQ(kind_of("k.ptx"), FileKind::kernel);
  EXPECT_EQ(kind_of("x.npy"), FileKind::array);
  EXPECT_EQ(kind_of("x.gz"), FileKind::unknown);
  EXPECT_EQ(kind_of(".mtx"), FileKind::unknown);
  EXPECT_EQ(kind_of(folder_), FileKind::unknown);
}

TEST_F(OpenFiles, EveryFileAxisOfEverySceneTakesSomething) {
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Axis& axis : scene.axes) {
      if (axis.kind != AxisKind::file) continue;
      ASSERT_FALSE(axis.takes.empty()) << scene.name << " " << axis.name;
      const fs::path file =
          axis.takes.front() == "/" ? folder_ : fs::path("x" + axis.takes.front());
      const std::vector<FileUse> uses = uses_of(built_in_catalogue(), file);
      EXPECT_TRUE(std::any_of(
          uses.begin(), uses.end(),
          [&](const FileUse& use) { return use.scene == scene.name && use.axis == axis.name; }))
          << scene.name << " " << axis.name;
    }
  }
}

TEST_F(OpenFiles, AMatrixIsOfferedToTheScenesThatTakeOne) {
  open("a.mtx");
  ASSERT_GT(window_.state.open.uses.size(), 1U);
  const auto csrmm = std::find_if(window_.state.open.uses.begin(), window_.state.open.uses.end(),
                                  [](const FileUse& use) { return use.scene == "csrmm"; });
  ASSERT_NE(csrmm, window_.state.open.uses.end());
  EXPECT_THAT(dialog(), HasSubstr("csrmm: Matrix Market file"));
  use_file(*workspace_, window_.state, *csrmm);
  EXPECT_EQ(workspace_->selection.axes.text("rows"), "file");
  EXPECT_EQ(workspace_->selection.axes.text("file"), (folder_ / "a.mtx").string());
  EXPECT_THAT(last_toast(), HasSubstr("Matrix Market file"));
}

TEST_F(OpenFiles, AFrameGoesToTheOneSceneThatTakesIt) {
  open("frame.png");
  EXPECT_EQ(workspace_->scene().name, "led");
  EXPECT_EQ(workspace_->selection.axes.text("picture"), "files");
}

TEST_F(OpenFiles, AKernelIsShownAndSaysHowItRuns) {
  open("own.cu");
  EXPECT_THAT(last_toast(), AllOf(HasSubstr("warpscope trace --source"), HasSubstr("own.cu")));
  window_.window(*workspace_);
  EXPECT_EQ(window_.state.bottom_tab, "source");
  ASSERT_FALSE(window_.panels.source.lines.empty());
  EXPECT_THAT(window_.panels.source.lines.front(), HasSubstr("void own(float** x)"));
}

// Nothing is written: what the folder has it had before, and the file is followed from then on.
TEST_F(OpenFiles, AFileWithAKernelIsASceneFromThenOn) {
  const OwnFolder folder("opened/file");
  folder.write("scaled.cu",
               "__global__ void scaled(const float* x, float* y, int n) {\n  const int i = "
               "blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n");
  const fs::path file = folder.path() / "scaled.cu";
  open_file(*workspace_, window_.state, file);
  workspace_->update();
  EXPECT_EQ(workspace_->scene().name, "scaled");
  EXPECT_EQ(workspace_->selection.variant, "scaled");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1);
  window_.window(*workspace_);
  FolderWatch watch;
  follow_folder(watch, *workspace_);
  folder.write("scaled.cu",
               "__global__ void scaled(const float* x, float* y, int n) {}\n"
               "__global__ void thrice(const float* x, float* y, int n) {\n  const int i = "
               "blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = 3 * x[i];\n}\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  follow_folder(watch, *workspace_);
  workspace_->update();
  EXPECT_NE(find_variant(workspace_->scene(), "thrice"), nullptr);
  folder.write("scaled.cu", "// nothing\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  follow_folder(watch, *workspace_);
  ASSERT_TRUE(workspace_->view().folder.mistake().has_value());
  EXPECT_EQ(workspace_->view().folder.mistake()->file, "scaled/scaled.cu");
  EXPECT_NE(find_variant(workspace_->scene(), "thrice"), nullptr) << "the last good one stays";
}

// A capture may be a stranger's: it is emulated, and runs on a GPU when its person presses Run.
TEST_F(OpenFiles, ACaptureIsASceneThatIsNotMeasuredUnasked) {
  EXPECT_EQ(kind_of("norm.wcap"), FileKind::kernel);
  const std::string path = (folder_ / "scale.wcap").string();
  {
    Result<CaptureWriter> writer = CaptureWriter::create(path);
    ASSERT_TRUE(writer->add_memory(0, CaptureWriter::Side::before, counted_words(1, 10'000)));
    writer->same_after(0);
    ASSERT_TRUE(writer->write_section("PTX ", ".version 8.0\n.target sm_90\n"));
    ASSERT_TRUE(writer->finish(made_capture()));
  }
  EXPECT_TRUE(workspace_->selection.live);
  open_file(*workspace_, window_.state, path);
  workspace_->update();
  EXPECT_EQ(workspace_->scene().name, "scale");
  EXPECT_EQ(workspace_->selection.variant, "as_captured");
  EXPECT_FALSE(workspace_->selection.live);
  EXPECT_THAT(last_toast(), HasSubstr("Its kernel runs on the GPU when you press Run"));
  std::ofstream(folder_ / "broken.wcap") << "x";
  open_file(*workspace_, window_.state, folder_ / "broken.wcap");
  EXPECT_THAT(last_toast(), HasSubstr("broken.wcap: it is not a capture"));
}

// Dropped or chosen, by the folder or by its description.
TEST_F(OpenFiles, AFolderWithADescriptionIsASceneFromThenOn) {
  for (const char* name : {"dropped", "chosen"}) {
    const OwnFolder folder(std::string("opened/") + name);
    folder.write("scene.toml", kDoublingDescription);
    folder.write("twice.cu", kDoublingKernel);
    const bool whole = name == std::string("dropped");
    const fs::path path = whole ? folder.path() : folder.path() / "scene.toml";
    EXPECT_EQ(kind_of(path), FileKind::scene) << path;
    open_file(*workspace_, window_.state, path);
    workspace_->update();
    EXPECT_EQ(workspace_->scene().name, name);
    EXPECT_EQ(workspace_->view().shown.folder(), fs::weakly_canonical(folder.path()));
  }
  const OwnFolder broken("opened/broken");
  broken.write("scene.toml", "axes.n = 3");
  open_file(*workspace_, window_.state, broken.path());
  EXPECT_EQ(workspace_->scene().name, "chosen") << "the scene at hand stays";
  EXPECT_THAT(last_toast(), HasSubstr("scene.toml:1"));
}

TEST_F(OpenFiles, ALessonIsLeftForThePlayer) {
  open("lesson.json");
  EXPECT_EQ(window_.state.lesson_wish, folder_ / "lesson.json");
}

TEST_F(OpenFiles, ASessionIsShown) {
  open_file(*workspace_, window_.state, recorded_session("led"));
  EXPECT_EQ(workspace_->scene().name, "led");
  EXPECT_TRUE(workspace_->view().recorded());
}

TEST_F(OpenFiles, WhatCannotBeOpenedIsSaidInASentence) {
  open("notes.txt");
  EXPECT_THAT(last_toast(), AllOf(HasSubstr("notes.txt"), HasSubstr(".wsj")));
  open("gone.wsj");
  EXPECT_THAT(last_toast(), HasSubstr("no longer there"));
}

TEST_F(OpenFiles, AreRememberedTheNewestFirstAndTwentyOfAKind) {
  open("own.cu");
  open("a.mtx");
  open("notes.txt");
  const Result<RecentFiles> recent = load_recent();
  ASSERT_TRUE(recent);
  EXPECT_THAT(recent->paths.at(FileKind::kernel), ElementsAre((folder_ / "own.cu").string()));
  EXPECT_THAT(recent->paths.at(FileKind::matrix), ElementsAre((folder_ / "a.mtx").string()));
  RecentFiles many;
  for (int i = 0; i < 30; ++i) remember(many, FileKind::session, "/x/" + std::to_string(i));
  remember(many, FileKind::session, "/x/20");
  EXPECT_EQ(many.paths[FileKind::session].size(), RecentFiles::kMostOfAKind);
  EXPECT_EQ(many.paths[FileKind::session].front(), "/x/20");
  EXPECT_EQ(many.paths[FileKind::session][1], "/x/29");
  std::ofstream(folder_ / "warpscope" / "recent.json") << "[1]";
  const Result<RecentFiles> broken = load_recent();
  ASSERT_FALSE(broken);
  EXPECT_THAT(sentence(broken.error()), HasSubstr("recent.json"));
}

TEST_F(OpenFiles, AreListedByKindFoldersFirst) {
  const auto entries = entries_of(folder_, FileKind::matrix);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_TRUE((*entries)[0].folder);
  EXPECT_EQ((*entries)[1].name, "a.mtx");
  EXPECT_FALSE(entries_of(folder_ / "nowhere", FileKind::matrix));
}

// The tour ends with “a kernel of your own”: that is no folder of this repository.
TEST_F(OpenFiles, AKernelIsLookedForWhereThePersonIs) {
  Presenter presenter;
  window_.state.lesson_then = kOfferOpen;
  presenter.update(*workspace_, window_.state);
  EXPECT_TRUE(window_.state.open.shown);
  EXPECT_EQ(window_.state.open.kind, FileKind::kernel);
  EXPECT_EQ(window_.state.open.folder, fs::current_path());
  open("own.cu");
  window_.state.lesson_then = kOfferOpen;
  presenter.update(*workspace_, window_.state);
  EXPECT_EQ(window_.state.open.folder, folder_) << "where the last one was";
}

TEST_F(OpenFiles, TheDialogOpensByKeysAndClosesWithEsc) {
  open("a.mtx");
  window_.state.open.uses.clear();
  fs::remove(folder_ / "a.mtx");
  std::ofstream(folder_ / "b.mtx") << "%%MatrixMarket matrix coordinate real general\n1 1 0\n";
  show_open_dialog(window_.state, FileKind::matrix);
  const std::string words = dialog();
  EXPECT_THAT(words, AllOf(HasSubstr("opened before"), HasSubstr("it is no longer there"),
                           HasSubstr("b.mtx"), HasSubstr("inner/"), Not(HasSubstr("notes.txt"))));
  ImGui::GetIO().AddInputCharactersUTF8("b.m");
  dialog();
  press(ImGuiKey_Enter);
  EXPECT_FALSE(window_.state.open.shown);
  EXPECT_GT(window_.state.open.uses.size(), 1U) << "it is a matrix: which scene takes it?";
  press(ImGuiKey_Escape);
  EXPECT_TRUE(window_.state.open.uses.empty());
  show_open_dialog(window_.state, FileKind::matrix);
  dialog();
  EXPECT_TRUE(window_.state.open.shown);
  press(ImGuiKey_Escape);
  EXPECT_FALSE(window_.state.open.shown);
}

}  // namespace
}  // namespace warpscope
