// tests/workbench/panels/hang_pictures_test.cpp: who waits for whom, roles and barriers in program
// order stand where the trace has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "profiling/access/barrier_timeline.h"
#include "profiling/access/hang_rows.h"
#include "tests/profiling/access/hanging_trace.h"
#include "tests/workbench/window/drawn_boxes.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/drawing/style.h"
#include "workbench/window/frame.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Workspace> workspace_of(Trace trace) {
  trace.variant = sample::focus;
  trace.key = Workspace({}).view().key();
  return sample::recorded({sample::hello(), trace});
}

struct Cell {
  std::size_t row = 0, place = 0;
};
std::vector<Cell> cells_of(const HangTable& table, HangState state) {
  std::vector<Cell> cells;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    for (const HangCell& cell : table.rows[r].cells) {
      if (cell.state == state) cells.push_back({r, cell.place});
    }
  }
  return cells;
}

struct Screen {
  int width, height;
  float scale;
};
class HangPictures : public testing::TestWithParam<Screen> {};

// Who waits fills a box in the row of its warps under its line; who never came has a dashed frame
// under the line where it should be, and nothing else is drawn in these colours there.
TEST_P(HangPictures, HaveABoxWhereEachWaitsAndAFrameWhereItNeverCame) {
  const auto [width, height, scale] = GetParam();
  NullWindow window(width, height, scale);
  auto workspace = workspace_of(hanging_trace());
  window.panel(*workspace, "divergence");
  const HangTable table = hang_table(hanging_story());
  const std::vector<Cell> waits = cells_of(table, HangState::waits);
  const std::vector<Box> boxes = boxes_of(window.style.colours.warning);
  ASSERT_EQ(boxes.size(), waits.size());
  // Rows and columns have one size: two boxes give the others' places.
  const Box &first = boxes.front(), &last = boxes.back();
  const auto rows = static_cast<float>(waits.back().row - waits.front().row);
  const auto columns = static_cast<float>(waits.back().place) - static_cast<float>(waits[0].place);
  ASSERT_NE(rows * columns, 0);
  const float down = (last.y0 - first.y0) / rows, across = (last.x0 - first.x0) / columns;
  const auto box_at_cell = [&](const Cell& cell) {
    const float x = across * (static_cast<float>(cell.place) - static_cast<float>(waits[0].place));
    const float y = down * (static_cast<float>(cell.row) - static_cast<float>(waits[0].row));
    return Box{first.x0 + x, first.y0 + y, first.x1 + x, first.y1 + y};
  };
  EXPECT_GT(across, first.width());
  EXPECT_GT(down, first.height());
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    const Box expected = box_at_cell(waits[k]);
    EXPECT_NEAR(boxes[k].x0, expected.x0, 0.01) << k;
    EXPECT_NEAR(boxes[k].y0, expected.y0, 0.01) << k;
    EXPECT_NEAR(boxes[k].x1, expected.x1, 0.01) << k;
    EXPECT_NEAR(boxes[k].y1, expected.y1, 0.01) << k;
  }
  for (const auto& [state, colour] : {std::pair{HangState::never_came, window.style.colours.bad},
                                      std::pair{HangState::ended, window.style.colours.muted}}) {
    const std::vector<Cell> cells = cells_of(table, state);
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      for (std::size_t p = 0; p < table.places.size(); ++p) {
        const bool has = std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
          return cell.row == r && cell.place == p;
        });
        const Box cell = box_at_cell({r, p});
        const Box drawn = drawn_in({cell.x0 - 2, cell.y0 - 2, cell.x1 + 2, cell.y1 + 2}, colour);
        EXPECT_EQ(!drawn.empty(), has) << to_text(state) << " in row " << r << ", place " << p;
        if (!has) continue;
        EXPECT_NEAR(drawn.width(), cell.width(), 5) << "row " << r << ", place " << p;
      }
    }
  }
}

// All of the table is in a window of the usual size, right of the names and above the sentences.
TEST_P(HangPictures, FitTheirWindow) {
  const auto [width, height, scale] = GetParam();
  NullWindow window(width, height, scale);
  auto workspace = workspace_of(hanging_trace());
  window.panel(*workspace, "divergence");
  for (const Box& box : boxes_of(window.style.colours.warning)) {
    EXPECT_GT(box.x0, 0);
    EXPECT_LT(box.x1, static_cast<float>(width));
    EXPECT_LT(box.y1, static_cast<float>(height));
  }
}

// The real pixels: with $WARPSCOPE_PICTURES set to a folder they are kept in it.
TEST_P(HangPictures, AreDrawnOffscreen) {
  const auto [width, height, scale] = GetParam();
  Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(width, height);
  if (!screen && screen.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(screen.error());
  ASSERT_TRUE(screen) << sentence(screen.error());
  Style style = make_style(Theme::dark, scale);
  load_fonts(style);
  apply_style(style);
  for (const auto& [name, trace] :
       {std::pair{"hang", hanging_trace()}, std::pair{"barriers", trace_of_ring()}}) {
    auto workspace = workspace_of(trace);
    PanelStates panels;
    for (int frame = 0; frame < 3; ++frame) {
      (*screen)->frame(1.0 / 60, [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(
            {static_cast<float>(width) * 0.4f, static_cast<float>(height) * 0.64f});
        ImGui::Begin("alone", nullptr, ImGuiWindowFlags_NoDecoration);
        find_panel("divergence")
            ->draw({workspace->view(), style, workspace->requests}, workspace->selection, panels);
        ImGui::End();
      });
    }
    EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 500) << name;
    const char* folder = std::getenv("WARPSCOPE_PICTURES");
    if (folder == nullptr) continue;
    const std::string file = std::string(folder) + "/" + name + "-" + std::to_string(width);
    EXPECT_TRUE((*screen)->save_png(file + ".png", 0, 0, width * 2 / 5, height * 16 / 25));
  }
}

