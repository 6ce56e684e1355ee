// tests/emulator/library_blocks_test.cpp: block-wide algorithms of CUB, and mistakes around shared
// memory that people make beside them.
#include <algorithm>
#include <numeric>
#include <tuple>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A kernel of int* x and y, of `count` elements each.
Trace run_library(const std::string& ptx, std::vector<std::int32_t>& x,
                  std::vector<std::int32_t>& y, std::int64_t threads) {
  Bench bench;
  bench.add("x", x);
  bench.add("y", y, false);
  bench.pass(static_cast<std::int32_t>(x.size()));
  return bench.run(ptx, launch_of(1, threads));
}

int line_of(const std::string& text, const std::string& mark) {
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<long>(text.find(mark)), '\n'));
}

// The aggregates of the warps are read as one vector, whose last word is of no warp.
TEST(LibraryBlocks, AScanOfThreeWarpsIsNotBlamed) {
  WARPSCOPE_COMPILE(ptx, R"(#include <cub/block/block_scan.cuh>
extern "C" __global__ void k(const int* x, int* y, int n) {
  using Scan = cub::BlockScan<int, 96, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  int sum = x[threadIdx.x];
  Scan(storage).InclusiveSum(sum, sum);
  y[threadIdx.x] = sum;
})");
  std::vector<std::int32_t> x(96), y(96), expected(96);
  std::iota(x.begin(), x.end(), 3);
  std::partial_sum(x.begin(), x.end(), expected.begin());
  EXPECT_EQ(faults_text(run_library(ptx, x, y, 96)), "");
  EXPECT_EQ(y, expected);
}

// The merge reads ahead of what it has, and does not use it.
TEST(LibraryBlocks, AMergeSortIsNotBlamedForWhatItReadsAhead) {
  for (const char* items : {"1", "2", "3"}) {
    WARPSCOPE_COMPILE(ptx, std::string("#include <cub/block/block_merge_sort.cuh>\n") +
                               "constexpr int kItems = " + items + R"(;
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
extern "C" __global__ void k(const int* x, int* y, int n) {
  using Sort = cub::BlockMergeSort<int, 64, kItems>;
  __shared__ typename Sort::TempStorage storage;
  int own[kItems];
  for (int k = 0; k < kItems; ++k) own[k] = x[kItems * threadIdx.x + k];
  Sort(storage).Sort(own, Less());
  for (int k = 0; k < kItems; ++k) y[kItems * threadIdx.x + k] = own[k];
})");
    std::vector<std::int32_t> x(64 * static_cast<std::size_t>(*items - '0')), y(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
      x[k] = static_cast<std::int32_t>(k * 7919 % 1009) - 300;
    }
    EXPECT_EQ(faults_text(run_library(ptx, x, y, 64)), "") << items;
    std::sort(x.begin(), x.end());
    EXPECT_EQ(y, x) << items;
  }
}

// One storage for every round of a loop: the next round writes what warps may still read.
TEST(LibraryBlocks, AScanWhoseStorageIsReusedWithoutABarrierRaces) {
  const auto text = [](const char* algorithm, const char* between) {
    return std::string("#include <cub/block/block_scan.cuh>\n") +
           "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
           "  using Scan = cub::BlockScan<int, 128, cub::" +
           algorithm +
           ">;\n  __shared__ typename Scan::TempStorage storage;\n  int base = 0;\n"
           "  for (int first = 0; first < n; first += 128) {\n"
           "    int before, all;\n"
           "    Scan(storage).ExclusiveSum(x[first + threadIdx.x], before, all);  // SCAN\n"
           "    y[first + threadIdx.x] = base + before;\n    base += all;\n" +
           between + "  }\n}";
  };
  const std::tuple<const char*, const char*, bool> rows[] = {
      {"BLOCK_SCAN_WARP_SCANS", "", true},
      {"BLOCK_SCAN_WARP_SCANS", "    __syncthreads();\n", false},
      {"BLOCK_SCAN_RAKING", "", false}};
  for (const auto& [algorithm, between, races] : rows) {
    SCOPED_TRACE(std::string(algorithm) + between);
    const std::string source = text(algorithm, between);
    WARPSCOPE_COMPILE(ptx, source);
    std::vector<std::int32_t> x(512), y(512), expected(512);
    std::iota(x.begin(), x.end(), 1);
    std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
    const Trace trace = run_library(ptx, x, y, 128);
    EXPECT_EQ(!trace.faults.empty(), races) << faults_text(trace);
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::shared_race) << f.sentence;
      EXPECT_EQ(f.position.line, line_of(source, "// SCAN")) << f.sentence;
    }
    if (!races) {
      EXPECT_EQ(y, expected);
    }
  }
}

