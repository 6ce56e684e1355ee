// tests/workbench/drawing/damage_test.cpp: which pixels of a frame are drawn again, and which are
// not.
#include "workbench/drawing/damage.h"

#include <GL/gl.h>
#include <gtest/gtest.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/window/offscreen.h"

namespace warpscope {
namespace {

constexpr float kEdge = Damage::tile_edge;
constexpr Box kDisplay = {0, 0, 640, 480};

// Frames on the null back end, and where each differs from the last.
class Frames {
 public:
  explicit Frames(int width = 640, int height = 480) : window_(width, height) {}
  std::vector<Box> next(const std::function<void(ImDrawList&)>& draw) {
    window_.frame([&] { draw(*ImGui::GetBackgroundDrawList()); });
    return damage.since_last(*ImGui::GetDrawData());
  }
  Damage damage;

 private:
  NullWindow window_;
};

bool covered(const std::vector<Box>& boxes, float x, float y) {
  return std::any_of(boxes.begin(), boxes.end(), [&](const Box& b) { return b.contains(x, y); });
}
// Every pixel of `wanted` is in a box.
bool covered(const std::vector<Box>& boxes, const Box& wanted) {
  for (float y = wanted.y0; y < wanted.y1; ++y) {
    for (float x = wanted.x0; x < wanted.x1; ++x) {
      if (!covered(boxes, x, y)) return false;
    }
  }
  return true;
}
float area_of(const std::vector<Box>& boxes) {
  float area = 0;
  for (const Box& box : boxes) area += box.area();
  return area;
}
bool disjoint(const std::vector<Box>& boxes) {
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = i + 1; j < boxes.size(); ++j) {
      if (!overlap(boxes[i], boxes[j]).empty()) return false;
    }
  }
  return true;
}
void square(ImDrawList& list, float x, float y, ImU32 colour = IM_COL32_WHITE) {
  list.AddRectFilled({x, y}, {x + 40, y + 40}, colour);
}

TEST(Damage, IsAllOfTheDisplayAtFirst) {
  Frames frames;
  EXPECT_EQ(frames.next([](ImDrawList&) {}), std::vector{kDisplay});
}

TEST(Damage, IsNothingWhereAFrameLooksLikeTheLastOne) {
  Frames frames;
  const auto draw = [](ImDrawList& list) {
    square(list, 100, 100);
    list.AddText({300, 300}, IM_COL32_WHITE, "the same words");
  };
  frames.next(draw);
  EXPECT_TRUE(frames.next(draw).empty());
}

TEST(Damage, IsWhereAColourChanged) {
  Frames frames;
  frames.next([](ImDrawList& list) { square(list, 100, 100); });
  const auto boxes =
      frames.next([](ImDrawList& list) { square(list, 100, 100, IM_COL32(9, 9, 9, 255)); });
  EXPECT_TRUE(covered(boxes, {100, 100, 140, 140}));
  EXPECT_LE(area_of(boxes), 3 * kEdge * 3 * kEdge);
  EXPECT_FALSE(covered(boxes, 100, 200));
}

TEST(Damage, IsWhereOneLetterChanged) {
  Frames frames;
  frames.next([](ImDrawList& list) { list.AddText({100, 100}, IM_COL32_WHITE, "measured 118.8"); });
  const auto boxes = frames.next([](ImDrawList& list) {
    list.AddText({100, 100}, IM_COL32_WHITE, "measured 118.9");
  });
  ASSERT_FALSE(boxes.empty());
  EXPECT_FALSE(covered(boxes, 101, 101)) << "the first letter is as it was";
  EXPECT_LE(area_of(boxes), 4 * kEdge * kEdge);
}

TEST(Damage, IsWhereAShapeWasAndWhereItIs) {
  Frames frames;
  frames.next([](ImDrawList& list) { square(list, 64, 64); });
  const auto boxes = frames.next([](ImDrawList& list) { square(list, 500, 400); });
  EXPECT_TRUE(covered(boxes, {64, 64, 104, 104}));
  EXPECT_TRUE(covered(boxes, {500, 400, 540, 440}));
  EXPECT_FALSE(covered(boxes, 300, 200)) << "nothing was or is between them";
  EXPECT_TRUE(disjoint(boxes));
}

