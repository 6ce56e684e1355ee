// tests/engine/metric_names_test.cpp: every counter of the table is one that CUPTI knows.
#include <gtest/gtest.h>

#include "profiling/engine/cuda/cupti_library.h"
#include "profiling/figures/metric.h"

namespace warpscope {
namespace {

// CUPTI's host side knows the counters of a chip by its name, without one in the machine.
TEST(MetricNames, EveryCounterOfTheTableIsOneOfAnH200) {
  const Result<const CuptiLibrary*> cupti = load_cupti();
  if (!cupti) GTEST_SKIP() << sentence(cupti.error());
  if (const Result<void> host = load_nvperf_host(); !host) GTEST_SKIP() << sentence(host.error());
  const CuptiLibrary& c = **cupti;
  CUpti_Profiler_Host_Initialize_Params made = {CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
  made.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  made.pChipName = "GH100";
  if (c.cuptiProfilerHostInitialize(&made) != CUPTI_SUCCESS)
    GTEST_SKIP() << "this CUPTI tells nothing of a chip that is not there";
  const auto known = [&](const std::string& name) {
    CUpti_Profiler_Host_GetMetricProperties_Params p = {
        CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    p.pHostObject = made.pHostObject;
    p.pMetricName = name.c_str();
    return c.cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS;
  };
  EXPECT_FALSE(known("smsp__no_such_counter.sum"));
  int counters = 0;
  for (const Metric& metric : all_metrics()) {
    if (metric.source != MetricSource::cupti) continue;
    EXPECT_TRUE(known(metric.cupti_name)) << metric.id << ": " << metric.cupti_name;
    ++counters;
  }
  EXPECT_GT(counters, 50);
  CUpti_Profiler_Host_Deinitialize_Params end = {
      CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
  end.pHostObject = made.pHostObject;
  c.cuptiProfilerHostDeinitialize(&end);
}

}  // namespace
}  // namespace warpscope
