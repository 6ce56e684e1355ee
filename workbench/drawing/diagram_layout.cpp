// workbench/drawing/diagram_layout.cpp: the geometry of diagrams: where each lane, word, bank and
// tile lies.
#include "workbench/drawing/diagram_layout.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace warpscope {
namespace {

constexpr int kColumns = 32, kWordsASector = 8;

// The column that holds `offset` pixels from the first one's left edge, gaps belonging to none.
std::optional<int> column_of(float offset, float cell, float gap) {
  if (offset < 0 || !(cell > 0)) return std::nullopt;
  const float sector_width = kWordsASector * cell + gap;
  const int sector = static_cast<int>(offset / sector_width);
  const float inside = offset - static_cast<float>(sector) * sector_width;
  const int word = static_cast<int>(inside / cell);
  if (sector >= kColumns / kWordsASector || word >= kWordsASector) return std::nullopt;
  return sector * kWordsASector + word;
}

MapView inside(MapView view, const ArrayShape& array) {
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, array.rows));
  const auto columns = static_cast<double>(std::max<std::int64_t>(1, array.columns));
  const double width = std::clamp(view.width(), 1.0, columns);
  const double height = std::clamp(view.height(), 1.0, rows);
  view.left = std::clamp(view.left, 0.0, columns - width);
  view.top = std::clamp(view.top, 0.0, rows - height);
  view.right = view.left + width;
  view.bottom = view.top + height;
  return view;
}

std::int64_t power_of_two_from(double least) {
  std::int64_t value = 1;
  while (static_cast<double>(value) < least && value < (1LL << 40)) value *= 2;
  return value;
}

}  // namespace

Box LineDiagram::lane(int lane) const {
  const int sector = lane / kWordsASector;
  const float left = x + static_cast<float>(lane) * cell + static_cast<float>(sector) * gap;
  return {left, y, left + cell, y + lane_height};
}

Box LineDiagram::word(int row, int word) const {
  Box box = lane(word);
  box.y0 = rows_top() + static_cast<float>(row) * row_height;
  box.y1 = box.y0 + bar_height;
  return box;
}

Box LineDiagram::sector(int row, int sector) const {
  const Box first = word(row, sector * kWordsASector);
  return {first.x0, first.y0, first.x0 + kWordsASector * cell, first.y1};
}

std::optional<int> LineDiagram::lane_at(float px, float py) const {
  if (py < y || py >= y + lane_height) return std::nullopt;
  return column_of(px - x, cell, gap);
}

std::optional<LineDiagram::WordHit> LineDiagram::word_at(float px, float py, int rows) const {
  const float below = py - rows_top();
  if (below < 0 || !(row_height > 0)) return std::nullopt;
  const int row = static_cast<int>(below / row_height);
  if (row >= rows || below - static_cast<float>(row) * row_height >= bar_height)
    return std::nullopt;
  const std::optional<int> column = column_of(px - x, cell, gap);
  if (!column) return std::nullopt;
  return WordHit{row, *column};
}

LineDiagram fit_lines(float x, float y, float width, float unit, int rows, float height) {
  LineDiagram d;
  d.gap = std::max(1.0f, std::floor(unit * 0.35f));
  d.cell = std::clamp((width - 3 * d.gap) / kColumns, 2.0f, unit * 3);
  if (d.cell > 4) d.cell = std::floor(d.cell);
  d.x = x;
  d.y = y;
  d.lane_height = unit * 2;
  // Ribbons get what few rows leave.
  const auto lines = static_cast<float>(std::max(rows, 1));
  d.ribbon_height = std::clamp(height - d.lane_height - lines * unit * 4, unit * 2.5f, unit * 5);
  const float room =
      (height - d.lane_height - d.ribbon_height) / static_cast<float>(std::max(rows, 1));
  d.row_height = std::clamp(std::floor(room), unit * 2, unit * 4);
  d.bar_height = d.row_height - std::max(1.0f, std::floor(unit * 0.5f));
  return d;
}

Box BankDiagram::head(int bank) const {
  const float left = x + static_cast<float>(bank) * cell;
  return {left, y, left + cell, y + head_height};
}

Box BankDiagram::slot(int row, int bank) const {
  Box box = head(bank);
  box.y0 = y + head_height + static_cast<float>(row) * row_height;
  box.y1 = box.y0 + row_height;
  return box;
}