TEST(Damage, IsWhereAWindowMovedFromAndTo) {
  NullWindow window(640, 480);
  Damage damage;
  const auto shown_at = [&](float x, float y) {
    for (int i = 0; i < 3; ++i) {  // a window settles in a few frames
      window.frame([&] {
        ImGui::SetNextWindowPos({x, y});
        ImGui::SetNextWindowSize({100, 60});
        ImGui::Begin("moves", nullptr, ImGuiWindowFlags_NoDecoration);
        ImGui::TextUnformatted("words");
        ImGui::End();
      });
    }
    return damage.since_last(*ImGui::GetDrawData());
  };
  shown_at(10, 10);
  const auto boxes = shown_at(500, 400);
  EXPECT_TRUE(covered(boxes, {10, 10, 110, 70}));
  EXPECT_TRUE(covered(boxes, {500, 400, 600, 460}));
  EXPECT_FALSE(covered(boxes, 300, 240));
  EXPECT_TRUE(shown_at(500, 400).empty());
  window.frame([] {});  // it is closed: ImGui shows it no more
  const auto closed = damage.since_last(*ImGui::GetDrawData());
  EXPECT_TRUE(covered(closed, {500, 400, 600, 460}));
  EXPECT_FALSE(covered(closed, 10, 10));
}

TEST(Damage, IsWhereTheOrderOfShapesChanged) {
  Frames frames;
  const ImU32 grey = IM_COL32(90, 90, 90, 255);
  frames.next([&](ImDrawList& list) {
    square(list, 100, 100, grey);
    square(list, 110, 110);
  });
  const auto boxes = frames.next([&](ImDrawList& list) {
    square(list, 110, 110);
    square(list, 100, 100, grey);
  });
  EXPECT_TRUE(covered(boxes, {110, 110, 140, 140})) << "the covered one came to the front";
}

TEST(Damage, IsWhereAShapeIsCutOffElsewhere) {
  Frames frames;
  const auto cut_at = [](float right) {
    return [right](ImDrawList& list) {
      list.PushClipRect({0, 0}, {right, 480});
      square(list, 100, 100);
      square(list, 400, 300);
      list.PopClipRect();
    };
  };
  frames.next(cut_at(600));
  EXPECT_TRUE(frames.next(cut_at(500)).empty()) << "no shape reaches that far";
  const auto boxes = frames.next(cut_at(420));
  EXPECT_TRUE(covered(boxes, {420, 300, 440, 340}));
  EXPECT_FALSE(covered(boxes, 100, 100));
}

TEST(Damage, IsAllOfTheDisplayWhereItsSizeChangedOrItsPixelsAreLost) {
  Frames frames;
  const auto draw = [](ImDrawList& list) { square(list, 100, 100); };
  frames.next(draw);
  frames.damage.forget();
  EXPECT_EQ(frames.next(draw), std::vector{kDisplay});
  ImGui::GetIO().DisplaySize = {636, 478};  // as many tiles as before
  EXPECT_EQ(frames.next(draw), (std::vector{Box{0, 0, 636, 478}}));
  ImGui::GetIO().DisplayFramebufferScale = {2, 2};
  EXPECT_EQ(frames.next(draw), (std::vector{Box{0, 0, 636, 478}}));
}

TEST(Damage, HasBoxesThatDoNotOverlapHoweverManyPlacesChange) {
  Frames frames;
  for (int places : {2, 9, 40, 300}) {
    frames.next([](ImDrawList&) {});
    const auto boxes = frames.next([places](ImDrawList& list) {
      for (int i = 0; i < places; ++i) {
        const auto at = static_cast<float>(i);
        square(list, std::fmod(at * 97, 600.0f), std::fmod(at * 61, 440.0f));
      }
    });
    EXPECT_TRUE(disjoint(boxes)) << places;
    EXPECT_LE(boxes.size(), 48u) << places;
    for (int i = 0; i < places; ++i) {
      const float x = std::fmod(static_cast<float>(i) * 97, 600.0f),
                  y = std::fmod(static_cast<float>(i) * 61, 440.0f);
      EXPECT_TRUE(covered(boxes, {x, y, x + 40, y + 40})) << places << ": " << i;
    }
  }
}