// Sums of the warps before a row that is read and written four words at a time.
TEST(LibraryBlocks, VectorsBehindAnOddNumberOfWordsAreMisaligned) {
  const std::string text =
      "template <int N> struct alignas(4 * N) Words { int at[N]; };\n"
      "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
      "  extern __shared__ int scratch[];\n"
      "  const int warps = blockDim.x / 32, t = threadIdx.x;\n"
      "  int* row = scratch + warps;\n"
      "  for (int i = 4 * t; i < n; i += 4 * blockDim.x)\n"
      "    *(Words<4>*)(row + i) = *(const Words<4>*)(x + i);  // FILL\n"
      "  __syncthreads();\n"
      "  for (int i = 4 * t; i < n; i += 4 * blockDim.x)\n"
      "    *(Words<4>*)(y + i) = *(Words<4>*)(row + i);  // READ\n}";
  WARPSCOPE_COMPILE(ptx, text);
  for (const std::int64_t warps : {3, 4, 7, 8}) {
    std::vector<std::int32_t> x(1024), y(1024);
    std::iota(x.begin(), x.end(), 0);
    Bench bench;
    bench.add("x", x);
    bench.add("y", y, false);
    bench.pass(1024);
    const Trace trace = bench.run(ptx, launch_of(1, 32 * warps, 4 * (1024 + warps)));
    if (warps % 4 == 0) {
      EXPECT_EQ(faults_text(trace), "");
      EXPECT_EQ(y, x);
      continue;
    }
    std::vector<int> lines;
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::misaligned) << f.sentence;
      lines.push_back(f.position.line);
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    EXPECT_EQ(lines, (std::vector<int>{line_of(text, "// FILL"), line_of(text, "// READ")}));
  }
}

// What is read ahead and does matter.
TEST(LibraryBlocks, WhatNobodyWroteIsNamedWhereAComparisonWithItDecides) {
  const std::tuple<const char*, const char*, bool> rows[] = {
      {"the test lets it through", "t < 40 && s[t] < x[t]", true},
      {"the test excludes it", "t < 32 && s[t] < x[t]", false},
      {"one of two tests is enough", "t >= 32 || s[t] < x[t]", false},
      {"none of two tests is enough", "t >= 40 || s[t] < x[t]", true}};
  for (const auto& [name, test, wrong] : rows) {
    SCOPED_TRACE(name);
    WARPSCOPE_COMPILE(ptx,
                      std::string("extern \"C\" __global__ void k(const int* x, int* y, int n) {\n"
                                  "  __shared__ int s[64]; int t = threadIdx.x;\n"
                                  "  if (t < 32) s[t] = 2 * t; __syncthreads();\n"
                                  "  y[t] = (") +
                          test + ") ? 5 : 7;\n}");
    std::vector<std::int32_t> x(64, 20), y(64);
    const Trace trace = run_library(ptx, x, y, 64);
    EXPECT_EQ(!trace.faults.empty(), wrong) << faults_text(trace);
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::uninitialised_read) << f.sentence;
      EXPECT_EQ(f.thread.x, 32) << f.sentence;
      EXPECT_NE(f.sentence.find("reads s[32], which was never written"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif
