// profiling/engine/cuda/cupti_library.h: CUPTI's functions, found at run time, and why they may
// refuse.
#pragma once

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_sass_metrics.h>
#include <cupti_target.h>

#include <string>
#include <string_view>

#include "profiling/engine/cuda/shared_library.h"

namespace warpscope {

#define WARPSCOPE_CUPTI_FUNCTIONS(X)              \
  X(cuptiGetResultString)                         \
  X(cuptiGetVersion)                              \
  X(cuptiProfilerInitialize)                      \
  X(cuptiDeviceGetChipName)                       \
  X(cuptiProfilerGetCounterAvailability)          \
  X(cuptiProfilerHostInitialize)                  \
  X(cuptiProfilerHostDeinitialize)                \
  X(cuptiProfilerHostGetMetricProperties)         \
  X(cuptiProfilerHostConfigAddMetrics)            \
  X(cuptiProfilerHostGetConfigImageSize)          \
  X(cuptiProfilerHostGetConfigImage)              \
  X(cuptiProfilerHostGetNumOfPasses)              \
  X(cuptiProfilerHostEvaluateToGpuValues)         \
  X(cuptiRangeProfilerEnable)                     \
  X(cuptiRangeProfilerDisable)                    \
  X(cuptiRangeProfilerGetCounterDataSize)         \
  X(cuptiRangeProfilerCounterDataImageInitialize) \
  X(cuptiRangeProfilerSetConfig)                  \
  X(cuptiRangeProfilerStart)                      \
  X(cuptiRangeProfilerStop)                       \
  X(cuptiRangeProfilerPushRange)                  \
  X(cuptiRangeProfilerPopRange)                   \
  X(cuptiRangeProfilerDecodeData)                 \
  X(cuptiRangeProfilerGetCounterDataInfo)         \
  X(cuptiRangeProfilerCounterDataGetRangeInfo)    \
  X(cuptiActivityRegisterCallbacks)               \
  X(cuptiActivityEnable)                          \
  X(cuptiActivityDisable)                         \
  X(cuptiActivityFlushAll)                        \
  X(cuptiActivityGetNextRecord)                   \
  X(cuptiActivityGetNumDroppedRecords)

// Those of counters by machine instruction: a libcupti without them does the rest all the same.
#define WARPSCOPE_CUPTI_SASS_FUNCTIONS(X) \
  X(cuptiSassMetricsGetNumOfMetrics)      \
  X(cuptiSassMetricsGetProperties)        \
  X(cuptiSassMetricsSetConfig)            \
  X(cuptiSassMetricsUnsetConfig)          \
  X(cuptiSassMetricsEnable)               \
  X(cuptiSassMetricsDisable)              \
  X(cuptiSassMetricsGetDataProperties)    \
  X(cuptiSassMetricsFlushData)            \
  X(cuptiGetSassToSourceCorrelation)

// Those of program counter sampling, likewise.
#define WARPSCOPE_CUPTI_SAMPLING_FUNCTIONS(X) \
  X(cuptiPCSamplingEnable)                    \
  X(cuptiPCSamplingDisable)                   \
  X(cuptiPCSamplingStart)                     \
  X(cuptiPCSamplingStop)                      \
  X(cuptiPCSamplingGetData)                   \
  X(cuptiPCSamplingGetNumStallReasons)        \
  X(cuptiPCSamplingGetStallReasons)           \
  X(cuptiPCSamplingSetConfigurationAttribute) \
  X(cuptiGetCubinCrc)

struct CuptiLibrary {
  SharedLibrary library;
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name stands bare
#define WARPSCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_MEMBER)
  WARPSCOPE_CUPTI_SASS_FUNCTIONS(WARPSCOPE_MEMBER)
  WARPSCOPE_CUPTI_SAMPLING_FUNCTIONS(WARPSCOPE_MEMBER)
#undef WARPSCOPE_MEMBER
  // One of those that it does not have; then none of them may be called.
  std::string lacking_sass, lacking_sampling;
};

// Opens libcupti once. error: environment.
Result<const CuptiLibrary*> load_cupti();

// CUPTI's version as its library says it, "130000"; empty where it says none.
std::string cupti_version(const CuptiLibrary& cupti);

// Opens libnvperf_host, which CUPTI's counters load from beside it. error: environment.
Result<void> load_nvperf_host();

// Nothing for success, else CUPTI's words and, for a refusal, the remedy that fits this machine.
Result<void> check(const CuptiLibrary& cupti, CUptiResult result, std::string_view where);

// What a refusal depends on besides CUPTI's own result.
struct Permissions {
  std::string driver_params;   // the text of /proc/driver/nvidia/params
  std::string process_status;  // the text of /proc/self/status
  bool in_container = false;
};

// What to do about a CUPTI result: no permission, another profiler, a virtual GPU, a device without
// these counters, and the rest have a remedy each.
std::string cupti_remedy(CUptiResult result, const Permissions& permissions);

}  // namespace warpscope
