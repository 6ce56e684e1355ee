// tests/workbench/window/first_minutes_test.cpp: a stranger's first minutes, on a recording that
// ships: what is seen first, what is clicked, and where that leads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/recorded_session.h"
#include "tests/workbench/window/null_window.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void click(NullWindow& window, Workspace& workspace, const char* panel) {
  for (const bool down : {true, false}) {
    window.hold_mouse(0, down);
    static_cast<void>(window.panel(workspace, panel));
  }
}

TEST(FirstMinutes, LeadFromTheOverviewToTheLineBehindItAndToWhereItIsChanged) {
  NullWindow window(1600, 900);
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(recorded_session("csrmm")));
  workspace.update();
  // Start: the overview says what this is, what it does, what limits it and what to try.
  const std::string first = window.window(workspace);
  EXPECT_EQ(window.state.centre_tab, "overview");
  EXPECT_THAT(first, AllOf(HasSubstr(workspace.scene().title), HasSubstr("what it does"),
                           HasSubstr("what limits it"), HasSubstr("responsible line"),
                           HasSubstr("what next"), HasSubstr("where its bytes go")));
  EXPECT_THAT(first, HasSubstr("A recorded session is shown"));
  // The cause is clicked: Source stands in front, at that line.
  ASSERT_THAT(window.panel_under(workspace, "overview", "a click shows it in Source"),
              HasSubstr("a click shows it in Source"));
  click(window, workspace, "overview");
  const SourceLine asked = workspace.selection.show_source;
  ASSERT_GT(asked.line, 0);
  static_cast<void>(window.window(workspace));
  const std::string then = window.window(workspace);
  EXPECT_EQ(window.state.bottom_tab, "source");
  EXPECT_EQ(window.panels.source.path, asked.file);
  EXPECT_EQ(window.panels.source.chosen, asked.line);
  EXPECT_EQ(workspace.selection.show_source.line, 0) << "it is taken";
  // And Source says where the text is changed, and what happens then.
  EXPECT_THAT(then, AllOf(HasSubstr(asked.file), HasSubstr("in your own editor")));
}

}  // namespace
}  // namespace warpscope