INSTANTIATE_TEST_SUITE_P(All, HangPictures,
                         testing::Values(Screen{1280, 720, 1}, Screen{1600, 900, 1},
                                         Screen{2560, 1440, 2}),
                         [](const auto& info) { return std::to_string(info.param.width); });

TEST(HangPicture, SaysTheCircleAndASentenceForEachRow) {
  NullWindow window;
  auto workspace = workspace_of(hanging_trace());
  const std::string words = window.panel(*workspace, "divergence");
  const HangStory story = hanging_story();
  EXPECT_THAT(words, HasSubstr("A circle of waits: block 0 warps 0–3 (line 31) → block 0 warp 4 "
                               "(line 24) → block 0 warps 0–3."));
  for (const WaitingWarps& wait : story.waits) EXPECT_THAT(words, HasSubstr(wait.sentence));
  EXPECT_THAT(words, HasSubstr("264 blocks never end; these are the first of them."));
}

TEST(HangPicture, ExplainsTheCellUnderThePointer) {
  NullWindow window;
  auto workspace = workspace_of(hanging_trace());
  window.panel(*workspace, "divergence");
  const Box box = boxes_of(window.style.colours.warning).front();
  window.move_mouse((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
  const std::string words = window.panel(*workspace, "divergence");
  EXPECT_THAT(words, HasSubstr("line 31: ● waits"));
  EXPECT_EQ(workspace->selection.trace.hovering.line, 31);
}

// Filled marks stand in the row of their warp and in their column, in the colour of their barrier.
TEST(BarrierPicture, HasAMarkOfItsBarriersColourInTheRowOfEachWarp) {
  NullWindow window(1600, 900);
  const Trace trace = trace_of_ring();
  auto workspace = workspace_of(trace);
  window.panel(*workspace, "divergence");
  const BarrierTimeline timeline = barrier_timeline(trace);
  std::map<std::uint32_t, float> tops;  // by warp
  std::map<int, float> lefts;           // by column
  int filled = 0;
  for (std::uint32_t barrier = 0; barrier < trace.barriers.size(); ++barrier) {
    const std::vector<Box> boxes =
        boxes_of(variant_colour(window.style, static_cast<int>(barrier)));
    std::size_t next = 0;
    for (const TimelineMark& mark : timeline.marks) {
      if (mark.barrier != barrier || mark.waits || (!mark.arrives && !mark.copies)) continue;
      ASSERT_LT(next, boxes.size());
      const Box& box = boxes[next++];
      ++filled;
      const float top = tops.try_emplace(mark.warp, box.y0).first->second;
      const float left = lefts.try_emplace(mark.column, box.x0).first->second;
      EXPECT_EQ(box.y0, top) << "warp " << mark.warp;
      EXPECT_EQ(box.x0, left) << "column " << mark.column;
    }
    EXPECT_EQ(next, boxes.size()) << trace.barriers[barrier].name;
  }
  EXPECT_EQ(filled, hanging::stages * hanging::rounds * (1 + hanging::consumers));
  ASSERT_EQ(tops.size(), 5u);
  const float row = tops[1] - tops[0];
  EXPECT_GT(row, 0);
  for (const auto& [warp, top] : tops)
    EXPECT_NEAR(top, tops[0] + row * static_cast<float>(warp), 0.01) << warp;
  ASSERT_GE(lefts.size(), 2u);
  const auto& [column, left] = *lefts.begin();
  const auto& [last_column, last_left] = *lefts.rbegin();
  const float cell = (last_left - left) / static_cast<float>(last_column - column);
  EXPECT_GT(cell, 0);
  for (const auto& [c, x] : lefts)
    EXPECT_NEAR(x, left + cell * static_cast<float>(c - column), 0.01) << c;
}

TEST(BarrierPicture, SaysWhatIsUnderThePointerAndCanBeFolded) {
  NullWindow window(1600, 900);
  auto workspace = workspace_of(trace_of_ring());
  std::string words = window.panel(*workspace, "divergence");
  EXPECT_THAT(words, HasSubstr("full[0]"));
  EXPECT_THAT(words, HasSubstr("program order"));
  const Box box = boxes_of(variant_colour(window.style, 0)).front();
  window.move_mouse((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2);
  words = window.panel(*workspace, "divergence");
  EXPECT_THAT(words, HasSubstr("warp 4 · producer\nasks for copies and arrives: full[0], phase 0"));
  EXPECT_THAT(words, HasSubstr("line 25, 3 instructions"));
  window.move_mouse(-1, -1);
  window.panels.divergence.no_barriers = true;
  words = window.panel(*workspace, "divergence");
  EXPECT_THAT(words, HasSubstr("show arrivals and waits"));
  EXPECT_TRUE(boxes_of(variant_colour(window.style, 1)).empty());
}

TEST(Roles, AreSaidWithTheirWarpsAndDeeds) {
  NullWindow window;
  auto workspace = workspace_of(trace_of_ring());
  const std::string words = window.panel(*workspace, "divergence");
  EXPECT_THAT(words, HasSubstr("consumer (warps 0–3) waits at barriers, reads shared memory and "
                               "arrives at barriers"));
  EXPECT_THAT(words, HasSubstr("producer (warp 4) waits at barriers, copies to shared memory and "
                               "arrives at barriers"));
  auto plain = workspace_of(synthetic_trace());
  EXPECT_THAT(window.panel(*plain, "divergence"), Not(HasSubstr("producer")));
}

}  // namespace
}  // namespace warpscope
