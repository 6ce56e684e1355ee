// tests/workbench/panels/outcome_panels_test.cpp: Curves and Pictures in each of their states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Series loss(const std::string& variant, double last, std::int64_t n = 128) {
  Series s;
  s.point = {"csrmm", variant, sample::key_of(variant, n), "", ""};
  s.name = "loss";
  s.label = "training loss";
  s.along = "step";
  s.unit = "1";
  s.x = {0, 100, 200};
  s.y = {4, 2, last};
  return s;
}

Picture picture(const std::string& variant, std::int64_t n = 128) {
  Picture p;
  p.point = {"csrmm", variant, sample::key_of(variant, n), "", ""};
  p.name = "reconstruction";
  p.caption = "input | output | difference";
  p.width = 64;
  p.height = 32;
  for (int i = 0; i < p.width * p.height; ++i) {
    const auto level = static_cast<std::uint8_t>(i % 251);
    p.rgb.insert(p.rgb.end(), {level, static_cast<std::uint8_t>(255 - level), 0});
  }
  return p;
}

std::unique_ptr<Workspace> with_outcomes(std::vector<Message> more) {
  more.insert(more.begin(),
              {sample::correct(sample::baseline, 240e3), sample::correct(sample::focus, 120e3),
               sample::correct(sample::focus, 120e3, 256)});
  return sample::recorded(more);
}

TEST(OutcomePanels, SayThatNothingIsSelected) {
  NullWindow window;
  auto workspace = with_outcomes({});
  workspace->selection.variant = "no such variant";
  for (const char* panel : {"curves", "pictures"})
    EXPECT_THAT(window.panel(*workspace, panel), HasSubstr("Nothing is selected")) << panel;
}

TEST(OutcomePanels, SayThatASceneLeavesNone) {
  NullWindow window;
  auto workspace = with_outcomes({});
  EXPECT_THAT(window.panel(*workspace, "curves"), HasSubstr("leave no curves"));
  EXPECT_THAT(window.panel(*workspace, "pictures"), HasSubstr("leave no pictures"));
}

TEST(OutcomePanels, HaveATabOnlyWhereThereIsSomethingToShow) {
  NullWindow window;
  EXPECT_THAT(window.window(*with_outcomes({})),
              AllOf(Not(HasSubstr("Curves")), Not(HasSubstr("Pictures"))));
  EXPECT_THAT(window.window(*with_outcomes({loss(sample::focus, 1)})),
              AllOf(HasSubstr("Curves"), Not(HasSubstr("Pictures"))));
  EXPECT_THAT(window.window(*with_outcomes({picture(sample::focus)})), HasSubstr("Pictures"));
}

TEST(OutcomePanels, ShowACurveBesideThatOfTheBaseline) {
  NullWindow window;
  auto workspace = with_outcomes({loss(sample::focus, 0.5), loss(sample::baseline, 0.75)});
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("float4 columns: training loss 0.5 at step 200"),
                    HasSubstr("training loss 0.75 at step 200"), Not(HasSubstr("stale"))));
}

TEST(OutcomePanels, ShowTheCurveOfTheSourceThatWasMeasured) {
  NullWindow window;
  Measurement today = sample::correct(sample::focus, 120e3);
  today.conditions.code_id = "today";
  Series of_today = loss(sample::focus, 0.5), earlier = loss(sample::focus, 0.25);
  of_today.point.code_id = "today";
  earlier.point.code_id = "earlier";
  // The one that came last is of another source than the point.
  auto workspace = sample::recorded({today, of_today, earlier});
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("training loss 0.5 at"), Not(HasSubstr("0.25"))));
}

TEST(OutcomePanels, ACurveOrAPictureOfAnEarlierSourceSaysSoAndIsComparedWithNothing) {
  NullWindow window;
  Series earlier = loss(sample::focus, 0.5);
  earlier.point.code_id = "0123456789abcdef";
  Picture seen = picture(sample::focus);
  seen.point.code_id = "0123456789abcdef";
  auto workspace = with_outcomes({earlier, seen, loss(sample::baseline, 0.75)});
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("○ measured with an earlier source: 0123456789ab then"),
                    HasSubstr("training loss 0.5 at"), Not(HasSubstr("0.75"))));
  EXPECT_THAT(window.panel(*workspace, "pictures"),
              HasSubstr("○ measured with an earlier source: 0123456789ab then"));
  // The baseline's is not compared either if it is the earlier one.
  Series base = loss(sample::baseline, 0.75);
  base.point.code_id = "0123456789abcdef";
  workspace = with_outcomes({loss(sample::focus, 0.5), base});
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("The baseline is not drawn: it was measured with an earlier source"),
                    Not(HasSubstr("0.75"))));
}