// Half of the tiles of the left third, scattered, and one at the far corner.
TEST(Damage, IsNotAllOfTheDisplayWhereManyScatteredPlacesChange) {
  Frames frames;
  const auto draw = [](ImU32 colour) {
    return [colour](ImDrawList& list) {
      for (int i = 0; i < 105; ++i) {
        const float x = static_cast<float>(i % 7) * 32 + 8, y = static_cast<float>(i / 7) * 32 + 8;
        list.AddRectFilled({x, y}, {x + 16, y + 16}, i % 2 == 0 ? colour : IM_COL32_WHITE);
      }
      list.AddRectFilled({616, 456}, {632, 472}, colour);
    };
  };
  frames.next(draw(IM_COL32(255, 0, 0, 255)));
  const std::vector<Box> boxes = frames.next(draw(IM_COL32(0, 255, 0, 255)));
  EXPECT_LT(area_of(boxes), 0.5f * 640 * 480);
  for (int i = 0; i < 105; i += 2) {
    const float x = static_cast<float>(i % 7) * 32 + 8, y = static_cast<float>(i / 7) * 32 + 8;
    EXPECT_TRUE(covered(boxes, {x, y, x + 16, y + 16})) << i;
  }
  EXPECT_TRUE(covered(boxes, {616, 456, 632, 472}));
}

TEST(CallsFor, IsNoLessThanWhatAFrameOfShortCommandsIsCutTo) {
  Frames frames;
  const auto draw = [](ImDrawList& list) {
    for (int i = 0; i < 200; ++i) {
      const float x = static_cast<float>(i % 20) * 32, y = static_cast<float>(i / 20) * 48;
      list.PushClipRect({x, y}, {x + 128, y + 48});
      for (int j = 0; j < 50; ++j) list.AddRectFilled({x, y}, {x + 124, y + 40}, IM_COL32_WHITE);
      list.PopClipRect();
    }
  };
  frames.next(draw);
  ImDrawData& frame = *ImGui::GetDrawData();
  std::vector<Box> boxes;
  for (float x = 0; x < 640; x += 64) boxes.push_back({x, 0, x + 32, 480});
  const std::size_t foretold = Damage::calls_for(frame, boxes);
  EXPECT_GT(foretold, Damage::calls_for(frame, std::vector{Damage::hull_of(boxes)}));
  frames.damage.keep_within(frame, boxes);
  std::size_t calls = 0;
  for (int n = 0; n < frame.CmdLists.Size; ++n)
    calls += static_cast<std::size_t>(frame.CmdLists[n]->CmdBuffer.Size);
  EXPECT_GT(calls, 300u);
  EXPECT_LE(calls, foretold);
}

TEST(KeepWithin, LeavesLongCommandsInOnePieceWhereCallsAreToBeFew) {
  Frames frames;
  const auto draw = [](ImDrawList& list) {
    for (int i = 0; i < 5000; ++i)
      list.AddRectFilled({static_cast<float>(i % 600), 10}, {620, 400}, IM_COL32_WHITE);
  };
  const auto calls_where = [&](bool few) {
    frames.next(draw);
    ImDrawData& frame = *ImGui::GetDrawData();
    frames.damage.keep_within(frame, std::vector{kDisplay}, few);
    int calls = 0, indices = 0;
    for (int n = 0; n < frame.CmdLists.Size; ++n) {
      calls += frame.CmdLists[n]->CmdBuffer.Size;
      indices += frame.CmdLists[n]->IdxBuffer.Size;
    }
    EXPECT_GE(indices, 5000 * 6);
    return calls;
  };
  EXPECT_GE(calls_where(false), 5000 / 170);
  EXPECT_LE(calls_where(true), 3);
}

TEST(KeepWithin, LeavesOutWhatTouchesNoBoxAndCutsTheRest) {
  NullWindow window(640, 480);
  window.frame([] {
    square(*ImGui::GetBackgroundDrawList(), 10, 10);
    square(*ImGui::GetBackgroundDrawList(), 100, 100);
    square(*ImGui::GetBackgroundDrawList(), 500, 400);
  });
  ImDrawData& frame = *ImGui::GetDrawData();
  ASSERT_EQ(frame.TotalIdxCount, 18);
  const std::vector<Box> boxes = {{96, 96, 128, 128}, {512, 384, 640, 448}};
  Damage().keep_within(frame, boxes);
  EXPECT_EQ(frame.TotalIdxCount, 12);
  ASSERT_EQ(frame.CmdLists.Size, 1);
  const ImDrawList& list = *frame.CmdLists[0];
  ASSERT_EQ(list.CmdBuffer.Size, 2);
  const ImVec4 first = list.CmdBuffer[0].ClipRect, second = list.CmdBuffer[1].ClipRect;
  EXPECT_EQ((Box{first.x, first.y, first.z, first.w}), boxes[0]);
  EXPECT_EQ((Box{second.x, second.y, second.z, second.w}), boxes[1]);
  EXPECT_EQ(list.VtxBuffer[list.IdxBuffer[0]].pos.x, 100);
  EXPECT_EQ(list.VtxBuffer[list.IdxBuffer[6]].pos.x, 500);
}