std::optional<BankDiagram::Hit> BankDiagram::slot_at(float px, float py, int rows) const {
  if (px < x || py < y + head_height || !(cell > 0) || !(row_height > 0)) return std::nullopt;
  const int bank = static_cast<int>((px - x) / cell);
  const int row = static_cast<int>((py - y - head_height) / row_height);
  if (bank >= kColumns || row >= rows) return std::nullopt;
  return Hit{row, bank};
}

BankDiagram fit_banks(float x, float y, float width, float unit, int rows, float height) {
  BankDiagram d;
  d.x = x;
  d.y = y;
  d.cell = std::clamp(width / kColumns, 2.0f, unit * 4);
  if (d.cell > 4) d.cell = std::floor(d.cell);
  d.head_height = unit * 2;
  const float room = (height - d.head_height) / static_cast<float>(std::max(rows, 1));
  d.row_height = std::clamp(std::floor(room), unit, unit * 3);
  return d;
}

std::vector<std::pair<int, Box>> split_by_lane(const Box& box, std::uint32_t lanes, int most) {
  std::vector<std::pair<int, Box>> parts;
  const int count = std::min(std::popcount(lanes), std::max(most, 1));
  const int all = std::popcount(lanes);
  int at = 0, taken = 0;
  for (std::uint32_t rest = lanes; rest != 0 && taken < count; rest &= rest - 1, ++at) {
    // Evenly through the lanes when there are more than parts.
    if (at * count / all < taken) continue;
    const float step = box.width() / static_cast<float>(count);
    const float left = box.x0 + static_cast<float>(taken) * step;
    parts.emplace_back(std::countr_zero(rest), Box{left, box.y0, left + step, box.y1});
    ++taken;
  }
  return parts;
}

MapView fit_map(const ArrayShape& array, std::int64_t first_row, std::int64_t last_row,
                std::int64_t first_column, std::int64_t last_column) {
  constexpr double kMargin = 0.06;
  MapView view{static_cast<double>(first_column), static_cast<double>(first_row),
               static_cast<double>(last_column + 1), static_cast<double>(last_row + 1)};
  const double x = std::max(view.width() * kMargin, 1.0),
               y = std::max(view.height() * kMargin, 1.0);
  return inside({view.left - x, view.top - y, view.right + x, view.bottom + y}, array);
}

MapView fit_map(const ArrayShape& array, std::span<const ElementAccess> accesses) {
  if (accesses.empty() || array.columns < 1)
    return fit_map(array, 0, array.rows - 1, 0, array.columns - 1);
  std::int64_t first_row = array.rows, last_row = 0, first_column = array.columns, last_column = 0;
  for (const ElementAccess& access : accesses) {
    const std::int64_t row = access.element / array.columns,
                       column = access.element % array.columns;
    first_row = std::min(first_row, row);
    last_row = std::max(last_row, row);
    first_column = std::min(first_column, column);
    last_column = std::max(last_column, column);
  }
  return fit_map(array, first_row, last_row, first_column, last_column);
}

MapView zoom_map(const MapView& view, const ArrayShape& array, double at_x, double at_y,
                 double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) return view;
  const double x = view.left + at_x * view.width(), y = view.top + at_y * view.height();
  const double columns = static_cast<double>(std::max<std::int64_t>(1, array.columns));
  const double rows = static_cast<double>(std::max<std::int64_t>(1, array.rows));
  const double width = std::clamp(view.width() * factor, 1.0, columns);
  const double height = std::clamp(view.height() * factor, 1.0, rows);
  return inside(
      {x - at_x * width, y - at_y * height, x + (1 - at_x) * width, y + (1 - at_y) * height},
      array);
}

MapView pan_map(const MapView& view, const ArrayShape& array, double by_x, double by_y) {
  const double x = by_x * view.width(), y = by_y * view.height();
  return inside({view.left + x, view.top + y, view.right + x, view.bottom + y}, array);
}

MapDetail map_detail(const MapView& view, float width, float height, float least_pixels) {
  const auto per_tile = [&](double elements, float pixels) {
    return power_of_two_from(elements * least_pixels / std::max(1.0, static_cast<double>(pixels)));
  };
  return {per_tile(view.height(), height), per_tile(view.width(), width)};
}

Box tile_box(const MapView& view, const MapDetail& detail, const Box& area, std::int64_t tile_row,
             std::int64_t tile_column) {
  const auto at_x = [&](std::int64_t column) {
    const double p = (static_cast<double>(column) - view.left) / view.width();
    return area.x0 + static_cast<float>(p * area.width());
  };
  const auto at_y = [&](std::int64_t row) {
    const double p = (static_cast<double>(row) - view.top) / view.height();
    return area.y0 + static_cast<float>(p * area.height());
  };
  return {at_x(tile_column * detail.columns_a_tile), at_y(tile_row * detail.rows_a_tile),
          at_x((tile_column + 1) * detail.columns_a_tile),
          at_y((tile_row + 1) * detail.rows_a_tile)};
}

