// profiling/engine/measure/counters.h: hardware counters of named ranges, by CUPTI's range
// profiler.
#pragma once

#include <cuda.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiling/engine/cuda/cupti_library.h"
#include "profiling/figures/metric.h"

// Metrics need passes: the work runs once a pass, each step in a range of its own.
//
//   Result<CounterPlan> plan = counters.plan(*parse_counters("standard"));   // plan->passes
//   counters.collect(*plan, [&](RangeMarks& marks) { marks.push("multiply"); …; marks.pop(); … });

namespace warpscope {

struct CounterPlan {
  std::vector<std::string> ids, cupti_names;  // in the same order
  int passes = 0;
  std::vector<MetricValue> unavailable;  // metrics this chip does not have, with the reason
  // The image of all its counters. The profiler reads it for as long as it is on.
  std::shared_ptr<const std::vector<std::uint8_t>> image;
};

struct RangeCounters {
  std::string range;
  std::vector<MetricValue> values;
};

// Marks the ranges of one pass. Ranges do not nest. error: usage for a push inside a range and a
// pop outside of one, environment.
class RangeMarks {
 public:
  RangeMarks(const CuptiLibrary& cupti, CUpti_RangeProfiler_Object* profiler)
      : cupti_(cupti), profiler_(profiler) {}
  Result<void> push(const std::string& name);
  Result<void> pop();
  bool open() const { return open_; }

 private:
  const CuptiLibrary& cupti_;
  CUpti_RangeProfiler_Object* profiler_;
  bool open_ = false;
};

class Counters {
 public:
  // error: environment with one of five reasons: no permission, another profiler, virtual GPU, no
  // libcupti, device not supported.
  static Result<std::unique_ptr<Counters>> create(CUcontext context, int ordinal);
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;
  ~Counters();

  // Cached per list of metrics. error: environment.
  Result<CounterPlan> plan(const std::vector<std::string>& ids);

  using Pass = std::function<Result<void>(RangeMarks&)>;
  // Told when the profiler has started for a pass, which has run nothing yet: a window that draws
  // news of it while the profiler starts makes that 100 ms longer now and then (H200). false ends
  // the collection with an error of kind usage, "cancelled".
  using GoOn = std::function<bool(int pass, int of)>;
  // `run_once` must leave the context idle. The profiler stays on for this plan: its first start
  // takes 160 to 190 ms, one while it is on 20 (H200). For another plan, or another number
  // of ranges, it is turned off and on: told of one while it is on, it gives no number or ends the
  // process (CUDA 13.0). error: what it
  // reports, environment; it is off then.
  Result<std::vector<RangeCounters>> collect(const CounterPlan& plan, int ranges,
                                             const Pass& run_once, const GoOn& go_on);
  // Turns it off, if it is on: where nothing waits to be counted, because no other process can
  // count meanwhile (CUPTI_ERROR_HARDWARE_BUSY); before anything else of CUPTI; and before what is
  // timed, which it makes 0.2 µs longer a launch (H200, CUDA 13.0). error: environment.
  Result<void> release();
  const std::string& chip() const { return chip_; }

 private:
  Counters(const CuptiLibrary& cupti, CUcontext context) : cupti_(cupti), context_(context) {}
  Result<CUpti_RangeProfiler_Object*> turned_on();
  Result<std::vector<RangeCounters>> decode(const CounterPlan& plan,
                                            CUpti_RangeProfiler_Object* profiler);
  Result<CUpti_Profiler_Host_Object*> host() const;
  void end(CUpti_Profiler_Host_Object* object) const;
  // The image and the number of passes of the plan's counters.
  Result<void> configure(CUpti_Profiler_Host_Object* object, CounterPlan& plan) const;
  // The device gets the plan, and a place for what it counts.
  Result<void> begin(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan, int ranges);
  Result<void> run_passes(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan,
                          const Pass& run_once, const GoOn& go_on) const;
  Result<RangeCounters> counters_of(CUpti_Profiler_Host_Object* object, const CounterPlan& plan,
                                    std::size_t range);

  const CuptiLibrary& cupti_;
  CUcontext context_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;          // while it is on
  std::shared_ptr<const std::vector<std::uint8_t>> image_;  // of the plan that it is on for
  int ranges_ = 0;                                          // and for this many
  std::vector<std::uint8_t> data_, data_before_;  // its target, and that of the one before
  std::map<std::vector<std::string>, CounterPlan> plans_;
};

}  // namespace warpscope
