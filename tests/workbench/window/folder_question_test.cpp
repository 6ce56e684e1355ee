// tests/workbench/window/folder_question_test.cpp: the window asks before files of another folder
// are read, and the answer holds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "scenes/catalogue.h"
#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/window/open_dialog.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class FolderQuestion : public testing::Test {
 protected:
  void SetUp() override {
    for (const MissedFile& other : missed_files()) decline_folder(other.folder);
    fs::create_directories(folder_.path() / "asking");
    fs::create_directories(folder_.path() / "common");
    folder_.write("asking/scene.toml", kDoublingDescription);
    folder_.write("asking/twice.cu",
                  std::string("#include \"../common/half.h\"\n") + kDoublingKernel);
    folder_.write("common/half.h", "// from the other folder\n");
    window_.state.attended = true;
  }
  std::string dialog() {
    std::string words;
    for (int i = 0; i < 3; ++i)
      words = window_.frame([&] { draw_open_dialog(*workspace_, window_.style, window_.state); });
    return words;
  }
  OwnFolder folder_{"question"};
  NullWindow window_{1280, 720};
  std::unique_ptr<Workspace> workspace_ = sample::recorded({sample::correct(sample::focus, 120e3)});
};

TEST_F(FolderQuestion, NamesTheFileAndTheFolderAndTakesNo) {
  EXPECT_THAT(dialog(), Not(HasSubstr("Allow this folder")));
  ASSERT_TRUE(workspace_->catalogue()->open_folder(folder_.path() / "asking"));
  EXPECT_THAT(dialog(), AllOf(HasSubstr("../common/half.h"),
                              HasSubstr(fs::canonical(folder_.path() / "common").string()),
                              HasSubstr("Allow this folder"), HasSubstr("Don't allow")));
  window_.hold_named(ImGuiKey_Escape, true);
  dialog();
  window_.hold_named(ImGuiKey_Escape, false);
  EXPECT_THAT(dialog(), Not(HasSubstr("Allow this folder")));
  EXPECT_FALSE(lies_in_allowed(folder_.path() / "common" / "half.h"));
  EXPECT_THAT(workspace_->catalogue()->text("asking")->sources.at(1).text, HasSubstr("#error"));
}

TEST_F(FolderQuestion, ReadsTheFolderThatIsAllowed) {
  OwnFolder other("question_allowed");
  fs::create_directories(other.path() / "allowing");
  fs::create_directories(other.path() / "shared");
  other.write("allowing/scene.toml", kDoublingDescription);
  other.write("allowing/twice.cu",
              std::string("#include \"../shared/half.h\"\n") + kDoublingKernel);
  other.write("shared/half.h", "// from the other folder\n");
  ASSERT_TRUE(workspace_->catalogue()->open_folder(other.path() / "allowing"));
  const fs::path header = other.path() / "shared" / "half.h";
  for (float y = 200; y < 520 && !lies_in_allowed(header); y += 8) {
    for (float x = 160; x < 640 && !lies_in_allowed(header); x += 40) {
      window_.move_mouse(x, y);
      dialog();
      window_.hold_mouse(0, true);
      dialog();
      window_.hold_mouse(0, false);
      dialog();
      ASSERT_FALSE(missed_files().empty() && !lies_in_allowed(header)) << "it was declined";
    }
  }
  ASSERT_TRUE(lies_in_allowed(header));
  ASSERT_TRUE(workspace_->catalogue()->open_folder(other.path() / "allowing"));
  EXPECT_THAT(workspace_->catalogue()->text("allowing")->sources.at(1).text,
              HasSubstr("from the other folder"));
}

// Pictures of the window have nobody who could answer.
TEST_F(FolderQuestion, IsNotPutToNobody) {
  window_.state.attended = false;
  ASSERT_TRUE(workspace_->catalogue()->open_folder(folder_.path() / "asking"));
  EXPECT_THAT(dialog(), Not(HasSubstr("Allow this folder")));
}

}  // namespace
}  // namespace warpscope