std::optional<std::int64_t> element_at(const MapView& view, const ArrayShape& array,
                                       const Box& area, float px, float py) {
  if (!area.contains(px, py) || !(area.width() > 0) || !(area.height() > 0)) return std::nullopt;
  const auto column = static_cast<std::int64_t>(
      std::floor(view.left + view.width() * (px - area.x0) / area.width()));
  const auto row = static_cast<std::int64_t>(
      std::floor(view.top + view.height() * (py - area.y0) / area.height()));
  if (row < 0 || row >= array.rows || column < 0 || column >= array.columns) return std::nullopt;
  return row * array.columns + column;
}

std::vector<MapTile> map_tiles(std::span<const ElementAccess> accesses, const ArrayShape& array,
                               const MapDetail& detail) {
  std::vector<MapTile> tiles;
  if (array.columns < 1) return tiles;
  std::size_t band = 0;  // where the tiles of the present row of tiles begin
  std::int64_t before = -1;
  for (const ElementAccess& access : accesses) {
    const std::int64_t row = access.element / array.columns / detail.rows_a_tile;
    const std::int64_t column = access.element % array.columns / detail.columns_a_tile;
    if (tiles.empty() || tiles.back().row != row) {
      // Within a row of tiles elements come row by row, so columns start again: keep it sorted.
      if (tiles.empty() || tiles[band].row != row) band = tiles.size();
    }
    auto at = std::lower_bound(
        tiles.begin() + static_cast<std::ptrdiff_t>(band), tiles.end(), column,
        [](const MapTile& tile, std::int64_t value) { return tile.column < value; });
    if (at == tiles.end() || at->column != column)
      at = tiles.insert(at, MapTile{row, column, access, 0, 0});
    if (access.request >= at->last.request) at->last = access;
    ++at->accesses;
    at->elements += access.element != before ? 1 : 0;
    before = access.element;
  }
  return tiles;
}

std::vector<WriterRun> writer_runs(const WriterMap& writers, const ArrayShape& array,
                                   const MapView& view, const MapDetail& detail) {
  std::vector<WriterRun> runs;
  const auto tiles = [](double low, double high, std::int64_t each, std::int64_t count) {
    const auto first = static_cast<std::int64_t>(std::max(0.0, std::floor(low))) / each;
    const auto last = static_cast<std::int64_t>(std::max(0.0, std::ceil(high))) / each;
    return std::pair(first, std::min(last, (count - 1) / each));
  };
  if (array.rows < 1 || array.columns < 1) return runs;
  const auto [first_row, last_row] = tiles(view.top, view.bottom, detail.rows_a_tile, array.rows);
  const auto [first_column, last_column] =
      tiles(view.left, view.right, detail.columns_a_tile, array.columns);
  for (std::int64_t row = first_row; row <= last_row; ++row) {
    for (std::int64_t column = first_column; column <= last_column; ++column) {
      const std::int64_t block = writer_of(
          writers, row * detail.rows_a_tile * array.columns + column * detail.columns_a_tile);
      if (block < 0) continue;
      if (!runs.empty() && runs.back().row == row && runs.back().block == block &&
          runs.back().first_column + runs.back().columns == column) {
        ++runs.back().columns;
      } else {
        runs.push_back({row, column, 1, block});
      }
    }
  }
  return runs;
}

Box GridDiagram::cell(std::int64_t index) const {
  const std::int64_t row = index / columns, column = index % columns;
  const float left = area.x0 + static_cast<float>(column) * cell_width;
  const float top = area.y0 + static_cast<float>(row) * cell_height;
  return {left, top, left + cell_width, top + cell_height};
}

std::optional<std::int64_t> GridDiagram::block_at(float px, float py) const {
  if (px < area.x0 || py < area.y0 || !(cell_width > 0) || !(cell_height > 0)) return std::nullopt;
  const auto column = static_cast<std::int64_t>((px - area.x0) / cell_width);
  const auto row = static_cast<std::int64_t>((py - area.y0) / cell_height);
  if (column >= columns || row >= rows) return std::nullopt;
  const std::int64_t block = (row * columns + column) * blocks_a_cell;
  return block < blocks ? std::optional(block) : std::nullopt;
}

