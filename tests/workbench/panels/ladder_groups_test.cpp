// tests/workbench/panels/ladder_groups_test.cpp: Variants in groups, of which some fold.
#include "workbench/panels/ladder_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

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
  EXPECT_THAT(shown, AllOf(HasSubstr("published, 3 more"), HasSubstr("one change each, 4 more"),
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
  workspace_->selection.pins.a = pin_here(*workspace_, "cusparse_alg1");
  EXPECT_THAT(words(), AllOf(HasSubstr("rows per block"), HasSubstr("cuSPARSE CSR_ALG1"),
                             Not(HasSubstr("cuSPARSE CSR_ALG2"))));
}

TEST_F(LadderGroups, FoldNothingWhereAFilterAsks) {
  char(&filter)[64] = window_.panels.variants.filter.text;
  std::snprintf(filter, sizeof filter, "%s", "< 125 µs");
  EXPECT_THAT(words(), AllOf(HasSubstr("float4 columns"), Not(HasSubstr("more"))));
}

}  // namespace
}  // namespace warpscope
