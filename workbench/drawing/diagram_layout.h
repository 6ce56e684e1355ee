// workbench/drawing/diagram_layout.h: the geometry of diagrams: where each lane, word, bank and
// tile lies.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiling/access/trace_view.h"
#include "workbench/drawing/box.h"

// Pure arithmetic in pixels, without Dear ImGui: panels draw the boxes, tests check them.
// Everything a diagram draws can also be found from a point, by the same numbers.

namespace warpscope {

// 32 lanes above, rows of 32 words in four sectors below, the same 32 columns for both.
struct LineDiagram {
  float x = 0, y = 0;       // of the first lane's column
  float cell = 0;           // width of a column
  float gap = 0;            // between sectors, every eight columns
  float lane_height = 0;    // of the lanes' row
  float ribbon_height = 0;  // between lanes and rows, where ribbons run
  float row_height = 0;     // of a line, with its spacing
  float bar_height = 0;     // of a line's cells
  Box lane(int lane) const;
  Box word(int row, int word) const;      // 0 … 31
  Box sector(int row, int sector) const;  // 0 … 3
  float rows_top() const { return y + lane_height + ribbon_height; }
  float height(int rows) const {
    return lane_height + ribbon_height + static_cast<float>(rows) * row_height;
  }
  float width() const { return 32 * cell + 3 * gap; }
  std::optional<int> lane_at(float px, float py) const;
  struct WordHit {
    int row = 0, word = 0;
  };
  std::optional<WordHit> word_at(float px, float py, int rows) const;
};
// Fits the columns into `width`; `unit` is 8 px at scale 1.
LineDiagram fit_lines(float x, float y, float width, float unit, int rows, float height);

// 32 columns, one a bank; a row a wavefront.
struct BankDiagram {
  float x = 0, y = 0, cell = 0, head_height = 0, row_height = 0;
  Box head(int bank) const;
  Box slot(int row, int bank) const;
  struct Hit {
    int row = 0, bank = 0;
  };
  std::optional<Hit> slot_at(float px, float py, int rows) const;
  float height(int rows) const { return head_height + static_cast<float>(rows) * row_height; }
};
BankDiagram fit_banks(float x, float y, float width, float unit, int rows, float height);

// The parts of a box that belong to each lane of `lanes`, side by side; at most `most` of them.
std::vector<std::pair<int, Box>> split_by_lane(const Box& box, std::uint32_t lanes, int most);

// An array drawn row by row: which part of it is in view.
struct MapView {
  double left = 0, top = 0, right = 1, bottom = 1;  // in elements
  bool operator==(const MapView&) const = default;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};
// A view of rows and columns of these elements with a margin, inside the array.
MapView fit_map(const ArrayShape& array, std::int64_t first_row, std::int64_t last_row,
                std::int64_t first_column, std::int64_t last_column);
// A view of the elements that these accesses touch, or of the whole array where they are none.
MapView fit_map(const ArrayShape& array, std::span<const ElementAccess> accesses);
// Zooms at a point of the view (0 … 1 each way); factor < 1 shows less. Stays inside the array and
// shows at least one element.
MapView zoom_map(const MapView& view, const ArrayShape& array, double at_x, double at_y,
                 double factor);
MapView pan_map(const MapView& view, const ArrayShape& array, double by_x, double by_y);

// Level of detail: elements are drawn one by one where they are large enough, else in tiles of
// powers of two whose edges do not move when the view does.
struct MapDetail {
  std::int64_t rows_a_tile = 1, columns_a_tile = 1;
  bool operator==(const MapDetail&) const = default;
};
MapDetail map_detail(const MapView& view, float width, float height, float least_pixels);
Box tile_box(const MapView& view, const MapDetail& detail, const Box& area, std::int64_t tile_row,
             std::int64_t tile_column);
// The element under a point of `area`, or nothing.
std::optional<std::int64_t> element_at(const MapView& view, const ArrayShape& array,
                                       const Box& area, float px, float py);

struct MapTile {
  std::int64_t row = 0, column = 0;  // in tiles
  ElementAccess last;                // of the request that comes last in Trace::requests
  std::int32_t accesses = 0, elements = 0;
};
// Tiles with at least one access, by row, then column. `accesses` are by element, then time, as
// element_accesses gives them.
std::vector<MapTile> map_tiles(std::span<const ElementAccess> accesses, const ArrayShape& array,
                               const MapDetail& detail);

// Tiles of one row, side by side, that one block wrote; a tile shows the writer of its first
// element.
struct WriterRun {
  std::int64_t row = 0, first_column = 0, columns = 0;  // in tiles
  std::int64_t block = 0;
  bool operator==(const WriterRun&) const = default;
};
// The runs in view, by row, then column; tiles that nothing wrote are left out.
std::vector<WriterRun> writer_runs(const WriterMap& writers, const ArrayShape& array,
                                   const MapView& view, const MapDetail& detail);

// The blocks of a grid as cells in rows; many blocks share a cell when there is no room.
struct GridDiagram {
  Box area;
  std::int64_t blocks = 0, columns = 1, rows = 1, blocks_a_cell = 1;
  float cell_width = 0, cell_height = 0;
  std::int64_t cell_count() const { return (blocks + blocks_a_cell - 1) / blocks_a_cell; }
  Box cell(std::int64_t index) const;
  std::optional<std::int64_t> block_at(float px, float py) const;  // the cell's first block
};
// Keeps grid.x as the length of a row where that fits.
GridDiagram fit_grid(const Launch& launch, const Box& area, float least_pixels);

// `count` columns of equal width over `area`; several things share a column when there is no room.
struct StripDiagram {
  Box area;
  std::int64_t count = 0, columns = 0;
  Box column(std::int64_t index) const;
  std::int64_t first_of(std::int64_t column) const;
  std::optional<std::int64_t> column_at(float px, float py) const;
};
StripDiagram fit_strip(std::int64_t count, const Box& area, float least_pixels, float most_pixels);

// Cells that touch and have one colour as one box: a picture of twenty thousand cells is then a few
// hundred boxes, which cover the same pixels.
//
//   JoinedCells cells;
//   for (…) cells.add(box, colour);    // row by row, from left to right in each
//   for (const JoinedCells::Piece& piece : cells.pieces()) add_box(list, piece.box, piece.colour);
class JoinedCells {
 public:
  struct Piece {
    Box box;
    std::uint32_t colour = 0;
  };
  void add(const Box& box, std::uint32_t colour);
  // After the last cell.
  const std::vector<Piece>& pieces();

 private:
  void end_row();
  std::vector<Piece> pieces_;
  std::vector<std::size_t> above_;  // the pieces that end at the present row, from left to right
  std::size_t row_ = 0;             // the first piece of the present row
};

}  // namespace warpscope