GridDiagram fit_grid(const Launch& launch, const Box& area, float least_pixels) {
  GridDiagram d;
  d.area = area;
  d.blocks = block_count(launch);
  const auto most_columns =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(area.width() / least_pixels));
  const auto most_rows =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(area.height() / least_pixels));
  const std::int64_t others = d.blocks / std::max<std::int64_t>(1, launch.grid.x);
  if (launch.grid.x > 1 && launch.grid.x <= most_columns && others > 1 && others <= most_rows) {
    d.columns = launch.grid.x;
    d.rows = others;
  } else {
    const std::int64_t room = most_columns * most_rows;
    d.blocks_a_cell = power_of_two_from(static_cast<double>(d.blocks) / static_cast<double>(room));
    const std::int64_t cells = d.cell_count();
    // As square as the area's shape allows.
    const double wanted =
        std::ceil(std::sqrt(static_cast<double>(cells) * static_cast<double>(area.width()) /
                            std::max(1.0, static_cast<double>(area.height()))));
    d.columns = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 1,
                                         std::min(most_columns, std::max<std::int64_t>(cells, 1)));
    d.columns = std::max(d.columns, (cells + most_rows - 1) / most_rows);
    d.rows = (cells + d.columns - 1) / d.columns;
  }
  constexpr float kLargest = 6;  // times the least
  d.cell_width = std::min(area.width() / static_cast<float>(d.columns), least_pixels * kLargest);
  d.cell_height = std::min(area.height() / static_cast<float>(d.rows), least_pixels * kLargest);
  return d;
}

Box StripDiagram::column(std::int64_t index) const {
  const float step = columns > 0 ? area.width() / static_cast<float>(columns) : 0;
  const float left = area.x0 + static_cast<float>(index) * step;
  return {left, area.y0, left + step, area.y1};
}

std::int64_t StripDiagram::first_of(std::int64_t index) const {
  if (columns < 1) return 0;
  // Rounded up, so that every thing belongs to the column that its own position falls into.
  return (index * count + columns - 1) / columns;
}

std::optional<std::int64_t> StripDiagram::column_at(float px, float py) const {
  if (!area.contains(px, py) || columns < 1) return std::nullopt;
  const auto index =
      static_cast<std::int64_t>((px - area.x0) * static_cast<float>(columns) / area.width());
  return std::min(index, columns - 1);
}

StripDiagram fit_strip(std::int64_t count, const Box& area, float least_pixels, float most_pixels) {
  StripDiagram d;
  d.area = area;
  d.count = std::max<std::int64_t>(count, 0);
  const auto room =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(area.width() / least_pixels));
  d.columns = std::min(d.count, room);
  if (d.columns > 0)
    d.area.x1 = std::min(area.x1, area.x0 + static_cast<float>(d.columns) * most_pixels);
  return d;
}

namespace {

// Edges that are the same up to rounding.
bool meet(float a, float b) {
  constexpr float kRounding = 1.0f / 64;
  return std::abs(a - b) < kRounding;
}

}  // namespace

void JoinedCells::add(const Box& box, std::uint32_t colour) {
  const bool begun = row_ < pieces_.size();
  if (begun && !(meet(pieces_.back().box.y0, box.y0) && meet(pieces_.back().box.y1, box.y1)))
    end_row();
  if (row_ < pieces_.size()) {
    Piece& last = pieces_.back();
    if (last.colour == colour && meet(last.box.x1, box.x0)) {
      last.box.x1 = box.x1;
      return;
    }
  }
  pieces_.push_back({box, colour});
}

void JoinedCells::end_row() {
  std::vector<std::size_t> ending;
  std::size_t kept = row_, at = 0;
  for (std::size_t i = row_; i < pieces_.size(); ++i) {
    const Piece piece = pieces_[i];
    while (at < above_.size() && pieces_[above_[at]].box.x0 < piece.box.x0 &&
           !meet(pieces_[above_[at]].box.x0, piece.box.x0))
      ++at;
    Piece* above = at < above_.size() ? &pieces_[above_[at]] : nullptr;
    if (above != nullptr && above->colour == piece.colour && meet(above->box.x0, piece.box.x0) &&
        meet(above->box.x1, piece.box.x1) && meet(above->box.y1, piece.box.y0)) {
      above->box.y1 = piece.box.y1;
      ending.push_back(above_[at]);
    } else {
      pieces_[kept] = piece;
      ending.push_back(kept++);
    }
  }
  pieces_.resize(kept);
  row_ = kept;
  above_ = std::move(ending);
}

const std::vector<JoinedCells::Piece>& JoinedCells::pieces() {
  end_row();
  return pieces_;
}

}  // namespace warpscope
