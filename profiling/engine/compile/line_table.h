// profiling/engine/compile/line_table.h: the line table of a cubin: which calls an instruction was
// inlined through.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/line_counters.h"
#include "scenes/host/result.h"

// CUPTI's correlation names the innermost line of an instruction; the calls around it stand in the
// same table, .debug_line. source: DWARF Debugging Information Format 2.0, section 6.2, and its
// extended opcode 0x90 of NVIDIA's compilers: the row of the call that the next rows are inlined
// at, counted from 1 in their sequence, and the name of the function.

namespace warpscope {

class LineTable {
 public:
  // A cubin without source lines gives an empty table. error: input, when the bytes are not a
  // 64-bit ELF file or the table is torn.
  static Result<LineTable> read(std::string_view cubin);

  // From the innermost function outward to the kernel, with paths as the table has them; empty
  // where the table says nothing of the instruction.
  CallChain at(const std::string& entry, std::uint64_t offset) const;

 private:
  struct Row {
    std::uint64_t offset = 0;
    SourcePosition position;
    std::size_t called_from = 0;  // index of a row plus 1; 0: not inlined
  };
  // The rows of one function, by rising offset; the last of several at one offset is innermost.
  struct Sequence {
    std::vector<Row> rows;
    std::uint64_t end = 0;  // the first offset after the function
  };
  std::map<std::string, Sequence> functions_;
  friend class LineTableReader;
};

}  // namespace warpscope