TEST(OutcomePanels, ACurveStandsBesideThatOfAnotherDeviceWhereThatWasAskedFor) {
  NullWindow window;
  const auto on = [](const char* uuid, Measurement m) {
    m.conditions.device = std::string("card ") + uuid;
    m.conditions.device_uuid = uuid;
    return m;
  };
  Series here = loss(sample::focus, 0.5), there = loss(sample::focus, 0.25),
         baseline = loss(sample::baseline, 0.75);
  here.point.device_uuid = baseline.point.device_uuid = "GPU-a";
  there.point.device_uuid = "GPU-b";
  auto workspace =
      sample::recorded({on("GPU-a", sample::correct(sample::focus, 120e3)),
                        on("GPU-b", sample::correct(sample::focus, 150e3)), here, there, baseline});
  workspace->selection.device = "GPU-a";
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(HasSubstr("loss 0.5 at"), HasSubstr("0.75"), Not(HasSubstr("0.25"))));
  workspace->selection.baseline_device = "GPU-b";
  workspace->update();
  EXPECT_THAT(
      window.panel(*workspace, "curves"),
      AllOf(HasSubstr("loss 0.5 at"), HasSubstr("on card GPU-b (GPU-b): training loss 0.25"),
            Not(HasSubstr("0.75"))));
}

TEST(OutcomePanels, SayThatARunGoesOn) {
  NullWindow window;
  Series growing = loss(sample::focus, 0.5);
  growing.partial = true;
  EXPECT_THAT(window.panel(*with_outcomes({growing}), "curves"),
              HasSubstr("the run goes on: 3 values until now"));
}

TEST(OutcomePanels, NeverShowACurveOrAPictureOfAnotherRecordedConfiguration) {
  NullWindow window;
  auto workspace = with_outcomes({loss(sample::focus, 0.5), picture(sample::focus)});
  workspace->selection.axes.set("n", std::int64_t{256});
  workspace->update();
  EXPECT_THAT(window.panel(*workspace, "curves"),
              AllOf(Not(HasSubstr("training loss 0.5")), HasSubstr("left no curve")));
  EXPECT_THAT(window.panel(*workspace, "pictures"),
              AllOf(Not(HasSubstr("input | output")), HasSubstr("left no picture")));
}

TEST(OutcomePanels, SayWhyARunWithoutACorrectOutputHasNone) {
  NullWindow window;
  Series other = loss(sample::baseline, 1);
  auto workspace = sample::recorded(
      {sample::failed(sample::focus, Outcome::wrong, "largest error 31 times the bound", ""),
       other});
  EXPECT_THAT(window.panel(*workspace, "curves"), HasSubstr("largest error 31 times the bound"));
}

TEST(OutcomePanels, WriteTheRowsOfACurve) {
  NullWindow window;
  auto workspace = with_outcomes({loss(sample::focus, 0.5)});
  const auto press = [&] {
    for (int y = 4; y < 60 && workspace->selection.wish.kind == ExportWish::Kind::none; y += 8) {
      for (int x = 4; x < 200 && workspace->selection.wish.kind == ExportWish::Kind::none; x += 8) {
        window.move_mouse(static_cast<float>(x), static_cast<float>(y));
        static_cast<void>(window.panel(*workspace, "curves"));
        window.hold_mouse(0, true);
        static_cast<void>(window.panel(*workspace, "curves"));
        window.hold_mouse(0, false);
        static_cast<void>(window.panel(*workspace, "curves"));
      }
    }
  };
  press();
  EXPECT_EQ(workspace->selection.wish.panel, "curves");
  EXPECT_THAT(workspace->selection.wish.text, HasSubstr(",loss,step,200,0.5,1\r\n"));
}

TEST(OutcomePanels, DrawAPictureWithItsCaptionAndReadItsPixels) {
  NullWindow window;
  auto workspace = with_outcomes({picture(sample::focus)});
  EXPECT_THAT(window.panel(*workspace, "pictures"), HasSubstr("input | output | difference"));
  // Row by row, four vertices a cell: none is lost where nothing keeps textures.
  EXPECT_GE(ImGui::GetDrawData()->TotalVtxCount, 4 * 64 * 32);
  EXPECT_THAT(window.panel_under(*workspace, "pictures", "of 64 × 32 pixels"),
              HasSubstr("row 0, column 0 of 64 × 32 pixels\nred 0, green 255, blue 0"));
}

TEST(OutcomePanels, DrawALargePictureInAsManyCellsAsThereIsRoomFor) {
  NullWindow window;
  Picture large = picture(sample::focus);
  large.width = large.height = 2048;
  large.rgb.resize(3 * 2048 * 2048);
  for (std::size_t i = 0; i < large.rgb.size(); ++i)
    large.rgb[i] = static_cast<std::uint8_t>(i * 2654435761u >> 7);
  auto workspace = with_outcomes({large});
  EXPECT_THAT(window.panel(*workspace, "pictures"), HasSubstr("input | output"));
  EXPECT_LT(ImGui::GetDrawData()->TotalVtxCount, 1 << 16) << "more than 16-bit indices can name";
}

}  // namespace
}  // namespace warpscope
