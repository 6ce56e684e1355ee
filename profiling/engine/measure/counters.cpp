// profiling/engine/measure/counters.cpp: hardware counters of named ranges, by CUPTI's range
// profiler.
#include "profiling/engine/measure/counters.h"

#include <cmath>
#include <utility>

namespace warpscope {
namespace {

std::string cupti_name_of(const std::string& id) {
  constexpr std::string_view kVerbatim = "cupti:";
  if (id.starts_with(kVerbatim)) return id.substr(kVerbatim.size());
  const Metric* metric = find_metric(id);
  return metric == nullptr ? id : metric->cupti_name;
}

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> list;
  list.reserve(names.size());
  for (const std::string& name : names) list.push_back(name.c_str());
  return list;
}

}  // namespace

Result<void> RangeMarks::push(const std::string& name) {
  if (open_) return failure(ErrorKind::usage, "a range is already open", name, "pop it first");
  CUpti_RangeProfiler_PushRange_Params p = {CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = profiler_;
  p.pRangeName = name.c_str();
  Result<void> pushed =
      check(cupti_, cupti_.cuptiRangeProfilerPushRange(&p), "cuptiRangeProfilerPushRange");
  open_ = pushed.has_value();
  return pushed;
}

Result<void> RangeMarks::pop() {
  if (!open_) return failure(ErrorKind::usage, "no range is open", "counters", "push one first");
  open_ = false;
  CUpti_RangeProfiler_PopRange_Params p = {CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE};
  p.pRangeProfilerObject = profiler_;
  return check(cupti_, cupti_.cuptiRangeProfilerPopRange(&p), "cuptiRangeProfilerPopRange");
}

Result<std::unique_ptr<Counters>> Counters::create(CUcontext context, int ordinal) {
  Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) return tl::unexpected(cupti.error());
  if (Result<void> host_side = load_nvperf_host(); !host_side) {
    return tl::unexpected(host_side.error());
  }
  const CuptiLibrary& c = **cupti;
  std::unique_ptr<Counters> counters(new Counters(c, context));
  CUpti_Profiler_Initialize_Params init = {CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
  CUpti_Device_GetChipName_Params chip = {CUpti_Device_GetChipName_Params_STRUCT_SIZE};
  chip.deviceIndex = static_cast<std::size_t>(ordinal);
  CUpti_Profiler_GetCounterAvailability_Params available = {
      CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
  available.ctx = context;
  const Result<void> ready =
      check(c, c.cuptiProfilerInitialize(&init), "cuptiProfilerInitialize")
          .and_then(
              [&] { return check(c, c.cuptiDeviceGetChipName(&chip), "cuptiDeviceGetChipName"); })
          .and_then([&] {
            counters->chip_ = chip.pChipName;
            return check(c, c.cuptiProfilerGetCounterAvailability(&available),
                         "counter availability");
          })
          .and_then([&] {
            counters->availability_.resize(available.counterAvailabilityImageSize);
            available.pCounterAvailabilityImage = counters->availability_.data();
            return check(c, c.cuptiProfilerGetCounterAvailability(&available),
                         "counter availability");
          });
  if (!ready) return tl::unexpected(ready.error());
  return counters;
}

Counters::~Counters() { static_cast<void>(release()); }

Result<CUpti_Profiler_Host_Object*> Counters::host() const {
  CUpti_Profiler_Host_Initialize_Params p = {CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  p.pChipName = chip_.c_str();
  p.pCounterAvailabilityImage = availability_.data();
  return check(cupti_, cupti_.cuptiProfilerHostInitialize(&p), "cuptiProfilerHostInitialize")
      .map([&] { return p.pHostObject; });
}

void Counters::end(CUpti_Profiler_Host_Object* object) const {
  CUpti_Profiler_Host_Deinitialize_Params p = {CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  p.pHostObject = object;
  cupti_.cuptiProfilerHostDeinitialize(&p);
}

Result<void> Counters::configure(CUpti_Profiler_Host_Object* object, CounterPlan& plan) const {
  std::vector<std::uint8_t> bytes;
  std::vector<const char*> names = pointers(plan.cupti_names);
  CUpti_Profiler_Host_ConfigAddMetrics_Params add = {
      CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
  add.pHostObject = object;
  add.ppMetricNames = names.data();
  add.numMetrics = names.size();
  CUpti_Profiler_Host_GetConfigImageSize_Params size = {
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
  size.pHostObject = object;
  CUpti_Profiler_Host_GetConfigImage_Params image = {
      CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
  image.pHostObject = object;
  CUpti_Profiler_Host_GetNumOfPasses_Params passes = {
      CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
  Result<void> made =
      check(cupti_, cupti_.cuptiProfilerHostConfigAddMetrics(&add), "counters")
          .and_then([&] {
            return check(cupti_, cupti_.cuptiProfilerHostGetConfigImageSize(&size), "counters");
          })
          .and_then([&] {
            bytes.resize(size.configImageSize);
            image.configImageSize = bytes.size();
            image.pConfigImage = bytes.data();
            return check(cupti_, cupti_.cuptiProfilerHostGetConfigImage(&image), "counters");
          })
          .and_then([&] {
            passes.configImageSize = bytes.size();
            passes.pConfigImage = bytes.data();
            return check(cupti_, cupti_.cuptiProfilerHostGetNumOfPasses(&passes), "counters");
          });
  plan.passes = static_cast<int>(passes.numOfPasses);
  plan.image = std::make_shared<const std::vector<std::uint8_t>>(std::move(bytes));
  return made;
}

Result<CounterPlan> Counters::plan(const std::vector<std::string>& ids) {
  if (const auto known = plans_.find(ids); known != plans_.end()) return known->second;
  Result<CUpti_Profiler_Host_Object*> object = host();
  if (!object) return tl::unexpected(object.error());
  CounterPlan plan;
  for (const std::string& id : ids) {
    const std::string name = cupti_name_of(id);
    CUpti_Profiler_Host_GetMetricProperties_Params p = {
        CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    p.pHostObject = *object;
    p.pMetricName = name.c_str();
    if (cupti_.cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS) {
      plan.ids.push_back(id);
      plan.cupti_names.push_back(name);
    } else {
      plan.unavailable.push_back({id, std::nullopt, Origin::measured,
                                  chip_ + " has no counter " + name, "choose another counter"});
    }
  }
  Result<void> made;
  if (!plan.ids.empty()) made = configure(*object, plan);
  end(*object);
  if (!made) return tl::unexpected(made.error());
  plans_[ids] = plan;
  return plan;
}

Result<void> Counters::begin(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan,
                             int ranges) {
  image_ = plan.image;
  ranges_ = ranges;
  data_before_ = std::exchange(data_, {});
  std::vector<const char*> names = pointers(plan.cupti_names);
  CUpti_RangeProfiler_GetCounterDataSize_Params size = {
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
  size.pRangeProfilerObject = profiler;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxNumOfRanges = static_cast<std::size_t>(ranges);
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  CUpti_RangeProfiler_CounterDataImage_Initialize_Params init = {
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
  init.pRangeProfilerObject = profiler;
  CUpti_RangeProfiler_SetConfig_Params config = {CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
  config.pRangeProfilerObject = profiler;
  config.configSize = plan.image->size();
  config.pConfig = plan.image->data();
  config.range = CUPTI_UserRange;
  config.replayMode = CUPTI_UserReplay;
  config.maxRangesPerPass = static_cast<std::size_t>(ranges);
  config.numNestingLevels = 1;
  config.minNestingLevel = 1;
  config.targetNestingLevel = 1;
  return check(cupti_, cupti_.cuptiRangeProfilerGetCounterDataSize(&size), "counters")
      .and_then([&] {
        data_.resize(size.counterDataSize);
        init.counterDataSize = data_.size();
        init.pCounterData = data_.data();
        return check(cupti_, cupti_.cuptiRangeProfilerCounterDataImageInitialize(&init),
                     "counters");
      })
      .and_then([&] {
        config.counterDataImageSize = data_.size();
        config.pCounterDataImage = data_.data();
        return check(cupti_, cupti_.cuptiRangeProfilerSetConfig(&config), "counters");
      });
}

Result<void> Counters::run_passes(CUpti_RangeProfiler_Object* profiler, const CounterPlan& plan,
                                  const Pass& run_once, const GoOn& go_on) const {
  RangeMarks marks(cupti_, profiler);
  Result<void> done;
  // The plan's number is what CUPTI promises; the device says when it has them all.
  const int most_passes = plan.passes + 8;
  bool all = false;
  for (int pass = 0; done && !all; ++pass) {
    if (pass >= most_passes) {
      done = failure(ErrorKind::environment, "the counters need more passes than planned",
                     "counters", "collect fewer at once");
    } else {
      CUpti_RangeProfiler_Start_Params start = {CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
      start.pRangeProfilerObject = profiler;
      CUpti_RangeProfiler_Stop_Params stop = {CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
      stop.pRangeProfilerObject = profiler;
      done = check(cupti_, cupti_.cuptiRangeProfilerStart(&start), "cuptiRangeProfilerStart");
      if (!done) break;
      done = go_on(pass, plan.passes) ? run_once(marks)
                                      : failure(ErrorKind::usage, "cancelled", "counters");
      // A pass that failed inside a range leaves it open, and the profiler stops between ranges
      // only.
      if (marks.open()) {
        const Result<void> closed = marks.pop();
        if (done) done = closed;
      }
      const Result<void> stopped =
          check(cupti_, cupti_.cuptiRangeProfilerStop(&stop), "cuptiRangeProfilerStop");
      if (done) done = stopped;
      all = stop.isAllPassSubmitted != 0;
    }
  }
  return done;
}

Result<std::vector<RangeCounters>> Counters::collect(const CounterPlan& plan, int ranges,
                                                     const Pass& run_once, const GoOn& go_on) {
  if (plan.ids.empty()) return std::vector<RangeCounters>{};
  // Turned on for other counters, it counts those; for fewer ranges, no more than those.
  if (profiler_ != nullptr && (plan.image != image_ || ranges != ranges_))
    static_cast<void>(release());
  const Result<CUpti_RangeProfiler_Object*> profiler = turned_on();
  if (!profiler) return tl::unexpected(profiler.error());
  Result<std::vector<RangeCounters>> result =
      begin(*profiler, plan, ranges)
          .and_then([&] { return run_passes(*profiler, plan, run_once, go_on); })
          .and_then([&] { return decode(plan, *profiler); });
  if (!result) static_cast<void>(release());
  return result;
}

Result<CUpti_RangeProfiler_Object*> Counters::turned_on() {
  if (profiler_ != nullptr) return profiler_;
  CUpti_RangeProfiler_Enable_Params enable = {CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
  enable.ctx = context_;
  return check(cupti_, cupti_.cuptiRangeProfilerEnable(&enable), "cuptiRangeProfilerEnable")
      .map([&] { return profiler_ = enable.pRangeProfilerObject; });
}

Result<void> Counters::release() {
  if (profiler_ == nullptr) return {};
  CUpti_RangeProfiler_Disable_Params disable = {CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
  disable.pRangeProfilerObject = std::exchange(profiler_, nullptr);
  const Result<void> off =
      check(cupti_, cupti_.cuptiRangeProfilerDisable(&disable), "cuptiRangeProfilerDisable");
  data_ = data_before_ = {};
  image_.reset();
  return off;
}

Result<RangeCounters> Counters::counters_of(CUpti_Profiler_Host_Object* object,
                                            const CounterPlan& plan, std::size_t at) {
  std::vector<const char*> names = pointers(plan.cupti_names);
  CUpti_RangeProfiler_CounterData_GetRangeInfo_Params about = {
      CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE};
  about.pCounterDataImage = data_.data();
  about.counterDataImageSize = data_.size();
  about.rangeIndex = at;
  about.rangeDelimiter = "/";
  std::vector<double> values(names.size());
  CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate = {
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
  evaluate.pHostObject = object;
  evaluate.pCounterDataImage = data_.data();
  evaluate.counterDataImageSize = data_.size();
  evaluate.rangeIndex = at;
  evaluate.ppMetricNames = names.data();
  evaluate.numMetrics = names.size();
  evaluate.pMetricValues = values.data();
  const Result<void> read =
      check(cupti_, cupti_.cuptiRangeProfilerCounterDataGetRangeInfo(&about), "counter data")
          .and_then([&] {
            return check(cupti_, cupti_.cuptiProfilerHostEvaluateToGpuValues(&evaluate),
                         "counter values");
          });
  if (!read) return tl::unexpected(read.error());
  RangeCounters range{about.rangeName, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    MetricValue value{plan.ids[i], std::nullopt, Origin::measured, "", ""};
    if (std::isfinite(values[i])) {
      value.value = values[i];
    } else {
      value.reason = "the counter gave no number in this range";
      value.remedy = "nothing that it counts happened, or collect fewer counters at once";
    }
    range.values.push_back(std::move(value));
  }
  return range;
}

Result<std::vector<RangeCounters>> Counters::decode(const CounterPlan& plan,
                                                    CUpti_RangeProfiler_Object* profiler) {
  CUpti_RangeProfiler_DecodeData_Params decode = {
      CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
  decode.pRangeProfilerObject = profiler;
  CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
      CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  const Result<void> decoded =
      check(cupti_, cupti_.cuptiRangeProfilerDecodeData(&decode), "cuptiRangeProfilerDecodeData")
          .and_then([&] {
            return check(cupti_, cupti_.cuptiRangeProfilerGetCounterDataInfo(&info),
                         "counter data");
          });
  if (!decoded) return tl::unexpected(decoded.error());
  Result<CUpti_Profiler_Host_Object*> object = host();
  if (!object) return tl::unexpected(object.error());
  std::vector<RangeCounters> ranges;
  Result<void> read;
  for (std::size_t r = 0; r < info.numTotalRanges && read; ++r) {
    Result<RangeCounters> range = counters_of(*object, plan, r);
    if (range) {
      ranges.push_back(std::move(*range));
    } else {
      read = tl::unexpected(range.error());
    }
  }
  end(*object);
  if (!read) return tl::unexpected(read.error());
  return ranges;
}

}  // namespace warpscope
