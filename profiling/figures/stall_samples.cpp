// profiling/figures/stall_samples.cpp: where the device saw warps of a kernel, and why they waited.
#include "profiling/figures/stall_samples.h"

#include <algorithm>

namespace warpscope {

bool asks_for_samples(std::string_view counters) {
  while (!counters.empty()) {
    const std::size_t end = std::min(counters.find(','), counters.size());
    if (counters.substr(0, end) == kStallSampleSet) return true;
    counters.remove_prefix(std::min(end + 1, counters.size()));
  }
  return false;
}

std::int64_t samples_at(const InstructionSamples& at) {
  std::int64_t sum = 0;
  for (const StallCount& count : at.counts) sum += count.samples;
  return sum;
}

std::int64_t samples_of_all(const StallSamples& samples) {
  std::int64_t sum = 0;
  for (const InstructionSamples& at : samples.instructions) sum += samples_at(at);
  return sum;
}

}  // namespace warpscope
