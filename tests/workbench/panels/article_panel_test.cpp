// tests/workbench/panels/article_panel_test.cpp: the card says what holds here, what does not, and
// why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(ArticlePanel, SaysWhatIsMissingWhereNothingIsMeasured) {
  NullWindow window;
  auto workspace = sample::recorded({LogLine{"info", "recorded for a test", 0}});
  EXPECT_THAT(window.panel(*workspace, "article"),
              AllOf(HasSubstr("this device shows"), HasSubstr("? not known"),
                    HasSubstr("Removing the test for zero is a gain."),
                    HasSubstr("needs time.warm of warp-row branch-free"), Not(HasSubstr("holds"))));
}

TEST(ArticlePanel, HoldsTheArticleToTheRecordedDevice) {
  NullWindow window(1600, 2400);
  Workspace workspace({});
  ASSERT_TRUE(workspace.open(*recorded_session_of("csrmm")));
  EXPECT_THAT(window.panel(workspace, "article"),
              AllOf(HasSubstr("NVIDIA H200 shows"), HasSubstr("✔ holds"),
                    HasSubstr("✕ does not hold"), Not(HasSubstr("go to the defaults"))));
  workspace.selection.axes.set("n", std::int64_t{64});
  workspace.update();
  EXPECT_THAT(window.panel(workspace, "article"),
              AllOf(HasSubstr("go to the defaults"), HasSubstr("✕ does not hold")))
      << "the card stands at the defaults wherever the sliders are";
}

}  // namespace
}  // namespace warpscope
