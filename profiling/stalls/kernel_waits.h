// profiling/stalls/kernel_waits.h: how much each instruction of a kernel waits, and for which
// reasons: by samples of a device, or by a model without one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/figures/stall_samples.h"

//   const Result<KernelWaits> waits = sampled_waits(step.samples, *trace.machine_code);
//   const KernelWaits model = modelled_waits(trace);

namespace warpscope {

struct WaitPart {
  std::string reason;  // "long_scoreboard", as samples have it
  double weight = 0, not_issued = 0;
};
struct InstructionWaits {
  double issued = 0;            // samples of a warp that is issued; modelled: its issue cycles
  std::vector<WaitPart> parts;  // the largest first; without those that wait for nothing
  double waiting() const;
  double all() const { return issued + waiting(); }
};

struct KernelWaits {
  bool modelled = false;                 // weights are cycles; else samples
  std::vector<InstructionWaits> rows;    // one per instruction of the machine code
  double all = 0;                        // the sum over the rows
  std::vector<std::string> assumptions;  // of a model: each latency with its source
};

// Samples by instruction. error: input: the samples are of other machine code than the figures.
Result<KernelWaits> sampled_waits(const StallSamples& samples, const MachineFigures& code);

// The cycles that each warp of the trace's block would wait if it had a multiprocessor for itself:
// instructions are issued in order, each waits for the scoreboards that the compiler names, and
// warps wait for each other at barriers. Empty rows if the trace has no dependencies or no issued
// instructions.
KernelWaits modelled_waits(const Trace& trace);

// A latency that the model uses.
struct ModelledLatency {
  const char* what;  // "a load of global memory"
  double cycles;     // without what further sectors or wavefronts add
  const char* source;
};
std::span<const ModelledLatency> modelled_latencies();

// "long_scoreboard" as it is written in sentences: "global memory"; of a reason that has no row in
// all_stall_reasons() its own name with spaces.
std::string reason_words(std::string_view reason);
// Its metric's id: "stall.long_scoreboard".
std::string reason_id(std::string_view reason);

}  // namespace warpscope
