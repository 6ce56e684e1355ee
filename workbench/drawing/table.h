// workbench/drawing/table.h: what every table can do: filter, sort, copy a cell, a row or a value,
// export.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workbench/drawing/style.h"
#include "workbench/workspace/selection/selection.h"

// A panel says what its rows hold as cells; filtering, sorting, copying and exporting work on them.
// How cells look stays with the panel.
//
//   TableBar bar = draw_table_bar("metrics", "text, > 5", state.filter, selection, style, width);
//   std::erase_if(rows, [&](const TableRow& r) { return !passes(state.filter.text, r, 1); });
//   … ImGui::BeginTable, header …
//   sort_as_asked(rows);
//   for (const TableRow& row : rows) { …; if (begin_row_menu(columns, row)) ImGui::EndPopup(); }
//   if (bar.wanted) selection.wish = rows_as_csv("metrics", columns, rows);
//
// Cells take longer to make than to draw. A table with many rows that are not in view makes those
// of the others only where something needs them:
//
//   auto made = [&](std::size_t index) { return cells_of(points[index], index); };
//   std::vector<TableRow> rows = rows_that_pass(state.filter.text, 1, points.size(), made);
//   … ImGui::BeginTable, header …
//   if (bar.wanted || is_order_asked()) make_rows(rows, made);
//   for (TableRow& row : rows_in_view) { make_row(row, made); … }

namespace warpscope {

struct TableColumn {
  std::string name;
  std::string unit;  // of its numbers in the CSV: "ns"; empty: the cells' own, or words
};

struct TableCell {
  std::string text;             // as shown, with its unit: "118.8 µs"; "–" where there is none
  std::optional<double> value;  // in `unit`: 118800
  std::string unit;             // "ns"
};

struct TableRow {
  std::vector<TableCell> cells;  // one a column
  std::size_t index = 0;         // of what it shows, in the panel's own list
};

// A cell of words, and one of a figure, which is a dash where there is none.
TableCell words_cell(std::string text);
TableCell figure_cell(std::optional<double> value, const std::string& unit);

// What a filter box holds.
struct TableFilter {
  char text[64] = "";
  bool focus = false;  // put the cursor into it in the next frame
};

// Gives the times of a column one unit, that of the shortest of them.
void in_one_time_unit(std::vector<TableRow>& rows, std::size_t column);

// Whether a row passes a filter. "> 5", "<= 100 µs", "> 2 TB/s", "< 50 %" compare the number of
// `column`. Without a unit it is the number as the cell shows it: "> 50" is false for "21.41 µs".
// A number of another unit never passes. Other text is found in any cell, whatever its case.
bool passes(const std::string& filter, const TableRow& row, std::size_t column);

// Orders rows by one column: numbers first, in their order, then words; rows that are equal stay.
void sort_rows(std::vector<TableRow>& rows, std::size_t column, bool ascending);
// The same as the header of the table being drawn asks for. Returns whether it asks for any order.
bool sort_as_asked(std::vector<TableRow>& rows);
bool is_order_asked();

// Makes the cells of a row that has none yet.
template <typename Make>
void make_row(TableRow& row, const Make& make) {
  if (row.cells.empty()) row = make(row.index);
}
template <typename Make>
void make_rows(std::vector<TableRow>& rows, const Make& make) {
  for (TableRow& row : rows) make_row(row, make);
}
// The rows among 0 to count - 1 that pass. Without a filter they have no cells yet.
template <typename Make>
std::vector<TableRow> rows_that_pass(const std::string& filter, std::size_t column,
                                     std::size_t count, const Make& make) {
  std::vector<TableRow> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i].index = i;
  if (filter.empty()) return rows;
  make_rows(rows, make);
  std::erase_if(rows, [&](const TableRow& row) { return !passes(filter, row, column); });
  return rows;
}

// A header row and the rows, in that order. A column with figures gives two: the bare number and,
// after it, its unit; where there is no figure both are empty.
std::string table_csv(std::span<const TableColumn> columns, std::span<const TableRow> rows);
ExportWish rows_as_csv(const char* panel, std::span<const TableColumn> columns,
                       std::span<const TableRow> rows);

struct TableBar {
  bool wanted = false;  // the rows are to be exported
};
// The filter box and the button that exports the rows, `width` wide.
TableBar draw_table_bar(const char* panel, const char* hint, TableFilter& filter,
                        const Selection& selection, float width);

// After the row's item that spans all columns: a right click opens a menu that copies the cell
// under the pointer, its bare value, or the row. True while it is open: add items, then EndPopup.
bool begin_row_menu(std::span<const TableColumn> columns, const TableRow& row, Selection& selection,
                    const char* panel);

}  // namespace warpscope
