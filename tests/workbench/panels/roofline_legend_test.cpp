// tests/workbench/panels/roofline_legend_test.cpp: which variants and levels a roofline draws, and
// what stands in its place where there is no arithmetic.
#include "workbench/panels/roofline/roofline_legend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/roofline/bandwidth_plot.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

VariantStanding standing(const Scene& scene, const char* name, double time_ns,
                         const std::string& apart = "") {
  VariantStanding s{};
  s.variant = find_variant(scene, name);
  s.index = variant_index(scene, name);
  s.apart = apart;
  s.time_ns = time_ns;
  RooflinePoint dram, l2;
  l2.level = Level::l2;
  s.standing.points = {dram, l2};
  s.uses = {{Level::dram, 1e12}, {Level::l2, 2e12}};
  return s;
}

TEST(RooflineLegend, FocusBaselineAndTheFastestAreDrawnFull) {
  auto workspace = sample::recorded({});
  const Scene& scene = workspace->scene();
  const std::vector<VariantStanding> all = {
      standing(scene, "warp_row_zero_test", 4e5), standing(scene, "warp_row_shuffle", 3e5),
      standing(scene, "float4_columns", 2e5), standing(scene, "k_tiles", 1e5, "measured at n=64")};
  EXPECT_EQ(fastest_of(all, ""), &all[2]) << "one that is compared with nothing is not the fastest";
  EXPECT_EQ(drawn_full(all, "warp_row_shuffle", "warp_row_zero_test", false),
            (std::set<std::string>{"warp_row_shuffle", "warp_row_zero_test", "float4_columns"}));
  EXPECT_EQ(drawn_full(all, "float4_columns", "", true).count("k_tiles"), 1u);
  EXPECT_EQ(fastest_of({}, ""), nullptr);
  EXPECT_EQ(fastest_of(all, "tf32"), nullptr) << "of another league";
}

TEST(RooflineLegend, LevelsAreSwitchedOff) {
  auto workspace = sample::recorded({});
  std::vector<VariantStanding> all = {standing(workspace->scene(), "float4_columns", 2e5)};
  leave_out({Level::l2}, all);
  ASSERT_EQ(all[0].standing.points.size(), 1u);
  EXPECT_EQ(all[0].standing.points[0].level, Level::dram);
  ASSERT_EQ(all[0].uses.size(), 1u);
  EXPECT_EQ(all[0].uses[0].level, Level::dram);
}

TEST(RooflineLegend, OneVariantIsShownAloneAndThenAllAgain) {
  auto workspace = sample::recorded({});
  const Scene& scene = workspace->scene();
  Selection selection;
  toggle_shown(selection, "k_tiles");
  EXPECT_TRUE(selection.hidden["k_tiles"]);
  toggle_shown(selection, "k_tiles");
  EXPECT_FALSE(selection.hidden["k_tiles"]);
  show_alone(selection, scene, "float4_columns");
  for (const Variant& variant : scene.variants)
    EXPECT_EQ(selection.hidden[variant.name], variant.name != "float4_columns") << variant.name;
  // From one alone to another, then to all.
  show_alone(selection, scene, "k_tiles");
  EXPECT_FALSE(selection.hidden["k_tiles"]);
  EXPECT_TRUE(selection.hidden["float4_columns"]);
  show_alone(selection, scene, "k_tiles");
  for (const Variant& variant : scene.variants)
    EXPECT_FALSE(selection.hidden[variant.name]) << variant.name;
}

TEST(RooflineLegend, AClickInTheLegendHidesAVariant) {
  NullWindow window(1200, 500);
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::baseline, 240e3),
                                     sample::correct(sample::focus, 120e3)});
  ASSERT_THAT(window.panel_under(*workspace, "roofline", "click: hide"), HasSubstr("click: hide"));
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(*workspace, "roofline"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "roofline"));
  int hidden = 0;
  for (const auto& [name, is_hidden] : workspace->selection.hidden) hidden += is_hidden ? 1 : 0;
  EXPECT_EQ(hidden, 1);
}

TEST(RooflineLegend, ASwitchTakesALevelAway) {
  NullWindow window(620, 500);
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3)});
  EXPECT_THAT(window.panel(*workspace, "roofline"), Not(HasSubstr("– ◐ L2")));
  ASSERT_THAT(window.panel_under(*workspace, "roofline", "Hide the points of this level"),
              HasSubstr("Hide the points of this level"));
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(*workspace, "roofline"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "roofline"));
  EXPECT_EQ(window.panels.roofline.off.size(), 1u);
  EXPECT_THAT(window.panel(*workspace, "roofline"), HasSubstr("Show the points of this level"));
}

// A scene without arithmetic.
std::unique_ptr<Workspace> without_flops() {
  Measurement point = sample::correct(sample::focus, 120e3);
  set_value(point.metrics, {"model.flops", 0.0, Origin::modelled, "", ""});
  return sample::recorded({sample::roofs(), point});
}

TEST(BandwidthPlot, StandsInPlaceOfARooflineWithoutArithmetic) {
  NullWindow window(620, 500);
  auto workspace = without_flops();
  const std::string words = window.panel(*workspace, "roofline");
  // 700 MB over L2 and 100 MB over DRAM in 120 µs.
  EXPECT_THAT(words,
              AllOf(HasSubstr("float4 columns  5.83 TB/s · 72.92 %"), HasSubstr("833.3 GB/s"),
                    HasSubstr("L2: limits"), HasSubstr("a track is as long as its roof")));
  EXPECT_THAT(words, AllOf(Not(HasSubstr("no place on an axis")), Not(HasSubstr("size: time"))));
  EXPECT_THAT(
      window.panel(*sample::recorded({sample::roofs(), sample::correct(sample::focus, 1e5)}),
                   "roofline"),
      Not(HasSubstr("a track is as long")));
}

TEST(BandwidthPlot, ABarThatIsClickedComesIntoFocus) {
  NullWindow window(620, 500);
  Measurement base = sample::correct(sample::baseline, 240e3);
  set_value(base.metrics, {"model.flops", 0.0, Origin::modelled, "", ""});
  Measurement point = sample::correct(sample::focus, 120e3);
  set_value(point.metrics, {"model.flops", 0.0, Origin::modelled, "", ""});
  auto workspace = sample::recorded({sample::roofs(), base, point});
  const std::string label = find_variant(workspace->scene(), sample::baseline)->label;
  ASSERT_THAT(window.panel_under(*workspace, "roofline", "bytes over 240.0 µs"),
              HasSubstr("bytes over 240.0 µs"));
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(*workspace, "roofline"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(*workspace, "roofline"));
  EXPECT_EQ(workspace->selection.variant, sample::baseline);
}

}  // namespace
}  // namespace warpscope
