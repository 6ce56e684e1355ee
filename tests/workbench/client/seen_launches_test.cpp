// tests/workbench/client/seen_launches_test.cpp: a program's launches summed over its processes,
// and what a captured one's file is called.
#include "workbench/client/captures/seen_launches.h"

#include <gtest/gtest.h>

#include "workbench/client/captures/kept_capture.h"

namespace warpscope {
namespace {

TallyRow row(const char* symbol, const char* range, std::int64_t grid, double longest_ms) {
  TallyRow r{symbol, range, {{grid, 1, 1}, {128, 1, 1}, 0, {}, false}, 10, 9, 0, longest_ms, 4};
  r.time_ms = 9 * longest_ms / 2;
  return r;
}

TEST(SeenLaunchesTest, KernelsAreSummedOverShapesRangesAndProcesses) {
  SeenLaunches seen;
  seen.add({1, {row("_Z1av", "", 1, 2), row("_Z1av", "r", 1, 4), row("_Z1bv", "", 2, 1)}, 0});
  seen.add({2, {row("_Z1av", "", 3, 6)}, 5});
  seen.add({2, {row("_Z1av", "", 3, 6)}, 5});  // again: sums replace those before
  EXPECT_EQ(seen.launches(), 40);
  EXPECT_EQ(seen.graph_launches(), 5);
  const std::vector<SeenLaunches::Kernel> kernels = seen.kernels();
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "a()");
  EXPECT_EQ(kernels[0].launches, 30);
  EXPECT_DOUBLE_EQ(kernels[0].time_ms, 9 * (1 + 2 + 3));
  EXPECT_DOUBLE_EQ(kernels[0].mean_ms(), 2);
  EXPECT_EQ(kernels[0].shapes.size(), 2u);
}

TEST(SeenLaunchesTest, TheLongestIsOneOfThoseThatAreAskedFor) {
  SeenLaunches seen;
  seen.add({1, {row("a", "init", 1, 9), row("a", "step", 1, 2), row("b", "step", 2, 3)}, 0});
  EXPECT_EQ(seen.longest([](const TallyRow&) { return true; })->range, "init");
  EXPECT_EQ(seen.longest([](const TallyRow& r) { return r.range == "step"; })->symbol, "b");
  EXPECT_FALSE(seen.longest([](const TallyRow&) { return false; }));
}

TEST(CaptureNameTest, AFileIsNamedAfterItsKernelWithoutTypes) {
  EXPECT_EQ(capture_name("_Z3addPKfPfi", "", 0), "add.wcap");
  EXPECT_EQ(capture_name("_Z3addPKfPfi", "", 2), "add-3.wcap");
  EXPECT_EQ(capture_name("_Z3addPKfPfi", "x/mine.wcap", 1), "x/mine-2.wcap");
  // void net::softmax<float, 256>(float*)
  EXPECT_EQ(capture_name("_ZN3net7softmaxIfLi256EEEvPT_", "", 0), "softmax.wcap");
  EXPECT_EQ(capture_name("triton_poi_fused", "", 0), "triton_poi_fused.wcap");
}

}  // namespace
}  // namespace warpscope
