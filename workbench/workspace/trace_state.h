// workbench/workspace/trace_state.h: which trace diagrams show, and how fresh it is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workbench/workspace/workspace.h"

namespace warpscope {

struct TraceState {
  Freshness freshness = Freshness::nothing;
  const Trace* trace =
      nullptr;            // at the selection, else (stale, pending) the last one of the variant
  std::string why_stale;  // what is other than what was asked for
  std::string progress;   // of the emulation under way, where it says
  std::optional<Error> failure;  // why the last emulation asked for gave no trace
};
TraceState trace_state(const Workspace& workspace, const std::string& variant);
// The code_id that a trace has as its source_hash; empty where it has a shorter one, of compiling.
std::string code_of(const Trace& trace);
// The counters that stand beside a trace. Of those of an earlier source, or of another one than the
// trace is of, none has a value: each says why, as does `why_none`.
std::vector<MetricValue> counters_of(const Workspace& workspace, const Trace& trace,
                                     std::string* why_none = nullptr);
// The steps of the variant that have a trace at the same key as `trace`, in the order they came.
std::vector<std::string> traced_steps(const Session& session, const Trace& trace);

}  // namespace warpscope
