// profiling/gate/gate_comparison.h: what kernels do now beside what is recorded of them, with the
// source lines that make the difference.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/gate/gate_file.h"
#include "profiling/gate/gate_record.h"

namespace warpscope {

enum class GateChange {
  worse,     // by more than is allowed
  outputs,   // an output has other bits, or there is none any more
  vanished,  // recorded, and not among the kernels now
  added,     // among the kernels now, and not recorded
  allowed,   // worse, within what is allowed
  better,
  other,  // neither better nor worse: why an output has no hash any more, or again
};
const char* to_text(GateChange change);  // "worse"
bool fails(GateChange change);           // the first four

// One line's share of a difference. A line whose text changed is gone and new.
struct GateLineChange {
  std::string file, text;
  int line = 0;  // now; 0: it is gone
  std::int64_t before = 0, after = 0;
  // What the compiler says has no lines of its own: of such a count, lines whose text or warp
  // instructions changed, which these are then.
  bool instructions = false;
};

struct GateDifference {
  GateChange change = GateChange::worse;
  std::string kernel, step;
  int architecture = 0;
  std::string count;  // its id; empty: it is not about a count
  std::int64_t before = 0, after = 0;
  std::string sentence;               // whole, without the kernel's name
  std::vector<GateLineChange> lines;  // those that explain it, by falling share
};

struct GateComparison {
  std::string toolkit;
  std::vector<GateRecord> now;              // what was compared
  std::vector<GateDifference> differences;  // those that fail come first
  bool fails() const;
};

// error: input: an architecture of the file is not recorded.
Result<void> check_recorded(const GateFile& file, const std::string& path,
                            const GateRecords& recorded);
// error: as check_recorded; environment: it was recorded with another toolkit, whose counts may
// differ.
Result<GateComparison> compare_gate(const GateFile& file, const std::string& path,
                                    const GateRecords& recorded, const GateRecords& now);

// "saxpy.cu:12: 4 096 → 5 120 (+1 024)  y[i] = …"
std::string line_text(const GateLineChange& line);

}  // namespace warpscope
