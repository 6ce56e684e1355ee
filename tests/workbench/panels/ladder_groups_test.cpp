// tests/workbench/panels/ladder_groups_test.cpp: Variants in groups, of which some fold, and rows
// that are right by luck.
#include "workbench/panels/variants/ladder_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui_internal.h>

#include <cstdio>
#include <string_view>

#include "scenes/catalogue.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class LadderGroups : public testing::Test {
 protected:
  LadderGroups() { workspace_->selection.variant = sample::baseline; }
  std::string words() { return window_.panel(*workspace_, "variants"); }
  NullWindow window_{700, 900};
  std::unique_ptr<Workspace> workspace_ = sample::recorded(
      {sample::roofs(), sample::correct(sample::baseline, 240e3),
       sample::correct("rows_per_block", 131e3), sample::correct("float4_columns", 117e3)});
};

TEST_F(LadderGroups, OpenWithTheSixOfTheArticleAndFoldTheOthers) {
  const std::string shown = words();
  for (const char* rung : {"warp-row zero test", "warp-row branch-free", "warp-row shuffle",
                           "warp-row unroll ×4", "block-row 8 warps unroll ×4", "length dispatch"})
    EXPECT_THAT(shown, HasSubstr(rung));
  EXPECT_THAT(shown, AllOf(HasSubstr("published, 3 more"), HasSubstr("ablations, 4 more"),
                           HasSubstr("ours, "), HasSubstr("libraries, "),
                           Not(HasSubstr("rows per block")), Not(HasSubstr("131.0 µs"))));
  EXPECT_THAT(shown, HasSubstr("117.0 µs")) << "the least time of the folded ones of ours";
}

TEST_F(LadderGroups, ShowAllOfAGroupThatIsOpenAndFoldItByAClick) {
  window_.panels.variants.open = {"ours"};
  EXPECT_THAT(words(), AllOf(HasSubstr("rows per block"), HasSubstr("131.0 µs"),
                             Not(HasSubstr("block-row zero test"))));
}

TEST_F(LadderGroups, KeepTheFocusAndWhatIsPinnedInView) {
  workspace_->selection.variant = "rows_per_block";
  workspace_->selection.pins.a = pin_here(workspace_->view(), "cusparse_alg1");
  EXPECT_THAT(words(), AllOf(HasSubstr("rows per block"), HasSubstr("cuSPARSE CSR_ALG1"),
                             Not(HasSubstr("cuSPARSE CSR_ALG2"))));
}

TEST_F(LadderGroups, FoldNothingWhereAFilterAsks) {
  char(&filter)[64] = window_.panels.variants.filter.text;
  std::snprintf(filter, sizeof filter, "%s", "< 125 µs");
  EXPECT_THAT(words(), AllOf(HasSubstr("float4 columns"), Not(HasSubstr("more"))));
}

// How far down the list is scrolled; -1: all of it is in view.
float scrolled() {
  for (const ImGuiWindow* each : ImGui::GetCurrentContext()->Windows) {
    if (each->ScrollMax.y > 0 && std::string_view(each->Name).find("variants") != std::string::npos)
      return each->Scroll.y;
  }
  return -1;
}

TEST(LadderFocus, TheRowOfTheFocusComesIntoView) {
  NullWindow window(500, 260);
  window.panels.variants.open = {"published", "ablations", "ours"};
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3)});
  workspace->selection.variant = sample::baseline;
  static_cast<void>(window.panel(*workspace, "variants"));
  EXPECT_EQ(scrolled(), 0);
  workspace->selection.variant = "k_tiles";
  static_cast<void>(window.panel(*workspace, "variants"));
  EXPECT_GT(scrolled(), 100);
}

// Kernels that are wrong on purpose are right at some sizes: such a row wins nothing.
TEST(LadderLuck, AnExhibitThatIsRightIsComparedWithNothing) {
  NullWindow window(1200, 700);
  const Scene& led = *built_in_catalogue().find("led").value();
  const auto point = [&](const char* variant, double ns) {
    Measurement m = sample::correct(variant, ns);
    m.scene = "led";
    Configuration axes = default_configuration(led.axes);
    axes.set("broken", std::string("on"));
    m.axes = for_variant(led.axes, axes, variant);
    m.key = configuration_key(led.axes, axes, variant);
    return m;
  };
  auto workspace = sample::recorded({sample::roofs(), point("grid3d_shared_pattern", 240e3),
                                     point("frames_per_warp_early_exit", 60e3)});
  Selection& selection = workspace->selection;
  ASSERT_TRUE(workspace->choose_scene("led"));
  selection.axes = default_configuration(led.axes);
  selection.axes.set("broken", std::string("on"));
  selection.variant = "frames_per_warp_early_exit";
  selection.baseline = "grid3d_shared_pattern";
  workspace->update();
  const std::string rows = window.panel(*workspace, "variants");
  EXPECT_THAT(rows, AllOf(HasSubstr("60.00 µs"), Not(HasSubstr("4.00×"))));
  EXPECT_THAT(window.panel_under(*workspace, "metrics", "right here by luck"),
              HasSubstr("right here by luck"));
}

}  // namespace
}  // namespace warpscope
