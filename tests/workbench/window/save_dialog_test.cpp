// tests/workbench/window/save_dialog_test.cpp: the dialog that asks where a file is to be written.
#include "workbench/window/files/save_dialog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class SaveDialogTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("save_dialog_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "inner");
    workspace_ = sample::recorded({sample::correct(sample::focus, 120e3)});
    window_.state.attended = true;
    dialog().folder = folder_;
    window_.window(*workspace_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  SaveDialog& dialog() { return window_.state.open.save; }
  std::string text_of(const fs::path& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  void ask(const std::string& text = "a,b\n") {
    export_to(window_.state, "warpscope-rows.csv", text);
    show();
  }
  std::string show() {
    for (int frame = 0; frame < 3; ++frame) window_.step(*workspace_);
    return window_.window(*workspace_);
  }
  void enter() {
    window_.press(*workspace_, ImGuiKey_Enter);
    window_.step(*workspace_);
    window_.step(*workspace_);
  }
  // What stands in the box is replaced.
  void type(const std::string& text) {
    window_.hold_control(true);
    window_.hold('A', true);
    window_.step(*workspace_);
    window_.hold('A', false);
    window_.hold_control(false);
    window_.step(*workspace_);
    ImGui::GetIO().AddInputCharactersUTF8(text.c_str());
    for (int frame = 0; frame < 4; ++frame) window_.step(*workspace_);
  }

  fs::path folder_;
  std::unique_ptr<Workspace> workspace_;
  NullWindow window_{1280, 720};
};

TEST_F(SaveDialogTest, NothingIsWrittenBeforeThePersonSaysSo) {
  ask();
  EXPECT_TRUE(dialog().shown);
  EXPECT_THAT(show(), AllOf(HasSubstr("inner/"), HasSubstr(folder_.string())));
  EXPECT_FALSE(fs::exists(folder_ / "warpscope-rows.csv"));
  enter();
  EXPECT_FALSE(dialog().shown);
  EXPECT_EQ(text_of(folder_ / "warpscope-rows.csv"), "a,b\n");
}

TEST_F(SaveDialogTest, TheOfferedNameIsFree) {
  std::ofstream(folder_ / "warpscope-rows.csv") << "old";
  ask();
  enter();
  EXPECT_FALSE(dialog().shown);
  EXPECT_EQ(text_of(folder_ / "warpscope-rows.csv"), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 3);
}

TEST_F(SaveDialogTest, AFileThatIsThereIsReplacedOnlyAfterAQuestion) {
  std::ofstream(folder_ / "mine.csv") << "old";
  ask();
  type("mine");
  enter();
  EXPECT_TRUE(dialog().shown);
  EXPECT_EQ(text_of(folder_ / "mine.csv"), "old");
  EXPECT_THAT(show(), HasSubstr("mine.csv is there already. Replace it?"));
  window_.press(*workspace_, ImGuiKey_Escape);
  show();
  EXPECT_TRUE(dialog().shown) << "Escape answers the question";
  EXPECT_TRUE(dialog().asked.empty());
  EXPECT_EQ(text_of(folder_ / "mine.csv"), "old");
}

TEST_F(SaveDialogTest, EscapeWritesNothing) {
  ask();
  window_.press(*workspace_, ImGuiKey_Escape);
  show();
  EXPECT_FALSE(dialog().shown);
  EXPECT_FALSE(fs::exists(folder_ / "warpscope-rows.csv"));
}

TEST_F(SaveDialogTest, SaysWhyAPlaceCannotBe) {
  ask();
  type("nowhere/x.csv");
  enter();
  EXPECT_TRUE(dialog().shown);
  EXPECT_THAT(dialog().trouble, HasSubstr("There is no folder"));
  type("  ");
  enter();
  EXPECT_THAT(dialog().trouble, HasSubstr("A file needs a name"));
}

TEST_F(SaveDialogTest, AFolderIsGoneInto) {
  ask();
  type("inner");
  enter();
  EXPECT_TRUE(dialog().shown);
  EXPECT_EQ(dialog().folder.filename(), "inner");
  type("x");
  enter();
  EXPECT_EQ(text_of(folder_ / "inner" / "x.csv"), "a,b\n");
}

TEST_F(SaveDialogTest, KeysOfTheWindowDoNothingMeanwhile) {
  ask();
  const Theme before = window_.state.theme;
  window_.hold('T', true);
  show();
  window_.hold('T', false);
  EXPECT_EQ(window_.state.theme, before);
}

TEST(PlaceToSave, IsANameInTheFolderOrAPathAndHasTheEnding) {
  EXPECT_EQ(place_to_save("/a", "b", ".csv"), "/a/b.csv");
  EXPECT_EQ(place_to_save("/a", " b.txt ", ".csv"), "/a/b.txt");
  EXPECT_EQ(place_to_save("/a", "../c/b", ".md"), "/c/b.md");
  EXPECT_EQ(place_to_save("/a", "/c/b.csv", ".csv"), "/c/b.csv");
}

}  // namespace
}  // namespace warpscope
