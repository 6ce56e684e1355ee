// profiling/gate/gate_record.h: what a gate knows of a kernel: its counts, by line too, and hashes
// of its outputs; as the recorded part of a gate's file.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/host/result.h"

// A gate's file has two parts: the person's own (gate_file.h), and below a marking line the
// recorded one, which only `warpscope ci --update` writes. No time stands in it, and nothing of the
// machine.
//
//   Result<GateRecords> recorded = parse_recorded(text, "gate.toml");
//   write_file("gate.toml", with_recorded(text, records));   // the person's part stays as it is

namespace warpscope {

struct GateCountRow {
  const char* id;      // "global_sectors"; in files
  const char* label;   // "sectors of global memory"
  bool more = false;   // whether more of it is better
  bool lines = false;  // whether it is known by source line
};
// In the order in which they are written.
std::span<const GateCountRow> gate_counts();
const GateCountRow* find_gate_count(std::string_view id);  // null: there is none
std::string gate_count_names();                            // "instructions, faults, …"

// By the ids above; what is missing is not known.
using GateCounts = std::map<std::string, std::int64_t, std::less<>>;

// A source line that does something. Its number is not recorded: a line further up moves it.
struct GateLine {
  std::string file, text;  // without the white space around it
  int line = 0;            // 0: recorded
  GateCounts counts;       // other than 0
};

struct GateOutput {
  std::string hash;     // of its bytes; empty: …
  std::string no_hash;  // … why there is none
  bool operator==(const GateOutput&) const = default;
};

// One kernel launch on one architecture.
struct GateRecord {
  int architecture = 90;     // compute capability
  std::string kernel, step;  // as the person's part names it; the step of several, else empty
  GateCounts counts;
  std::map<std::string, GateOutput> outputs;  // by buffer, of the last step
  std::vector<GateLine> lines;                // in the order of files and lines
};

struct GateRecords {
  std::string toolkit;              // of the compiler: another one may give other counts
  std::vector<GateRecord> records;  // by architecture, then as they were measured
};

inline constexpr int kGateVersion = 1;

// "gemm/tiled, step 2"
std::string name_of(const GateRecord& record);

// The text up to the marking line.
std::string_view own_part(std::string_view text);
// error: input: nothing is recorded; it was recorded by another version; it is torn or was edited.
Result<GateRecords> parse_recorded(std::string_view text, const std::string& file);
// The text with this recorded part in place of the one that it has.
std::string with_recorded(std::string_view text, const GateRecords& records);

}  // namespace warpscope
