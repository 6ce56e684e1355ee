// tests/workbench/panels/roofline_panel_test.cpp: heading, marks and legend of the roofline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/roofline/roofline_labels.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(RooflinePanel, TheLegendNamesWhatIsDrawnAndIsNeverCut) {
  Measurement earlier = sample::correct(sample::baseline, 240e3);
  earlier.conditions.code_id = "0123456789abcdef";
  Measurement point = sample::correct(sample::focus, 120e3);
  set_value(point.metrics, {"shared.wavefronts", 1e6, Origin::measured, "", ""});
  for (const int width : {620, 1600}) {
    NullWindow window(width, 500);
    auto workspace = sample::recorded({sample::roofs(), point});
    const std::string words = window.panel(*workspace, "roofline");
    EXPECT_THAT(words, AllOf(HasSubstr("● DRAM"), HasSubstr("◐ L2"), HasSubstr("○ L1"),
                             HasSubstr("◉ shared"), HasSubstr("faint lines: other mixes and pipes"),
                             HasSubstr("size: time"), Not(HasSubstr("faint ring"))));
    workspace = sample::recorded({sample::roofs(), point, earlier});
    EXPECT_THAT(window.panel(*workspace, "roofline"),
                AllOf(HasSubstr("faint ring: of an earlier source"),
                      Not(HasSubstr("of another configuration"))));
  }
}

TEST(RooflinePanel, TheHeadingHasRoomForTheRoofsName) {
  Measurement point = sample::correct(sample::focus, 120e3);
  set_value(point.metrics, {"dram.bytes_read", 250e6, Origin::measured, "", ""});
  set_value(point.metrics, {"dram.bytes_write", 250e6, Origin::measured, "", ""});
  // 460: the middle column of a window of 1280.
  for (const int width : {460, 640, 1600}) {
    NullWindow window(width, 480);
    auto workspace = sample::recorded({sample::roofs(), point});
    EXPECT_THAT(window.panel(*workspace, "roofline"),
                AllOf(HasSubstr("DRAM roof at 50 % writes"), HasSubstr("limits float4 columns"),
                      HasSubstr("at the roof "), Not(HasSubstr("…"))))
        << width;
  }
}

TEST(RooflinePanel, SaysWhyWorkWithoutArithmeticHasNoDot) {
  Measurement point = sample::correct(sample::focus, 120e3);
  const auto shown = [&point](std::optional<double> flops, bool counted) {
    set_value(point.metrics, {"model.flops", flops, Origin::modelled, "", ""});
    if (counted) {
      set_value(point.metrics, {"dram.bytes_read", 250e6, Origin::measured, "", ""});
      set_value(point.metrics, {"dram.bytes_write", 250e6, Origin::measured, "", ""});
    }
    NullWindow window(620, 500);
    // Another variant has arithmetic, and so a place.
    auto workspace =
        sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3), point});
    return window.panel(*workspace, "roofline");
  };
  const std::string none =
      "float4 columns has no floating-point work, so it has no place on an axis";
  EXPECT_THAT(shown(0, false), AllOf(HasSubstr(none), HasSubstr("its bandwidth is")));
  EXPECT_THAT(shown(0, true),
              AllOf(HasSubstr("DRAM roof at 50 % writes"), HasSubstr(none),
                    HasSubstr("its bandwidth is 4.17 TB/s of the 4.20 TB/s of the DRAM roof")));
  EXPECT_THAT(shown(std::nullopt, true),
              HasSubstr("The scene's model has no floating-point work of float4 columns, so"));
  EXPECT_THAT(shown(1e9, true), Not(HasSubstr("floating-point work")));
}

TEST(RooflinePanel, EachLevelHasAMarkOfItsOwn) {
  std::set<Fill> fills;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared})
    fills.insert(fill_of(level));
  EXPECT_EQ(fills.size(), 4u);
  EXPECT_EQ(level_mark(Level::dram), "● DRAM");
  EXPECT_EQ(level_mark(Level::shared), "◉ shared");
}

}  // namespace
}  // namespace warpscope
