// profiling/listings/listing.h: what a kernel was compiled to, PTX and machine code, line by line
// beside its source.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/access/access.h"
#include "profiling/access/trace.h"
#include "profiling/points/point.h"

// A listing is what an engine answers to a listing job; it is of a text, not of a run, so session
// files do not keep it.
//
//   const std::vector<ListedRow> rows = ptx_rows(listing.ptx, listing.entry, listing.files);
//   if (comes_from(rows[i], "csrmm/warp_row.cu", 31)) light_up(i);

namespace warpscope {

// A kernel of a file, as its PTX declares it and its name says.
struct ListedParameter {
  std::string type, name;  // "const float*"; of PTX alone "u64", "b8[40]". The name may be missing
  std::int64_t bytes = 0;
  bool pointer = false;
};
struct ListedKernel {
  std::string symbol;  // its name in PTX
  std::string name;    // as a person writes it: "layernorm<float, 256>"
  std::vector<ListedParameter> parameters;
  std::int64_t shared_bytes = 0;  // static; of arrays that its own body uses
  bool dynamic_shared = false;    // it has an array whose size the launch says
  // Extents of .reqntid; zeros: any. Most threads of a block; 0: not said.
  std::array<std::int64_t, 3> required_block{};
  std::int64_t most_threads = 0;
};

// One kernel step of a variant, compiled and not run; or a file of a person's own.
struct Listing {
  std::int64_t job = 0;
  PointId point;  // of no device
  std::string step, source, entry;
  std::string text_hash;                                     // as of a step record
  std::vector<std::string> files;                            // of its texts, its own first
  std::vector<std::pair<std::string, std::string>> defines;  // that it is compiled with
  std::string toolkit;  // "13.0" (NVRTC); of a person's own file "nvcc 13.0" or "NVRTC 13.0"
  std::string ptx;      // of compute capability 9.0
  // Compute capability of the machine code that was asked for; 0: none was.
  int compute_capability = 0;
  std::string machine_code;          // as nvdisasm prints it
  bool ptx_lines = false;            // … with lines of `ptx`
  std::vector<LiveRegisters> live;   // at each of its instructions; empty: not known
  std::vector<std::string> guessed;  // opcodes whose registers are not known
  // Why one of the two is not there, with the remedy; empty: it is.
  std::string no_ptx, no_machine_code;
  std::vector<ListedKernel> kernels;  // of a file of a person's own
};

// A row of a listing, as it is shown.
struct ListedRow {
  std::string text;          // without the indent that all have
  bool instruction = false;  // else a label, a declaration, a brace
  // Where it comes from, the innermost function first, then the calls that it was inlined at.
  // Empty: the compiler does not say.
  std::vector<SourcePosition> positions;
  // Its line in the text of PTX, from 1; of machine code that which it was made from. 0: not known.
  int ptx_line = 0;
};

// The rows of one kernel in a text of PTX. Files are named as in `files`, where the compiler's path
// ends with such a name. source: PTX ISA, ".loc" and ".file".
std::vector<ListedRow> ptx_rows(std::string_view ptx, const std::string& entry,
                                std::span<const std::string> files);
// The same of what `nvdisasm -gi -c` prints of a cubin, with lines of PTX where -gp was given too.
std::vector<ListedRow> machine_rows(std::string_view text, const std::string& entry,
                                    std::span<const std::string> files);

// Whether the row comes from that line, at any depth of inlining.
bool comes_from(const ListedRow& row, std::string_view file, int line);
// Its line in one file, the innermost: where the reader of that file finds it; 0: it has none.
int line_in(const ListedRow& row, std::string_view file);
// How many instructions come from a line, and where the first of them stands.
struct RowsOfLine {
  std::size_t count = 0, first = 0;
};
RowsOfLine rows_of_line(const std::vector<ListedRow>& rows, std::string_view file, int line);

}  // namespace warpscope
