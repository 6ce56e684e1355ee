// tests/profiling/stalls/stalled_kernel.h: a kernel of machine code with samples, written by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiling/access/trace.h"
#include "profiling/points/measurement.h"

namespace warpscope {

// Rows are added in the order of the code. Each is executed by one warp with all lanes unless a
// test changes that.
class StalledKernel {
 public:
  StalledKernel() {
    trace.scene = "s";
    trace.variant = "v";
    trace.key = "n=1";
    trace.step = "step";
    trace.source = "s/v.cu";
    trace.entry = "k";
    trace.launch = {{1, 1, 1}, {32, 1, 1}, 0, {}};
    trace.machine_code.emplace();
    trace.machine_code->compute_capability = 90;
    step.name = "step";
    step.kind = "kernel";
    step.samples.runs = 1;
    step.samples.compute_capability = 90;
    step.samples.period_log2 = 12;
    point.conditions.device = "a device";
    point.verdict.outcome = Outcome::correct;
  }

  // Returns its index.
  std::uint32_t add(const std::string& text, int line, std::vector<MachineNeed> needs = {},
                    int cycles = 1) {
    MachineRow row;
    row.text = text;
    if (line > 0) row.position = {"s/v.cu", line, 0};
    row.executed = 1;
    row.threads = 32;
    row.issue_cycles = cycles;
    row.needs = std::move(needs);
    trace.machine_code->rows.push_back(std::move(row));
    return static_cast<std::uint32_t>(trace.machine_code->rows.size() - 1);
  }
  MachineRow& row(std::uint32_t k) { return trace.machine_code->rows[k]; }

  void sample(std::uint32_t k, const std::string& reason, std::int64_t count) {
    StallSamples& s = step.samples;
    std::uint32_t number = 0;
    while (number < s.reasons.size() && s.reasons[number] != reason) ++number;
    if (number == s.reasons.size()) s.reasons.push_back(reason);
    for (InstructionSamples& at : s.instructions) {
      if (at.offset == 16 * k) {
        at.counts.push_back({number, count, 0});
        return;
      }
    }
    s.instructions.push_back({16 * k, {{number, count, 0}}});
  }

  AccessSite& site(std::uint32_t k, Space space, AccessKind kind, std::int64_t requests) {
    AccessSite& site = trace.sites.emplace_back();
    site.instruction = k;
    site.space = space;
    site.kind = kind;
    site.totals.requests = requests;
    site.totals.lanes = 32 * requests;
    site.totals.unique_bytes = 128 * requests;
    return site;
  }

  // The warp that executes these rows.
  void warp(const std::vector<std::uint32_t>& rows) {
    std::vector<IssuedInstruction>& issued = trace.issued.emplace_back();
    for (const std::uint32_t k : rows) issued.push_back({k, ~0U, row(k).position.line});
  }

  Trace trace;
  StepRecord step;
  Measurement point;
};

}  // namespace warpscope