TEST(KeepWithin, CutsFractionsOfAPixelAsTheWholeFrameWould) {
  NullWindow window(640, 480);
  window.frame([] {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    list.PushClipRect({10.6f, 20.7f}, {300.2f, 384.9f});
    list.AddRectFilled({0, 0}, {640, 480}, IM_COL32_WHITE);
    list.PopClipRect();
  });
  ImDrawData& frame = *ImGui::GetDrawData();
  // What the back end makes of the whole: from (10, 21), 289 × 364 pixels.
  Damage().keep_within(frame, std::vector<Box>{{0, 0, 640, 384}, {0, 384, 640, 480}});
  const ImDrawList& list = *frame.CmdLists[0];
  ASSERT_EQ(list.CmdBuffer.Size, 2);
  const ImVec4 above = list.CmdBuffer[0].ClipRect, below = list.CmdBuffer[1].ClipRect;
  EXPECT_EQ((Box{above.x, above.y, above.z, above.w}), (Box{10, 21, 299, 384}));
  EXPECT_EQ((Box{below.x, below.y, below.z, below.w}), (Box{10, 384, 299, 385}));
}

TEST(KeepWithin, PutsTrianglesInPairsInCommandsOfLimitedLength) {
  NullWindow window(640, 480);
  window.frame([] {
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    for (int i = 0; i < 400; ++i) {
      const auto x = static_cast<float>(i % 40) * 15, y = static_cast<float>(i / 40) * 40;
      list.AddTriangleFilled({x, y}, {x + 9, y}, {x, y + 9}, IM_COL32_WHITE);
      list.AddRectFilled({x, y + 10}, {x + 9, y + 19}, IM_COL32_WHITE);
    }
  });
  ImDrawData& frame = *ImGui::GetDrawData();
  Damage().keep_within(frame, std::vector{kDisplay});
  int quads = 0;
  for (int n = 0; n < frame.CmdLists.Size; ++n) {
    const ImDrawList& list = *frame.CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      EXPECT_EQ(command.ElemCount % 6, 0u);
      EXPECT_LE(command.ElemCount, 1020u);
      for (unsigned at = 0; at < command.ElemCount; at += 6) {
        const ImDrawIdx* pair = list.IdxBuffer.Data + command.IdxOffset + at;
        quads += pair[0] == pair[3] && pair[2] == pair[4];
      }
    }
  }
  EXPECT_GE(quads, 400) << "a rectangle's triangles stand in different pairs";
}

// A picture that grew from many frames, each drawn where it differed, is what Dear ImGui's own back
// end draws at once.
TEST(Damage, LeavesThePictureThatAWholeFrameDraws) {
  // At 1280 the edge of a letter is 1/512 of a pixel beside a pixel's middle, which is less than
  // the rasterizer tells apart: both pictures are right, and differ there.
  constexpr int kWidth = 1290, kHeight = 720;
  Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(kWidth, kHeight);
  if (!screen) GTEST_SKIP() << sentence(screen.error());
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3),
                                     sample::correct(sample::baseline, 140e3)});
  Style style = make_style(Theme::dark, 1);
  load_fonts(style);
  apply_style(style);
  PanelStates panels;
  FrameState state;
  const auto grow = [&](int frames) {
    for (int i = 0; i < frames; ++i)
      (*screen)->frame(1.0 / 60, [&] { draw_workbench(*workspace, panels, style, state); });
  };
  const auto draw_at_once = [&] {
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    draw_workbench(*workspace, panels, style, state);
    ImGui::Render();
    const ImVec4 ground = clear_colour();
    glClearColor(ground.x, ground.y, ground.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glFinish();
  };
  const auto picture = [&] {
    std::string pixels(std::size_t{4} * kWidth * kHeight, '\0');
    glReadPixels(0, 0, kWidth, kHeight, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    return pixels;
  };
  grow(16);  // the layout of all columns settles
  std::set<std::string> pictures;
  float y = 40;
  for (const PanelRow& panel : all_panels()) {
    state.wanted_tab = panel.name;
    ImGui::GetIO().AddMousePosEvent(600, y += 50);    // what it hovers lights up
    state.help.open = panel.region == Region::right;  // a window over the others, opened and closed
    grow(6);
    const std::string grown = picture();
    draw_at_once();
    EXPECT_TRUE(grown == picture()) << panel.name;
    pictures.insert(grown);
  }
  EXPECT_GE(pictures.size(), 8u) << "tabs that are in front already show nothing new";
}

}  // namespace
}  // namespace warpscope
