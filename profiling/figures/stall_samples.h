// profiling/figures/stall_samples.h: where the device saw warps of a kernel, and why they waited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/figures/metric.h"

// Program counter sampling: at regular intervals each multiprocessor looks at one warp of one of
// its schedulers and notes the instruction that the warp issues next, and why it does not issue it
// now. "selected" stands for a warp that does. source: CUPTI documentation, "PC Sampling".
//
//   for (const InstructionSamples& at : samples.instructions)
//     for (const StallCount& count : at.counts) show(samples.reasons[count.reason], count.samples);

namespace warpscope {

struct StallCount {
  std::uint32_t reason = 0;  // a place in StallSamples::reasons
  std::int64_t samples = 0;
  // Those among them in which the scheduler issued no other warp either.
  std::int64_t not_issued = 0;
  bool operator==(const StallCount&) const = default;
};

struct InstructionSamples {
  std::uint64_t offset = 0;  // from the first byte of the kernel's code
  std::vector<StallCount> counts;
  bool operator==(const InstructionSamples&) const = default;
};

struct StallSamples {
  std::vector<std::string> reasons;              // "long_scoreboard", "selected"
  std::vector<InstructionSamples> instructions;  // by offset; those without a sample are left out
  int compute_capability = 0;                    // of the machine code
  std::int64_t code_bytes = 0;                   // of the kernel's machine code
  int multiprocessors = 0;                       // of the device
  int runs = 0;                                  // of the kernel; 0: nothing was collected
  int period_log2 = 0;                           // a sample every 2^n cycles of a multiprocessor
  std::int64_t dropped = 0;                      // samples that found no room
  std::int64_t elsewhere = 0;                    // samples of code that is not the kernel's
  std::vector<MetricValue> missing;              // "samples", with the reason and the remedy
};

// The set of samples: asked for as "samples", alone or in a comma-separated list of counter sets.
inline constexpr std::string_view kStallSampleSet = "samples";
bool asks_for_samples(std::string_view counters);

std::int64_t samples_at(const InstructionSamples& at);
std::int64_t samples_of_all(const StallSamples& samples);

}  // namespace warpscope
