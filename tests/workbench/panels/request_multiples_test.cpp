// tests/workbench/panels/request_multiples_test.cpp: all requests of a line as small pictures, and
// what was counted at lines beside the modelled figures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> traced(Measurement point = sample::correct(sample::focus, 120e3)) {
  Trace trace = synthetic_trace();
  trace.key = sample::key_at_n(128);
  return sample::recorded({point, trace});
}

TEST(RequestMultiples, ShowEveryRequestOfTheLineAndSayHowMany) {
  NullWindow window(900, 900);
  auto workspace = traced();
  const std::string one = window.panel(*workspace, "coalescing");
  EXPECT_THAT(one, AllOf(HasSubstr("all requests of this line"), Not(HasSubstr("in the block"))));
  window.panels.coalescing.multiples.shown = true;
  const std::string all = window.panel(*workspace, "coalescing");
  EXPECT_THAT(all, AllOf(HasSubstr("96 requests of this line in the block"),
                         HasSubstr("this request alone")));
  EXPECT_THAT(window.panel_under(*workspace, "coalescing", "Click: this request."),
              HasSubstr("Click: this request."));
}

TEST(RequestMultiples, AClickChoosesARequestAndShowsItAlone) {
  NullWindow window(900, 900);
  auto workspace = traced();
  window.panels.coalescing.multiples.shown = true;
  const std::string words = window.panel_under(*workspace, "coalescing", "Click: this request.");
  ASSERT_THAT(words, HasSubstr("Click: this request."));
  window.hold_mouse(0, true);
  window.panel(*workspace, "coalescing");
  window.hold_mouse(0, false);
  window.panel(*workspace, "coalescing");
  EXPECT_FALSE(window.panels.coalescing.multiples.shown);
}

TEST(RequestMultiples, OfSharedMemoryAreInBanks) {
  NullWindow window(900, 900);
  auto workspace = traced();
  window.panels.banks.multiples.shown = true;
  EXPECT_THAT(window.panel(*workspace, "banks"),
              HasSubstr("48 requests of this line in the block"));
}

TEST(RequestMultiples, TheTableSaysWhatWasCountedAtALine) {
  NullWindow window(1200, 900);
  Measurement point = sample::correct(sample::focus, 120e3);
  LineCount row;
  row.position = {"csrmm/float4_columns.cu", 31, 0};
  row.figures[LineMetric::sectors] = 960;
  point.steps.front().lines.rows = {row};
  point.steps.front().text_hash = "";  // not recorded: nothing says that the text is another one
  auto workspace = traced(point);
  EXPECT_THAT(window.panel(*workspace, "coalescing"), HasSubstr("waste"));
  EXPECT_THAT(window.panel_under(*workspace, "coalescing", "for its 2 instructions together"),
              HasSubstr("10.00"));
}

// The table of accesses that was drawn last; null: there is none.
const ImGuiTable* access_table() {
  ImGuiContext& context = *ImGui::GetCurrentContext();
  for (int i = 0; i < context.Tables.GetMapSize(); ++i) {
    const ImGuiTable* table = context.Tables.TryGetMapData(i);
    if (table == nullptr || table->LastFrameActive < context.FrameCount - 1) continue;
    if (std::string_view(table->OuterWindow->Name).find("coalescing") != std::string_view::npos)
      return table;
  }
  return nullptr;
}

TEST(RequestMultiples, AllColumnsOfTheTableAreInViewInTheDefaultWindow) {
  NullWindow window(1600, 900);
  auto workspace = traced();
  for (int i = 0; i < 3; ++i) window.window(*workspace);
  const ImGuiTable* table = access_table();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->InnerWindow->ScrollMax.x, 0);
  for (int column = 0; column < table->ColumnsCount; ++column)
    EXPECT_TRUE(table->Columns[column].IsVisibleX) << column;
}

}  // namespace
}  // namespace warpscope
