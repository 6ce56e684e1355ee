// profiling/listings/row_figures.h: what the rows of a listing did: emulated and counted by machine
// instruction, summed for the PTX that they were made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiling/access/line_counters.h"
#include "profiling/access/trace.h"
#include "profiling/listings/listing.h"

//   const ListingFigures machine = machine_figures(machine_rows, trace, &step.lines);
//   const ListingFigures ptx = ptx_figures(ptx_rows, machine_rows, machine);

namespace warpscope {

struct RowFigures {
  LineTotals modelled;  // without a position
  LineFigures measured;
  int machine_instructions = 0;  // that the row was made into; 1 of machine code
  bool is_modelled = false, is_measured = false;
};

struct ListingFigures {
  std::vector<RowFigures> rows;  // of each row of the listing, or none
  bool modelled = false, measured = false;
};

// Figures of machine code. `trace`: null, or of this kernel; it has no figures here if it is of PTX
// or of another number of instructions. `counters`: null, or counted of the same code; they have no
// figures here if they have an instruction that the listing lacks.
ListingFigures machine_figures(const std::vector<ListedRow>& rows, const Trace* trace,
                               const LineCounters* counters);
// The sums over the machine instructions that each row of PTX was made into. Without rows if the
// machine code does not say from which.
ListingFigures ptx_figures(const std::vector<ListedRow>& rows,
                           const std::vector<ListedRow>& machine_rows,
                           const ListingFigures& machine);

// Indices of values above 0, the highest first; equal ones in their order.
std::vector<std::size_t> hottest_first(std::span<const std::int64_t> values);

// What a person chose of a kernel: a line of its text, or an instruction of PTX.
struct ChosenCode {
  std::string file;
  int line = 0;      // 0: none
  int ptx_line = 0;  // above 0: this one alone, wherever its line is
  bool operator==(const ChosenCode&) const = default;
};
// Whether a row is what was chosen, or was made from it.
bool belongs_to(const ListedRow& row, const ChosenCode& chosen);

}  // namespace warpscope
