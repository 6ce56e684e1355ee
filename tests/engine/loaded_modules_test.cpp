// tests/engine/loaded_modules_test.cpp: an engine keeps few modules, and unloads what nobody holds.
#include "profiling/engine/compile/steps/loaded_modules.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "profiling/engine/measure/timer.h"
#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

// Modules that count how many of them are loaded.
class LoadedModulesTest : public testing::Test {
 protected:
  LoadedModule module(std::size_t bytes = 100) {
    ++loaded_;
    return {std::shared_ptr<void>(&loaded_, [this](void*) { --loaded_; }), "", "", "",
            std::make_shared<const std::string>(bytes, 'x')};
  }
  static CompileRequest request(int number) {
    return {"a.cu", {{"N", std::to_string(number)}}, 90};
  }

  int loaded_ = 0;
  LoadedModules modules_;
};

TEST_F(LoadedModulesTest, ThoseThatWereUsedLastStay) {
  constexpr int kMost = static_cast<int>(LoadedModules::kMostModules);
  for (int i = 0; i < kMost; ++i) modules_.keep(request(i), std::to_string(i), module());
  ASSERT_NE(modules_.find("0"), nullptr);  // used again: the oldest is now 1
  modules_.keep(request(kMost), std::to_string(kMost), module());
  EXPECT_EQ(modules_.size(), LoadedModules::kMostModules);
  EXPECT_EQ(loaded_, kMost);
  EXPECT_NE(modules_.find("0"), nullptr);
  EXPECT_EQ(modules_.find("1"), nullptr);
  EXPECT_NE(modules_.find(std::to_string(kMost)), nullptr);
}

TEST_F(LoadedModulesTest, TheirMachineCodeIsBounded) {
  constexpr std::size_t kPart = LoadedModules::kMostBytes / 4;
  for (int i = 0; i < 10; ++i) modules_.keep(request(i), std::to_string(i), module(kPart));
  EXPECT_EQ(modules_.size(), 4u);
  EXPECT_EQ(modules_.bytes(), LoadedModules::kMostBytes);
  // One that is larger than the bound is kept as long as it is the last one.
  modules_.keep(request(10), "10", module(LoadedModules::kMostBytes + 1));
  EXPECT_EQ(modules_.size(), 1u);
  EXPECT_NE(modules_.find("10"), nullptr);
}

TEST_F(LoadedModulesTest, AnEditedTextReplacesItsModule) {
  for (int edit = 0; edit < 5; ++edit)
    modules_.keep(request(1), "text " + std::to_string(edit), module());
  EXPECT_EQ(modules_.size(), 1u);
  EXPECT_EQ(loaded_, 1);
  EXPECT_FALSE(modules_.contains("text 3"));
}

TEST_F(LoadedModulesTest, WhatAKernelHoldsStaysLoaded) {
  const std::shared_ptr<const void> kernel = modules_.keep(request(1), "held", module()).held;
  for (int i = 2; i < 500; ++i) modules_.keep(request(i), std::to_string(i), module());
  EXPECT_FALSE(modules_.contains("held"));
  EXPECT_EQ(loaded_, static_cast<int>(LoadedModules::kMostModules) + 1);
}

using GpuTimer = GpuTest;

TEST_F(GpuTimer, KeepsItsKernelsWhenManyOthersWereLoaded) {
  const Result<std::unique_ptr<Timer>> timer = Timer::create(*device_, *kernels_, nullptr);
  ASSERT_TRUE(timer) << sentence(timer.error());
  KernelLaunch other{
      "engine/selftest.cu", "selftest_copy", {}, {{1, 1, 1}, {kThreads, 1, 1}, 0, {}}, {}};
  for (std::size_t n = 0; n <= LoadedModules::kMostModules; ++n) {
    other.defines = {{"OTHER_TEXT", std::to_string(n)}};
    const Result<Kernel> loaded = kernels_->load(other);
    ASSERT_TRUE(loaded) << sentence(loaded.error());
  }
  const Result<void> flushed = (*timer)->flush_l2();
  EXPECT_TRUE(flushed) << sentence(flushed.error());
  const Result<BoundStep> copy = copy_of(8);
  ASSERT_TRUE(copy) << sentence(copy.error());
  const Result<double> once = (*timer)->once_ns([&](CUstream stream) { return copy->run(stream); });
  EXPECT_TRUE(once) << sentence(once.error());
  const Result<Timing> warm = (*timer)->sample(
      CacheState::warm, [&](CUstream stream) { return copy->run(stream); }, {},
      [] { return false; });
  EXPECT_TRUE(warm) << sentence(warm.error());
}

}  // namespace
}  // namespace warpscope
