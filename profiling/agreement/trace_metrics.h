// profiling/agreement/trace_metrics.h: an emulated launch as metrics, named after the counters they
// answer to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/session/session.h"

// "emulated.l1.sectors_load" is what the emulator says of the counter "l1.sectors_load"; unit and
// CUPTI's name of the row in the metric table are the counter's, the origin is modelled.

namespace warpscope {

inline constexpr std::string_view kEmulatedPrefix = "emulated.";

// The rows of the metric table with source emulator, in its order. A trace of one block alone has
// none of the values: each says so.
std::vector<MetricValue> emulated_metrics(const Trace& trace);

// The modelled figures that stand beside a measurement's counters: sums over its kernel steps that
// run each time, from traces at its key. A step without a trace of its own: values with the reason.
// Empty when no step has a trace.
std::vector<MetricValue> modelled_beside(const Session& session, const Measurement& point);

// Whether trace and point are of one code, as far as both say it: of a scene's variant a trace's
// source_hash is its code_id, and recordings of before have neither.
bool of_one_code(const Trace& trace, const Measurement& point);
inline constexpr const char* kOfAnotherCode = "traced from a different source than the counters";
// Whether the trace was made at the configuration of the point, of the same variant.
bool is_of(const Trace& trace, const Measurement& point);
// While a slider moves no emulation of a grid keeps up, and none delays a timing: the last emulated
// figures of the variant stand, and say of which configuration they are.
struct StandingFigures {
  std::vector<MetricValue> values;
  std::string stale_key;  // empty: they are of the point itself
  std::string why_stale;  // "only block 0 was emulated, …": why the point has none of its own
};
StandingFigures modelled_or_last(const Session& session, const Measurement& point);

// The counters of a point that stand beside a trace's figures: of its step where the point has them
// apart, else of the whole run when that has one kernel only. Empty: none, or they are of another
// code (of_one_code). The point is the one at
// the trace's key on the device that is looked at (`point_of`); null: there is none.
std::vector<MetricValue> counters_beside(const Measurement* point, const Trace& trace);
// The point of a trace on a device. Null: it was not measured there.
const Measurement* point_of(const Session& session, const Trace& trace, const std::string& device);

// The values of `measured` with each of `modelled` right after the counter that it answers to, or
// at the end.
std::vector<MetricValue> with_modelled(const std::vector<MetricValue>& measured,
                                       const std::vector<MetricValue>& modelled);

}  // namespace warpscope
