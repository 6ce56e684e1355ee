// tests/workbench/panels/source_editor_test.cpp: folders edited in Source: typed, saved, judged,
// and changed by others meanwhile.
#include "workbench/panels/source/source_editor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "scenes/catalogue.h"
#include "scenes/folder/fork/fork.h"
#include "scenes/host/input_file.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// A folder with a fork of its variant, open in a window without engines.
class SourceEditor : public testing::Test {
 protected:
  SourceEditor() : folder_(std::string("editor/") + name()) {
    folder_.write("scene.toml", kDoublingDescription);
    folder_.write("twice.cu", kDoublingKernel);
    Catalogue& catalogue = *workspace_.catalogue();
    EXPECT_TRUE(catalogue.open_folder(folder_.path()));
    const Scene& scene = **catalogue.find(name());
    EXPECT_TRUE(write_fork(catalogue, scene, scene.variants.front(), {}));
    EXPECT_TRUE(catalogue.open_folder(folder_.path()));
    EXPECT_TRUE(workspace_.begin_at(name()));
    workspace_.selection.variant = "twice_fork";
    window_->panels.source.edit.open = true;
  }
  static std::string name() {
    return "edited_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  std::string draw() {
    workspace_.update();
    return window_->panel(workspace_, "source");
  }
  std::string on_disk(const char* file) const {
    return read_input(folder_.path() / file, 1 << 20).value_or("");
  }
  SourceEdit& edit() { return window_->panels.source.edit; }

  OwnFolder folder_;
  Workspace workspace_{{}, {}};
  std::unique_ptr<NullWindow> window_ = std::make_unique<NullWindow>();
};

TEST_F(SourceEditor, OpensTheCopysFileAndMarksWhatIsNotSaved) {
  EXPECT_THAT(draw(), HasSubstr("twice_fork.cu"));
  EXPECT_EQ(edit().text, kDoublingKernel);
  EXPECT_THAT(draw(), Not(HasSubstr("not saved")));
  edit().text += "// more\n";
  EXPECT_THAT(draw(), HasSubstr("● not saved: twice_fork.cu"));
  EXPECT_EQ(on_disk("twice_fork.cu"), kDoublingKernel) << "nothing is written before it is saved";
}

TEST_F(SourceEditor, ControlSSavesAndTakesNoScreenshot) {
  draw();
  // A click into the text, then a letter and Ctrl+S.
  window_->move_mouse(640, 500);
  window_->hold_mouse(0, true);
  draw();
  window_->hold_mouse(0, false);
  draw();
  for (const char c : std::string("// typed")) ImGui::GetIO().AddInputCharacter(c);
  draw();
  ASSERT_THAT(edit().text, HasSubstr("// typed")) << "the text has the keyboard";
  window_->hold_control(true);
  window_->hold('S', true);
  draw();
  window_->hold('S', false);
  window_->hold_control(false);
  draw();
  EXPECT_THAT(on_disk("twice_fork.cu"), HasSubstr("// typed"));
  EXPECT_THAT(draw(), Not(HasSubstr("not saved")));
  EXPECT_EQ(on_disk("twice.cu"), kDoublingKernel) << "the parent's file is another one";
}

TEST_F(SourceEditor, TakesASaveOfAnotherProgramWhereNothingIsTyped) {
  draw();
  folder_.write("twice_fork.cu", "// another program\n");
  edit().looked_s = -1;
  draw();
  EXPECT_EQ(edit().text, "// another program\n");
  edit().text += "// typed\n";
  folder_.write("twice_fork.cu", "// once more\n");
  edit().looked_s = -1;
  const std::string words = draw();
  EXPECT_THAT(words, HasSubstr("was saved by another program while it was edited here"));
  EXPECT_THAT(words, HasSubstr("take what is on disk"));
  EXPECT_EQ(edit().text, "// another program\n// typed\n") << "what was typed stays";
  EXPECT_EQ(on_disk("twice_fork.cu"), "// once more\n") << "and so does what was saved";
}

TEST_F(SourceEditor, AMistakeInTheDescriptionStandsThereWithItsLine) {
  workspace_.say_mistake(Mistake{"scene.toml", 7, "there is no buffer “z”"});
  edit().description = true;
  const std::string words = draw();
  EXPECT_THAT(words, HasSubstr("line 7"));
  EXPECT_THAT(words, HasSubstr("scene.toml: there is no buffer “z”; what ran last stays"));
  EXPECT_THAT(edit().text, HasSubstr("[variants.twice_fork]"));
}

TEST_F(SourceEditor, WhatIsTypedIsNotDroppedForAnotherFile) {
  draw();
  edit().text += "// typed\n";
  workspace_.selection.variant = "twice";
  EXPECT_THAT(draw(), HasSubstr("not saved: twice_fork.cu"));
  EXPECT_THAT(edit().text, HasSubstr("// typed"));
}

TEST_F(SourceEditor, FitsBothSizesOfTheWindow) {
  for (const auto& [width, height] : {std::pair{1280, 720}, std::pair{1600, 900}}) {
    window_.reset();  // one context at a time
    window_ = std::make_unique<NullWindow>(width, height);
    NullWindow& window = *window_;
    window.panels.source.edit.open = true;
    window.state.bottom_tab = "source";
    EXPECT_THAT(window.window(workspace_), HasSubstr("save (Ctrl+S)")) << width;
  }
}

TEST(CompilerMistakes, AreLinesOfFiles) {
  const auto found = compiler_mistakes(
      "mine/k.cu: the kernel does not compile:\nmine/k.cu(44): error: expected a \";\"\n"
      "    int j = begin;\n    ^\n\nmine/k.cu(36): warning #177-D: never referenced\n"
      "element.cuh(3): error: identifier \"x\" is undefined\n\n2 errors detected\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].file, "mine/k.cu");
  EXPECT_EQ(found[0].line, 44);
  EXPECT_EQ(found[0].sentence, "expected a \";\"");
  EXPECT_EQ(found[1].file, "element.cuh");
  EXPECT_EQ(found[1].line, 3);
}

}  // namespace
}  // namespace warpscope
