// workbench/panels/source/listing_cells.h: the figures before a row of PTX or SASS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "profiling/agreement/line_comparison.h"
#include "profiling/stalls/instruction_shares.h"
#include "workbench/panels/panels.h"

namespace warpscope {

// What stands before the rows of a listing. `heat`: null: no figure is chosen. `waits`: of the same
// machine code; null: not known.
struct ListingColumns {
  const LineFigureRow* heat = nullptr;
  const InstructionShares* waits = nullptr;
  bool low = false;  // what stands above the rows takes as few lines as it can
};

// How the cells of a listing stand side by side. unit: pixels.
struct CellLayout {
  float letter = 0;
  std::size_t cells = 0;  // of kCells, beside the chosen figure
  bool measured = false;  // what was counted of the chosen figure
  bool heat = false, live = false;
  bool waits = false, reasons = false;
};
CellLayout layout_of(const Style& style, const ListedColumn& column, const Listing& listing,
                     SourceColumn which, const ListingColumns& columns);

// The names over the columns, with what they mean on hover.
void draw_cell_names(const Style& style, const CellLayout& layout, const ListingColumns& columns);
// The line of the kernel's text, 0: none, and the cells of row k; the cursor is left after them.
void draw_cells(const Style& style, const CellLayout& layout, const ListingColumns& columns,
                const ListedColumn& column, std::size_t k, int line, const Listing& listing);

// What `heat` says of a row: counted where that was, else emulated.
std::int64_t heat_of(const RowFigures& row, const LineFigureRow& heat, bool counted);
// The registers in use at a row; null: not known.
const LiveRegisters* live_at(const Listing& listing, const ListedColumn& column, std::size_t k);
// The waits of a row; null: none.
const InstructionShare* waits_at(const InstructionShares* waits, const ListedColumn& column,
                                 std::size_t k);

}  // namespace warpscope
