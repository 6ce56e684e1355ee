// profiling/listings/machine_table.h: the instructions of an emulated launch's machine code with
// their figures, as a table, and two of them beside each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/listings/listing.h"

//   const SassTable table = machine_table(trace);
//   std::fputs(machine_table_text(table).c_str(), stdout);

namespace warpscope {

struct SassTableRow {
  std::uint32_t offset = 0;  // in bytes, in the function
  std::string text;          // the instruction
  std::string opcode;        // "LDG.E.128", without guard and operands
  std::string line;          // "warp_row.cu:31"; empty: the compiler does not say
  std::int64_t executed = 0, threads = 0;
  std::int64_t requests = 0, sectors = 0;  // of global and local memory
  std::int64_t wavefronts = 0;             // of shared memory
  int live_registers = 0;                  // 0: not known
  bool spill = false;
};

struct SassTable {
  std::string title;  // what it is of: kernel, architecture, registers, blocks
  std::vector<SassTableRow> rows;
  std::vector<std::string> unknown;
  bool has_figures = true;  // false: it was not run
};

// The table of a trace of machine code; without rows if the trace is of PTX.
SassTable machine_table(const Trace& trace);

// Columns for a terminal. Counts of instructions that were not executed are blank.
std::string machine_table_text(const SassTable& table);
std::string machine_table_csv(const SassTable& table);

// For each row of a listing of the same machine code: how often it was executed, and what it asked
// of memory, in columns of one width; labels have blanks. Empty if the trace is of another code.
std::vector<std::string> figure_cells(const std::vector<ListedRow>& rows, const Trace& trace);
inline constexpr const char* kFigureCells = "executed   sectors  wavefronts ";

// A row of either table, or of both: instructions of one opcode that stand in the same place.
struct MachineDiffRow {
  const SassTableRow* left = nullptr;
  const SassTableRow* right = nullptr;
};
std::vector<MachineDiffRow> machine_diff(const SassTable& left, const SassTable& right);

// What two tables execute: a row per opcode whose counts differ, with the most different first,
// then the instructions beside each other. Rows that both have are left out, except around
// differences.
std::string machine_diff_text(const SassTable& left, const SassTable& right);

}  // namespace warpscope
