// profiling/stalls/stall_report.h: why the warps of a kernel wait: from each stall to its cause,
// its line and its access.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/stalls/stall_cause.h"

// A wait is a share of all samples of the kernel, or of all modelled cycles:
//
//   const Result<StallReport> report = stall_report({trace, &step.samples, point});
//   for (const StallFinding& f : report->findings) show(f.sentence, f.line, f.cause_line, f.site);

namespace warpscope {

// Waits of one line of source for one cause.
struct StallFinding {
  double share_ratio = 0;  // of all samples
  std::string reason;      // that most of them have: "long_scoreboard"
  std::uint32_t row = 0;   // the instruction that waits most
  SourcePosition line;     // where it waits; line 0: the compiler does not say
  StallCause cause = StallCause::other;
  std::uint32_t cause_row = 0;  // the instruction that is waited for; `row` itself if there is none
  SourcePosition cause_line;
  std::ptrdiff_t site = -1;  // the access of cause_row, an index into Trace::sites; −1: it has none
  std::string sentence;      // "Line 7 of a.cu waits in 40.1 % of all samples for the load …"
  std::string access;        // "32 sectors per request where 4 would do …"; may be empty
  std::string remedy;
};

// All samples of a line, and the reason that most of its waits have.
struct StallLine {
  SourcePosition position;
  double share_ratio = 0, issued_ratio = 0;  // of all samples; of a warp that is issued
  std::string reason;
};
struct StallReasonShare {
  std::string reason;
  double share_ratio = 0;
};

// The waits of one instruction for one reason.
struct StallInstruction {
  std::uint32_t row = 0;
  SourcePosition line;
  std::string reason;
  double weight = 0, not_issued = 0, share_ratio = 0;
  StallCause cause = StallCause::other;  // not of "selected" and "not_selected"
  std::uint32_t cause_row = 0;
  SourcePosition cause_line;
};

struct StallReport {
  std::string kernel, step;  // its name; the step's
  bool modelled = false;
  double all = 0;     // samples, or modelled cycles of all warps of the block
  std::string basis;  // "301 413 samples of 20 runs, one every 4 096 cycles, NVIDIA H200"
  std::vector<StallFinding> findings;          // the cause to look at first, then by share
  std::vector<StallReasonShare> reasons;       // the largest first; "selected" among them
  std::vector<StallLine> lines;                // the largest first
  std::vector<StallInstruction> instructions;  // in the order of the code
  std::vector<std::string> circumstances;      // sentences on occupancy, last round, levels
  std::vector<std::string> assumptions;        // of a model
};

struct StallSource {
  const Trace& trace;                     // of machine code, with dependencies
  const StallSamples* samples = nullptr;  // null: the waits are modelled
  const Measurement* point = nullptr;     // with counters of the same kernel; may be null
  const StepRecord* step = nullptr;       // of the samples; may be null
};
// error: input: the trace has no machine code or no dependencies, or the samples are of another
// code; environment: no samples were taken, with the reason.
Result<StallReport> stall_report(const StallSource& source);

// The reason and the remedy where a step has none; no value: it has samples.
std::optional<Error> why_no_samples(const StepRecord& step);

}  // namespace warpscope
