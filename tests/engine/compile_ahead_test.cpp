// tests/engine/compile_ahead_test.cpp: kernels that are compiled ahead are found when they are
// asked for.
#include "profiling/engine/compile/compile_ahead.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "scenes/host/cache.h"
#include "tests/engine/compiling_test.h"

namespace warpscope {
namespace {

// With a cache of its own, which is empty.
class CompileAheadTest : public CompilingTest {
 protected:
  void SetUp() override {
    const char* const before = std::getenv("XDG_CACHE_HOME");
    before_ = before == nullptr ? "" : before;
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("warpscope_ahead_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    ::setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    CompilingTest::SetUp();
  }
  void TearDown() override {
    before_.empty() ? ::unsetenv("XDG_CACHE_HOME") : ::setenv("XDG_CACHE_HOME", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

 private:
  std::string before_;
  std::filesystem::path folder_;
};

CompileAhead::Wanted kernel(const std::string& value, const std::string& body = "x[0] = VALUE;") {
  return {{"own.cu", {{"VALUE", value}}, 90},
          {kernel_source("own.cu", "extern \"C\" __global__ void k(int* x) { " + body + " }\n")}};
}

TEST_F(CompileAheadTest, WhatIsWantedIsInTheCacheAfterwards) {
  CompileAhead ahead(2);
  ahead.want({kernel("1"), kernel("2"), kernel("3"), kernel("4", "no text;")});
  ahead.wait();
  for (const char* value : {"1", "2", "3"}) {
    const CompileAhead::Wanted one = kernel(value);
    const Result<Compiled> code = compile(one.request, one.sources);
    ASSERT_TRUE(code) << sentence(code.error());
    EXPECT_TRUE(code->from_cache) << value;
  }
  const CompileAhead::Wanted other = kernel("5"), wrong = kernel("4", "no text;");
  EXPECT_FALSE(compile(other.request, other.sources)->from_cache);
  EXPECT_FALSE(compile(wrong.request, wrong.sources)) << "an error is found again";
}

TEST_F(CompileAheadTest, NothingIsCompiledWhereNoProcessorIsToSpare) {
  CompileAhead ahead(0);
  ahead.want({kernel("1")});
  ahead.wait();
  const CompileAhead::Wanted one = kernel("1");
  EXPECT_FALSE(compile(one.request, one.sources)->from_cache);
}

TEST_F(CompileAheadTest, PtxThatIsWantedIsInTheCacheAfterwards) {
  CompileAhead ahead(2);
  CompileAhead::Wanted one = kernel("1");
  one.ptx = true;
  ahead.want({one});
  ahead.wait();
  EXPECT_TRUE(compile_to_ptx(one.request, one.sources)->from_cache);
  EXPECT_FALSE(compile(one.request, one.sources)->from_cache);
}

// It is what the compiler gives for PTX alone, with the same warnings.
TEST_F(CompileAheadTest, MachineCodeForTheEmulatedArchitectureKeepsItsPtxToo) {
  const std::string body = "int unused; __shared__ int s[32]; s[x[1] & 31] = VALUE; x[0] = s[0];";
  CompileAhead::Wanted one = kernel("1", body);
  const Result<CompiledPtx> alone = compile_to_ptx(one.request, one.sources);
  ASSERT_TRUE(alone) << sentence(alone.error());
  EXPECT_FALSE(alone->from_cache);
  EXPECT_NE(alone->log.find("unused"), std::string::npos) << "a warning:" << alone->log;
  std::filesystem::remove_all(Cache::open()->folder());
  ASSERT_TRUE(compile(one.request, one.sources));
  const Result<CompiledPtx> beside = compile_to_ptx(one.request, one.sources);
  ASSERT_TRUE(beside);
  EXPECT_TRUE(beside->from_cache);
  EXPECT_EQ(beside->ptx, alone->ptx);
  EXPECT_EQ(beside->log, alone->log);
  EXPECT_EQ(beside->hash, alone->hash);
}

TEST_F(CompileAheadTest, MachineCodeForAnotherArchitectureKeepsNoPtx) {
  CompileAhead::Wanted one = kernel("1");
  one.request.compute_capability = 80;
  ASSERT_TRUE(compile(one.request, one.sources));
  EXPECT_FALSE(compile_to_ptx(one.request, one.sources)->from_cache);
}

// Whoever comes second waits for the first and takes what it made.
TEST_F(CompileAheadTest, TwoThreadsCompileATextOnce) {
  const CompileAhead::Wanted one = kernel("7");
  bool cached[2] = {};
  std::thread threads[2];
  for (int i = 0; i < 2; ++i)
    threads[i] = std::thread([&, i] { cached[i] = compile(one.request, one.sources)->from_cache; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(cached[0], cached[1]);
}

TEST_F(CompileAheadTest, ItEndsWithoutWhatHasNotBegun) {
  std::vector<CompileAhead::Wanted> many;
  for (int i = 0; i < 200; ++i) many.push_back(kernel(std::to_string(100 + i)));
  { CompileAhead(1).want(many); }
  const Result<Compiled> last = compile(many.back().request, many.back().sources);
  ASSERT_TRUE(last);
  EXPECT_FALSE(last->from_cache);
}

}  // namespace
}  // namespace warpscope
