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
  std::vector<std::uint8_t> image;
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
  // Told before each pass; false ends the collection with an error of kind usage, "cancelled".
  using GoOn = std::function<bool(int pass, int of)>;
  // `run_once` must leave the context idle. The profiler is turned on and off again each time: the
  // first start takes 150 ms of a collection in one pass, but one that stayed on for another plan
  // ended the process (CUDA 13.0 on an H200). error: what it reports, environment.
  Result<std::vector<RangeCounters>> collect(const CounterPlan& plan, int ranges,
                                             const Pass& run_once, const GoOn& go_on);
  const std::string& chip() const { return chip_; }

 private:
  Counters(const CuptiLibrary& cupti, CUcontext context) : cupti_(cupti), context_(context) {}
  Result<std::vector<RangeCounters>> decode(const CounterPlan& plan,
                                            CUpti_RangeProfiler_Object* profiler,
                                            std::vector<std::uint8_t>& data);
  Result<CUpti_Profiler_Host_Object*> host() const;
  void end(CUpti_Profiler_Host_Object* object) const;
  // The image and the number of passes of the plan's counters.
  Result<void> configure(CUpti_Profiler_Host_Object* object, CounterPlan& plan) const;
  // The device gets the plan, and `data` the size for what it counts.
  Result<void> begin(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan, int ranges,
                     std::vector<std::uint8_t>& data) const;
  Result<void> run_passes(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan,
                          const Pass& run_once, const GoOn& go_on) const;
  Result<RangeCounters> counters_of(CUpti_Profiler_Host_Object* object, const CounterPlan& plan,
                                    std::size_t range, std::vector<std::uint8_t>& data) const;

  const CuptiLibrary& cupti_;
  CUcontext context_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  std::map<std::vector<std::string>, CounterPlan> plans_;
};

}  // namespace warpscope
