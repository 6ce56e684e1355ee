// profiling/engine/run/emulated/both_codes.cpp: figures of machine code with the findings of PTX.
#include "profiling/engine/run/emulated/both_codes.h"

#include <algorithm>
#include <utility>

namespace warpscope {
namespace {

// Whether lanes go on after it, so that sums are whole.
bool goes_on_after(FaultKind kind) {
  switch (kind) {
    case FaultKind::shared_race:
    case FaultKind::block_race:
    case FaultKind::global_race:
    case FaultKind::stale_read:
    case FaultKind::missing_fence:
    case FaultKind::uninitialised_read:
      return true;
    default:
      return false;
  }
}

// The first fault that ended the work of some lanes; `known`: of the kernel, not of an instruction
// that is not emulated. Null: none.
const Fault* stop_of(const Trace& trace, bool known) {
  const auto stops = [known](const Fault& f) {
    return !goes_on_after(f.kind) && (f.kind != FaultKind::unsupported || !known);
  };
  const auto fault = std::find_if(trace.faults.begin(), trace.faults.end(), stops);
  return fault == trace.faults.end() ? nullptr : &*fault;
}

}  // namespace

std::string why_ptx_alone(const std::vector<Trace>& ptx) {
  for (const Trace& trace : ptx) {
    if (trace.hang || stop_of(trace, true) != nullptr)
      return "the run did not come to its end, and what stopped it is found in PTX";
  }
  return "";
}

Trace figures_with_findings(Trace ptx, Trace machine) {
  const Fault* const stop = stop_of(machine, false);
  if (!machine.machine_code || machine.hang || stop != nullptr) {
    ptx.no_machine_code = stop != nullptr ? "SASS was not emulated to its end: " + stop->sentence
                          : machine.hang
                              ? "SASS was not emulated to its end: " + machine.hang->verdict
                              : std::move(machine.no_machine_code);
    ptx.emulate_ms += machine.emulate_ms;
    return ptx;
  }
  if (stop_of(ptx, false) != nullptr) return machine;
  machine.faults = std::move(ptx.faults);
  machine.outputs = std::move(ptx.outputs);
  machine.printed = std::move(ptx.printed);
  machine.spills = std::move(ptx.spills);
  machine.compile_ms += ptx.compile_ms;
  machine.emulate_ms += ptx.emulate_ms;
  return machine;
}

}  // namespace warpscope
