// profiling/listings/machine_table.h: the instructions of an emulated launch's machine code with
// their figures, as a table, and two of them beside each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  LiveRegisters live;
  bool spill = false;  // it loads or stores at a fixed place of the stack
};

struct SassTable {
  std::string kernel;  // its name
  std::string title;   // what it is of: kernel, architecture, registers, blocks
  std::vector<SassTableRow> rows;
  std::vector<std::string> unknown;
  bool has_figures = true;  // false: it was not run
};

// The table of a trace of machine code; without rows if the trace is of PTX.
SassTable machine_table(const Trace& trace);
// The same of a listing, which has no figures.
SassTable machine_table(const Listing& listing);
// Takes the registers in use from a listing of the same instructions; leaves a table as it is that
// has them, or is of others.
void add_live_registers(SassTable& table, const Listing& listing);

// Whether it is LDL or STL at a fixed place of the stack: a register that is spilled, or an element
// of a local array whose index the compiler knows.
bool is_stack_access(std::string_view instruction);
// The row with most general registers in use; the first of several. No value: they are not known.
std::optional<std::size_t> most_live_row(const SassTable& table);

// Columns for a terminal. Counts of instructions that were not executed are blank.
std::string machine_table_text(const SassTable& table);
// One header for all tables; a row names its kernel.
std::string machine_table_csv(const std::vector<SassTable>& tables);
// {"type":"sass","kernel":…,"rows":[…]}: one line.
std::string machine_table_json(const SassTable& table);

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
