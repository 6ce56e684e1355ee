// tests/workbench/panels/terms_test.cpp: words of the glossary explain themselves in sentences.
#include "workbench/panels/terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>

#include "profiling/text/glossary.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string line_of(const std::string& name) {
  for (const Term& term : glossary().terms()) {
    if (term.name == name) return term.name + ": " + term.meaning;
  }
  return "no such term";
}

struct Drawn {
  std::string words;
  std::size_t lines = 0;  // vertices of what is not a letter, in fours
};

// A sentence in a box of this width, with the pointer at a place of it.
Drawn draw_in(NullWindow& window, const std::string& text, float width, ImVec2 pointer) {
  Drawn drawn;
  for (int frame = 0; frame < 3; ++frame) {
    window.move_mouse(pointer.x, pointer.y);
    drawn.words = window.frame([&] {
      ImGui::SetNextWindowPos({0, 0});
      ImGui::SetNextWindowSize({width, 400});
      ImGui::Begin("box", nullptr, ImGuiWindowFlags_NoDecoration);
      const int before = ImGui::GetWindowDrawList()->VtxBuffer.Size;
      ImGui::TextWrapped("%s", text.c_str());
      const int letters = ImGui::GetWindowDrawList()->VtxBuffer.Size - before;
      explain_terms(text, ImGui::GetContentRegionAvail().x);
      drawn.lines =
          static_cast<std::size_t>(ImGui::GetWindowDrawList()->VtxBuffer.Size - before - letters);
      ImGui::End();
    });
  }
  return drawn;
}

TEST(Terms, AreUnderlinedAndShowTheirLineUnderThePointer) {
  NullWindow window;
  const std::string text = "The baseline has no time.";
  const Drawn away = draw_in(window, text, 600, {500, 300});
  EXPECT_GT(away.lines, 0u);
  EXPECT_THAT(away.words, Not(HasSubstr(line_of("baseline"))));
  const float x = 8 + ImGui::CalcTextSize("The base").x;
  EXPECT_THAT(draw_in(window, text, 600, {x, 16}).words, HasSubstr(line_of("baseline")));
  EXPECT_THAT(draw_in(window, text, 600, {12, 16}).words, Not(HasSubstr(line_of("baseline"))));
  EXPECT_EQ(draw_in(window, "Nothing here is explained.", 600, {x, 16}).lines, 0u);
}

// The second line begins where ImGui wraps the first one.
TEST(Terms, AreFoundOnTheLineOnWhichTheyAreDrawn) {
  NullWindow window;
  const std::string text = "One word after another comes before the baseline of all";
  window.frame([] {});
  const float wrap = ImGui::CalcTextSize("One word after another comes before the").x + 20;
  const float line = ImGui::GetTextLineHeight();
  EXPECT_THAT(draw_in(window, text, wrap, {20, 8 + 1.5f * line}).words,
              HasSubstr(line_of("baseline")));
  EXPECT_THAT(draw_in(window, text, wrap, {20, 8 + 0.5f * line}).words,
              Not(HasSubstr(line_of("baseline"))));
}

TEST(Terms, HaveNoLinesInPicturesForSlides) {
  NullWindow window;
  window.style.for_slides = true;
  apply_style(window.style);
  EXPECT_EQ(draw_in(window, "The baseline has no time.", 600, {500, 300}).lines, 0u);
}

TEST(Terms, AreExplainedInTheSentencesOfOverview) {
  NullWindow window;
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                                     sample::correct(sample::focus, 120e3)});
  EXPECT_THAT(window.panel_under(*workspace, "overview", line_of("roof")),
              HasSubstr(line_of("roof")));
}

TEST(Terms, AreListedInTheHelpBelowTheKeys) {
  NullWindow window(1280, 720);
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.state.help.open = true;
  window.state.help.filter = "accuracy and one kind";
  const std::string words = window.window(*workspace);
  EXPECT_THAT(words, HasSubstr("Glossary"));
  EXPECT_THAT(words, HasSubstr("variants of one accuracy and one kind of arithmetic"));
  EXPECT_THAT(words, Not(HasSubstr("one append-only file of JSON lines")));
}

}  // namespace
}  // namespace warpscope
