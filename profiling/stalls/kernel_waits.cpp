// profiling/stalls/kernel_waits.cpp: how much each instruction of a kernel waits by the samples of
// a device.
#include "profiling/stalls/kernel_waits.h"

#include <algorithm>

#include "profiling/overview/stall_reasons.h"

namespace warpscope {
namespace {

constexpr std::uint64_t kInstructionBytes = 16;

}  // namespace

double InstructionWaits::waiting() const {
  double sum = 0;
  for (const WaitPart& part : parts) sum += part.weight;
  return sum;
}

std::string reason_id(std::string_view reason) {
  // CUPTI's samples and its counters name this one differently.
  if (reason == "no_instructions") reason = "no_instruction";
  return "stall." + std::string(reason);
}

std::string reason_words(std::string_view reason) {
  const std::string id = reason_id(reason);
  for (const StallReason& row : all_stall_reasons()) {
    if (id == row.id) return row.name;
  }
  std::string words(reason);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

Result<KernelWaits> sampled_waits(const StallSamples& samples, const MachineFigures& code) {
  const auto other = [&](const std::string& why) -> Result<KernelWaits> {
    return failure(ErrorKind::input, "the samples are of other machine code: " + why, "samples",
                   "take samples of the kernel as it is now");
  };
  if (samples.compute_capability != code.compute_capability)
    return other("of compute capability " + std::to_string(samples.compute_capability) +
                 ", emulated was " + std::to_string(code.compute_capability));
  const auto bytes = static_cast<std::int64_t>(code.rows.size() * kInstructionBytes);
  if (samples.code_bytes != 0 && samples.code_bytes != bytes)
    return other(std::to_string(samples.code_bytes) + " bytes, emulated were " +
                 std::to_string(bytes));
  KernelWaits waits;
  waits.rows.resize(code.rows.size());
  for (const InstructionSamples& at : samples.instructions) {
    const std::uint64_t k = at.offset / kInstructionBytes;
    if (k >= waits.rows.size()) return other("a sample lies beyond its end");
    InstructionWaits& row = waits.rows[k];
    for (const StallCount& count : at.counts) {
      const std::string& reason = samples.reasons.at(count.reason);
      const auto weight = static_cast<double>(count.samples);
      waits.all += weight;
      if (reason == "selected") {
        row.issued += weight;
      } else {
        row.parts.push_back({reason, weight, static_cast<double>(count.not_issued)});
      }
    }
    std::stable_sort(row.parts.begin(), row.parts.end(),
                     [](const WaitPart& a, const WaitPart& b) { return a.weight > b.weight; });
  }
  return waits;
}

}  // namespace warpscope
