// profiling/engine/cupti_library.h: CUPTI's functions, found at run time, and why they may refuse.
#pragma once

#include <cupti.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>
#include <string_view>

#include "profiling/engine/shared_library.h"

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
  X(cuptiActivityGetNextRecord)

struct CuptiLibrary {
  SharedLibrary library;
#define WARPSCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  WARPSCOPE_CUPTI_FUNCTIONS(WARPSCOPE_MEMBER)
#undef WARPSCOPE_MEMBER
};

// Opens libcupti once. error: environment.
Result<const CuptiLibrary*> load_cupti();

// Nothing for success, else CUPTI's words and, for a refusal, the remedy that fits this machine.
Result<void> check(const CuptiLibrary& cupti, CUptiResult result, std::string_view where);

// The remedy for "not permitted", from the texts of /proc/driver/nvidia/params and
// /proc/self/status and whether the process runs in a container.
std::string permission_remedy(std::string_view driver_params, std::string_view process_status,
                              bool in_container);

}  // namespace warpscope
