// tests/workbench/drawing/diagram_layout_test.cpp: lanes, words, banks and tiles lie where they are
// found.
#include "workbench/drawing/diagram_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

namespace warpscope {
namespace {

bool apart(const Box& a, const Box& b) {
  constexpr float kTouch = 1e-3f;
  return a.x1 <= b.x0 + kTouch || b.x1 <= a.x0 + kTouch || a.y1 <= b.y0 + kTouch ||
         b.y1 <= a.y0 + kTouch;
}

TEST(DiagramLayout, LanesAndWordsLieInOrderInsideTheWidth) {
  for (const float unit : {6.0f, 8.0f, 16.0f}) {
    for (const float width : {120.0f, 216.0f, 640.0f}) {
      const LineDiagram d = fit_lines(10, 20, width, unit, 4, unit * 20);
      EXPECT_LE(d.width(), std::max(width, 64 + 3 * d.gap) + 0.01f);
      for (int i = 0; i < 32; ++i) {
        EXPECT_EQ(d.lane(i).x0, d.word(2, i).x0);
        for (int j = i + 1; j < 32; ++j) {
          EXPECT_TRUE(apart(d.lane(i), d.lane(j)));
          EXPECT_TRUE(apart(d.word(0, i), d.word(0, j)));
        }
        EXPECT_TRUE(apart(d.word(0, i), d.word(1, i)));
        EXPECT_TRUE(apart(d.lane(i), d.word(0, i)));
      }
      for (int sector = 0; sector < 4; ++sector) {
        EXPECT_FLOAT_EQ(d.sector(1, sector).x0, d.word(1, sector * 8).x0);
        EXPECT_NEAR(d.sector(1, sector).x1, d.word(1, sector * 8 + 7).x1, 1e-3);
      }
    }
  }
}

TEST(DiagramLayout, EveryLaneAndWordIsFoundWhereItIsDrawn) {
  const LineDiagram d = fit_lines(10, 20, 300, 8, 6, 200);
  for (int i = 0; i < 32; ++i) {
    const Box lane = d.lane(i);
    EXPECT_EQ(d.lane_at((lane.x0 + lane.x1) / 2, (lane.y0 + lane.y1) / 2), i);
    for (int row = 0; row < 6; ++row) {
      const Box word = d.word(row, i);
      const auto hit = d.word_at((word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2, 6);
      ASSERT_TRUE(hit);
      EXPECT_EQ(hit->row, row);
      EXPECT_EQ(hit->word, i);
    }
  }
  EXPECT_FALSE(d.lane_at(9, 22));
  EXPECT_FALSE(d.lane_at(d.x + d.width() + 1, 22));
  EXPECT_FALSE(d.word_at(20, d.word(6, 0).y0 + 1, 6));
  // The gap between sectors belongs to no word.
  const float gap = (d.sector(0, 0).x1 + d.sector(0, 1).x0) / 2;
  EXPECT_FALSE(d.word_at(gap, d.word(0, 0).y0 + 1, 6));
}

TEST(DiagramLayout, EveryBankIsFoundWhereItIsDrawn) {
  const BankDiagram d = fit_banks(5, 6, 400, 8, 3, 100);
  for (int bank = 0; bank < 32; ++bank) {
    for (int row = 0; row < 3; ++row) {
      const Box slot = d.slot(row, bank);
      const auto hit = d.slot_at((slot.x0 + slot.x1) / 2, (slot.y0 + slot.y1) / 2, 3);
      ASSERT_TRUE(hit);
      EXPECT_EQ(hit->row, row);
      EXPECT_EQ(hit->bank, bank);
    }
    EXPECT_FALSE(d.slot_at(d.head(bank).x0 + 1, d.head(bank).y0 + 1, 3));
  }
  EXPECT_LE(d.slot(0, 31).x1, 5 + 400);
}

TEST(DiagramLayout, ThirtyTwoWavefrontsFitWhereALessonLeaves) {
  // Banks maximised in a window of 1280 × 720 with a lesson's strip.
  constexpr float kRoom = 280;
  EXPECT_LE(fit_banks(0, 0, 1000, 8, 32, kRoom).height(32), kRoom);
}

TEST(DiagramLayout, LanesThatShareACellShareItEvenly) {
  const Box box{0, 0, 32, 10};
  EXPECT_TRUE(split_by_lane(box, 0, 8).empty());
  for (const std::uint32_t lanes : {1U, 0x80000001U, 0xFFU, 0xFFFFFFFFU}) {
    for (const int most : {1, 3, 8, 40}) {
      const auto parts = split_by_lane(box, lanes, most);
      ASSERT_EQ(static_cast<int>(parts.size()), std::min(most, std::popcount(lanes)));
      float next = 0;
      int before = -1;
      for (const auto& [lane, part] : parts) {
        EXPECT_GT(lane, before);
        EXPECT_TRUE((lanes >> lane & 1U) != 0);
        EXPECT_NEAR(part.x0, next, 1e-3);
        next = part.x1;
        before = lane;
      }
      EXPECT_NEAR(next, 32, 1e-3);
    }
  }
}

TEST(DiagramLayout, AMapViewStaysInsideItsArray) {
  const ArrayShape array{10000, 128};
  std::mt19937 random(2);
  const auto ratio = [&] { return static_cast<double>(random() % 1000) / 1000; };
  MapView view = fit_map(array, 0, 9999, 0, 127);
  EXPECT_EQ(view.height(), 10000);
  EXPECT_EQ(view.width(), 128);
  for (int i = 0; i < 2000; ++i) {
    view = i % 2 == 0 ? zoom_map(view, array, ratio(), ratio(), 0.5 + ratio())
                      : pan_map(view, array, ratio() - 0.5, ratio() - 0.5);
    ASSERT_GE(view.left, 0);
    ASSERT_GE(view.top, 0);
    ASSERT_LE(view.right, 128 + 1e-9);
    ASSERT_LE(view.bottom, 10000 + 1e-9);
    ASSERT_GE(view.width(), 1 - 1e-9);
    ASSERT_GE(view.height(), 1 - 1e-9);
  }
  const MapView before = view;
  view = zoom_map(view, array, 0.5, 0.5, 0);  // no factor at all
  EXPECT_EQ(view.left, before.left);
}

TEST(DiagramLayout, ZoomHoldsWhatIsUnderThePointer) {
  const ArrayShape array{1000, 1000};
  const MapView view{100, 200, 300, 500};
  const MapView nearer = zoom_map(view, array, 0.25, 0.75, 0.5);
  EXPECT_NEAR(nearer.left + 0.25 * nearer.width(), 150, 1e-9);
  EXPECT_NEAR(nearer.top + 0.75 * nearer.height(), 425, 1e-9);
}

TEST(DiagramLayout, ElementsAreFoundUnderTheirTiles) {
  const ArrayShape array{50, 20};
  const MapView view{2, 5, 12, 25};
  const Box area{100, 50, 300, 250};
  for (std::int64_t row = 5; row < 25; ++row) {
    for (std::int64_t column = 2; column < 12; ++column) {
      const Box box = tile_box(view, {1, 1}, area, row, column);
      EXPECT_EQ(element_at(view, array, area, (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2),
                row * 20 + column);
    }
  }
  EXPECT_FALSE(element_at(view, array, area, 99, 100));
  EXPECT_FALSE(element_at({15, 5, 25, 25}, array, area, 299, 100));  // beyond the last column
}

// 1.28 M elements in 400 × 300 pixels: never more tiles than pixels pay for, whatever the array.
TEST(DiagramLayout, ALargeArrayIsDrawnInFewTiles) {
  const ArrayShape array{10000, 128};
  const MapView whole = fit_map(array, 0, 9999, 0, 127);
  const MapDetail detail = map_detail(whole, 400, 300, 2);
  EXPECT_EQ(detail.columns_a_tile, 1);
  EXPECT_EQ(detail.rows_a_tile, 128);  // 10000 / 300 · 2 = 66.7 rows, up to a power of two
  std::vector<ElementAccess> all;
  for (std::int64_t e = 0; e < array.rows * array.columns; ++e)
    all.push_back({e, static_cast<std::uint32_t>(e % 7), 0});
  const std::vector<MapTile> tiles = map_tiles(all, array, detail);
  EXPECT_EQ(tiles.size(), 79u * 128u);
  std::int64_t elements = 0;
  for (const MapTile& tile : tiles) elements += tile.elements;
  EXPECT_EQ(elements, 1280000);
  const MapDetail one = map_detail({0, 0, 16, 16}, 400, 300, 2);
  EXPECT_EQ(one.columns_a_tile, 1);
  EXPECT_EQ(one.rows_a_tile, 1);
}

TEST(DiagramLayout, TilesCountWhatAMapOfTilesCounts) {
  std::mt19937 random(9);
  const ArrayShape array{64, 48};
  std::vector<ElementAccess> accesses;
  for (std::uint32_t i = 0; i < 2000; ++i)
    accesses.push_back({static_cast<std::int64_t>(random() % (64 * 48)), i, 1});
  std::stable_sort(accesses.begin(), accesses.end(),
                   [](const auto& a, const auto& b) { return a.element < b.element; });
  for (const MapDetail detail : {MapDetail{1, 1}, MapDetail{4, 8}, MapDetail{64, 1}}) {
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<ElementAccess>> naive;
    for (const ElementAccess& a : accesses)
      naive[{a.element / 48 / detail.rows_a_tile, a.element % 48 / detail.columns_a_tile}]
          .push_back(a);
    const std::vector<MapTile> tiles = map_tiles(accesses, array, detail);
    ASSERT_EQ(tiles.size(), naive.size());
    std::size_t i = 0;
    for (const auto& [place, list] : naive) {
      const MapTile& tile = tiles[i++];
      EXPECT_EQ(tile.row, place.first);
      EXPECT_EQ(tile.column, place.second);
      EXPECT_EQ(tile.accesses, static_cast<std::int32_t>(list.size()));
      std::set<std::int64_t> elements;
      std::uint32_t last = 0;
      for (const ElementAccess& a : list)
        elements.insert(a.element), last = std::max(last, a.request);
      EXPECT_EQ(tile.elements, static_cast<std::int32_t>(elements.size()));
      EXPECT_EQ(tile.last.request, last);
    }
  }
}

TEST(DiagramLayout, EveryBlockHasACellInsideTheArea) {
  const Box area{10, 10, 410, 210};
  for (const Dim3 grid : {Dim3{1, 1, 1}, Dim3{1250, 1, 1}, Dim3{20, 10, 1}, Dim3{16, 16, 4},
                          Dim3{2147483647, 1, 1}, Dim3{100000, 4, 1}}) {
    Launch launch;
    launch.grid = grid;
    const GridDiagram d = fit_grid(launch, area, 6);
    EXPECT_GE(d.blocks_a_cell * d.columns * d.rows, d.blocks);
    const Box last = d.cell(d.cell_count() - 1);
    EXPECT_LE(last.x1, area.x1 + 0.01f);
    EXPECT_LE(last.y1, area.y1 + 0.01f);
    for (const std::int64_t cell : {std::int64_t{0}, d.cell_count() / 2, d.cell_count() - 1}) {
      const Box box = d.cell(cell);
      EXPECT_EQ(d.block_at((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2), cell * d.blocks_a_cell);
    }
  }
  Launch plane;
  plane.grid = {20, 10, 1};
  EXPECT_EQ(fit_grid(plane, area, 6).columns, 20);  // grid.x is a row
}

TEST(DiagramLayout, AStripHoldsEveryThingInOneColumn) {
  for (const std::int64_t count : {0, 1, 5, 100, 4096, 200000}) {
    const StripDiagram d = fit_strip(count, {0, 0, 300, 10}, 3, 20);
    EXPECT_LE(d.columns, 100);
    if (count == 0) {
      EXPECT_FALSE(d.column_at(1, 1));
      continue;
    }
    EXPECT_EQ(d.first_of(0), 0);
    EXPECT_EQ(d.first_of(d.columns), count);
    for (std::int64_t c = 0; c < d.columns; ++c) {
      EXPECT_LT(d.first_of(c), d.first_of(c + 1));
      const Box box = d.column(c);
      EXPECT_EQ(d.column_at((box.x0 + box.x1) / 2, 5), c);
      EXPECT_LE(box.width(), 20.01f);
    }
  }
}

// 4 rows of 8, two rows per block: by element, by tile, and with entries that several elements
// share.
TEST(WriterRuns, JoinTilesSideBySideOfOneBlock) {
  WriterMap writers{"c", 1, {}};
  for (int e = 0; e < 32; ++e) writers.blocks.push_back(e % 8 < 4 ? e / 16 : 7);
  const ArrayShape array{4, 8};
  EXPECT_EQ(writer_runs(writers, array, {0, 0, 8, 4}, {1, 1}),
            (std::vector<WriterRun>{{0, 0, 4, 0},
                                    {0, 4, 4, 7},
                                    {1, 0, 4, 0},
                                    {1, 4, 4, 7},
                                    {2, 0, 4, 1},
                                    {2, 4, 4, 7},
                                    {3, 0, 4, 1},
                                    {3, 4, 4, 7}}));
  EXPECT_EQ(writer_runs(writers, array, {0, 0, 8, 4}, {2, 4}),
            (std::vector<WriterRun>{{0, 0, 1, 0}, {0, 1, 1, 7}, {1, 0, 1, 1}, {1, 1, 1, 7}}));
  EXPECT_EQ(writer_runs(writers, array, {0, 2, 3, 3}, {1, 1}).front(), (WriterRun{2, 0, 4, 1}));
  writers = {"c", 16, {5, -1}};
  EXPECT_EQ(writer_runs(writers, array, {0, 0, 8, 4}, {1, 1}),
            (std::vector<WriterRun>{{0, 0, 8, 5}, {1, 0, 8, 5}}));
  EXPECT_TRUE(writer_runs({"c", 1, {}}, array, {0, 0, 8, 4}, {1, 1}).empty());
  EXPECT_TRUE(writer_runs(writers, {0, 0}, {0, 0, 1, 1}, {1, 1}).empty());
}

// The colour of every pixel by its centre, as boxes that are drawn one after the other leave it.
std::map<std::pair<int, int>, std::uint32_t> painted(const std::vector<JoinedCells::Piece>& boxes) {
  std::map<std::pair<int, int>, std::uint32_t> pixels;
  for (const JoinedCells::Piece& piece : boxes) {
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 60; ++x) {
        if (piece.box.contains(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f))
          pixels[{x, y}] = piece.colour;
      }
    }
  }
  return pixels;
}

TEST(JoinedCells, CoverThePixelsOfTheCellsInTheirColours) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const float wide = 1.3f + static_cast<float>(random() % 40) / 10,
                high = 1.1f + static_cast<float>(random() % 40) / 10;
    const bool spaced = round % 3 == 0;  // a line after each row
    JoinedCells joined;
    std::vector<JoinedCells::Piece> cells;
    for (int row = 0; row < 8; ++row) {
      for (int column = 0; column < 10; ++column) {
        if (random() % 9 == 0) continue;  // nothing there
        const auto x = static_cast<float>(column), y = static_cast<float>(row);
        const Box box{x * wide, y * high, x * wide + wide, (y + 1) * high - (spaced ? 0.5f : 0)};
        cells.push_back({box, static_cast<std::uint32_t>(random() % 3 == 0 ? 1 : 2)});
        joined.add(box, cells.back().colour);
      }
    }
    const std::vector<JoinedCells::Piece>& pieces = joined.pieces();
    EXPECT_LT(pieces.size(), cells.size()) << round;
    EXPECT_EQ(painted(pieces), painted(cells)) << round;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      for (std::size_t j = i + 1; j < pieces.size(); ++j)
        EXPECT_TRUE(apart(pieces[i].box, pieces[j].box)) << "translucent cells would show twice";
    }
  }
}

TEST(JoinedCells, AreOneBoxWhereAllAreAlike) {
  JoinedCells joined;
  for (int row = 0; row < 20; ++row) {
    for (int column = 0; column < 30; ++column)
      joined.add(box_at(3.0f * static_cast<float>(column), 2.0f * static_cast<float>(row), 3, 2),
                 5);
  }
  ASSERT_EQ(joined.pieces().size(), 1u);
  EXPECT_EQ(joined.pieces().front().box, (Box{0, 0, 90, 40}));
}

}  // namespace
}  // namespace warpscope
