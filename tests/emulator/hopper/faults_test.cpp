// tests/emulator/hopper/faults_test.cpp: what goes wrong around wgmma is said, with its line.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

using testing::HasSubstr;

// A right kernel, whose lines with a name in braces the tests take out or replace.
constexpr const char* kText = R"(#include "../tests/emulator/hopper/wgmma.cuh"
extern "C" __global__ void k(const uint4* image, float* out, int n) {
  __shared__ __align__(1024) uint4 tile[1024];
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = out[threadIdx.x];
  /*{begin}*/;
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) tile[i] = image[i];
  proxy_fence(); /*{proxy}*/
  __syncthreads(); /*{sync}*/
  unsigned long long a = descriptor(shared_address(tile), 16, 1024, 128);
  const unsigned long long b = descriptor(shared_address(tile) + 8192, 16, 1024, 128);
  /*{before}*/;
  hold(d);
  warpgroup_fence(); /*{fence}*/
  PRODUCT_SHARED("+f", "m64n64k16.f32.f16.f16", ", 1, 1, 0, 0", d, a, b, 1); /*{product}*/
  warpgroup_commit(); /*{commit}*/
  /*{under way}*/;
  warpgroup_wait<0>(); /*{wait}*/
  hold(d);
  /*{again}*/;
  for (int i = 0; i < 32; ++i) out[i * 128 + threadIdx.x] = d[i];
})";

struct Planted {
  std::string place, text;
};

// The line of the text that holds the words.
int line_of(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? -1
                                 : 1 + static_cast<int>(std::count(
                                           text.begin(), text.begin() + std::ptrdiff_t(at), '\n'));
}

class WgmmaFaults : public testing::Test {
 protected:
  // Replaces whole lines by what is planted there.
  static std::string planted(const std::vector<Planted>& list) {
    std::string text = kText;
    for (const Planted& p : list) {
      const std::size_t mark = text.find("/*{" + p.place + "}*/");
      EXPECT_NE(mark, std::string::npos) << p.place;
      const std::size_t begin = text.rfind('\n', mark) + 1, end = text.find('\n', mark);
      text.replace(begin, end - begin, p.text);
    }
    return text;
  }
  static Trace run(const std::string& text, std::int64_t threads = 128) {
    Result<CompiledPtx> compiled = compile_to_ptx({"test.cu", {}, 90, true}, text);
    if (!compiled) {
      ADD_FAILURE() << sentence(compiled.error());
      return {};
    }
    std::vector<std::uint32_t> image(4096, 0x3c003c00);
    std::vector<float> out(4096, 1);
    Bench bench;
    bench.add("image", image);
    bench.add("out", out);
    bench.pass(std::int32_t{1});
    return bench.run(compiled->ptx, launch_of(1, threads));
  }
  // One fault of this kind at the line that holds `words`, whose sentence has `part`.
  static void expect_fault(const std::string& text, FaultKind kind, const std::string& words,
                           const std::string& part, std::int64_t threads = 128) {
    const Trace trace = run(text, threads);
    for (const Fault& fault : trace.faults) {
      if (fault.kind != kind || fault.position.line != line_of(text, words)) continue;
      EXPECT_THAT(fault.sentence, HasSubstr(part));
      return;
    }
    ADD_FAILURE() << "no " << to_text(kind) << " at line " << line_of(text, words) << " but:\n"
                  << faults_text(trace);
  }
  void SetUp() override {
    if (const Result<std::string> version = nvrtc_version(); !version) {
      GTEST_SKIP() << sentence(version.error());
    }
  }
};

TEST_F(WgmmaFaults, TheRightKernelHasNone) { EXPECT_EQ(faults_text(run(kText)), ""); }

TEST_F(WgmmaFaults, AnAccumulatorIsReadBeforeTheWait) {
  expect_fault(planted({{"under way", "  out[threadIdx.x] = d[3]; // early"}}),
               FaultKind::missing_wait, "// early", "before wgmma.wait_group has waited for it");
}

TEST_F(WgmmaFaults, TheWaitLeavesTheGroupUnderWay) {
  expect_fault(planted({{"wait", "  warpgroup_wait<1>();"}}), FaultKind::missing_wait,
               "out[i * 128", "before wgmma.wait_group has waited for it");
}

TEST_F(WgmmaFaults, NoGroupWasCommitted) {
  expect_fault(planted({{"commit", ""}}), FaultKind::missing_wait, "out[i * 128",
               "no wgmma.commit_group");
}

TEST_F(WgmmaFaults, ATileIsOverwrittenUnderTheProduct) {
  expect_fault(planted({{"under way", "  tile[threadIdx.x] = image[0]; // over"}}),
               FaultKind::shared_race, "// over", "may still read");
}

TEST_F(WgmmaFaults, AnotherWarpgroupOverwritesATileThatNobodyReleased) {
  expect_fault(planted({{"before",
                         "  if (threadIdx.x >= 128) { asm volatile(\"bar.sync 1, 256;\");\n"
                         "    tile[threadIdx.x] = image[0]; return; } // over"},
                        {"under way", "  asm volatile(\"bar.sync 1, 256;\" ::: \"memory\");"}}),
               FaultKind::shared_race, "// over", "may still read", 256);
}

TEST_F(WgmmaFaults, AWarpgroupThatWaitedReleasesItsTile) {
  const std::string text = planted(
      {{"before",
        "  if (threadIdx.x >= 128) { asm volatile(\"bar.sync 1, 160;\");\n"
        "    tile[threadIdx.x] = image[0]; return; }"},
       {"again", "  if (threadIdx.x < 32) asm volatile(\"bar.sync 1, 160;\" ::: \"memory\");"}});
  EXPECT_EQ(faults_text(run(text, 256)), "");
}

TEST_F(WgmmaFaults, WritesLackTheProxyFence) {
  expect_fault(planted({{"proxy", ""}}), FaultKind::missing_fence, "/*{product}*/",
               "without a fence.proxy.async");
}

TEST_F(WgmmaFaults, WritesOfOtherThreadsLackABarrier) {
  expect_fault(planted({{"sync", ""}}), FaultKind::shared_race, "/*{product}*/",
               "without a barrier between them");
}

TEST_F(WgmmaFaults, ATileWasNeverWritten) {
  expect_fault(planted({{"before",
                         "  a += 0; __shared__ __align__(1024) uint4 other[512];\n"
                         "  if (n == 1) a = descriptor(shared_address(other), 16, 1024, 128);"}}),
               FaultKind::uninitialised_read, "/*{product}*/", "which was never written");
}

TEST_F(WgmmaFaults, NoFenceComesBeforeTheFirstProduct) {
  expect_fault(planted({{"fence", ""}}), FaultKind::missing_fence, "/*{product}*/",
               "before any wgmma.fence");
}

constexpr const char* kAgain =
    "  PRODUCT_SHARED(\"+f\", \"m64n64k16.f32.f16.f16\", \", 1, 1, 0, 0\", d, a, b, 1); // again\n"
    "  warpgroup_commit(); warpgroup_wait<0>(); hold(d);";

TEST_F(WgmmaFaults, AccumulatorsWereScaledWithoutAFence) {
  const std::string scale =
      "  for (int i = 0; i < 32; ++i) d[i] *= out[i * 128 + threadIdx.x];\n  hold(d);\n";
  expect_fault(planted({{"again", scale + kAgain}}), FaultKind::missing_fence, "// again",
               "written since the last wgmma.fence");
  EXPECT_EQ(faults_text(run(planted({{"again", scale + "  warpgroup_fence();\n" + kAgain}}))), "");
  // Products of one shape follow each other without one.
  EXPECT_EQ(faults_text(run(planted({{"again", kAgain}}))), "");
}

TEST_F(WgmmaFaults, AWarpHasEnded) {
  expect_fault(planted({{"before", "  if (threadIdx.x >= 96) return;"}}),
               FaultKind::divergent_barrier, "/*{product}*/", "warp 3, which has ended");
}

TEST_F(WgmmaFaults, TheWarpgroupIsIncomplete) {
  expect_fault(kText, FaultKind::divergent_barrier, "/*{product}*/", "a warpgroup of 3 warps", 96);
}

TEST_F(WgmmaFaults, HalfAWarpComes) {
  expect_fault(planted({{"product",
                         "  if (threadIdx.x % 32 < 16) PRODUCT_SHARED(\"+f\", "
                         "\"m64n64k16.f32.f16.f16\", \", 1, 1, 0, 0\", d, a, b, 1); // half"}}),
               FaultKind::divergent_barrier, "// half", "a part of its warp");
}

TEST_F(WgmmaFaults, WarpsExecuteDifferentProducts) {
  expect_fault(planted({{"product",
                         "  if (threadIdx.x < 64) {\n"
                         "    PRODUCT_SHARED(\"+f\", \"m64n64k16.f32.f16.f16\", "
                         "\", 1, 1, 0, 0\", d, a, b, 1);\n  } else {\n"
                         "    PRODUCT_SHARED(\"+f\", \"m64n64k16.f32.f16.f16\", "
                         "\", -1, 1, 0, 0\", d, a, b, 1); // other\n  }"}}),
               FaultKind::divergent_barrier, "// other", "executes the one of line");
}

TEST_F(WgmmaFaults, AWarpNeverComes) {
  expect_fault(planted({{"before", "  if (threadIdx.x >= 96) asm volatile(\"bar.sync 2, 64;\");"}}),
               FaultKind::deadlock, "/*{product}*/", "waits for warp 3 of its warpgroup");
}

// The row of those who wait at the product names the warp that never comes, whose own row says
// where it is.
TEST_F(WgmmaFaults, WarpsAtAProductHaveARowInTheStory) {
  const std::string text =
      planted({{"before", "  if (threadIdx.x >= 96) asm volatile(\"bar.sync 2, 64;\"); // gone"}});
  const Trace trace = run(text);
  ASSERT_TRUE(trace.hang) << faults_text(trace);
  const auto row_of = [&](WaitKind kind) {
    const auto& waits = trace.hang->waits;
    return std::find_if(waits.begin(), waits.end(),
                        [&](const WaitingWarps& row) { return row.kind == kind; });
  };
  const auto row = row_of(WaitKind::warpgroup), other = row_of(WaitKind::block_barrier);
  ASSERT_NE(row, trace.hang->waits.end()) << trace.hang->verdict;
  ASSERT_NE(other, trace.hang->waits.end()) << trace.hang->verdict;
  EXPECT_EQ(row->position.line, line_of(text, "/*{product}*/"));
  EXPECT_EQ(row->warps, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(row->threads, 96);
  EXPECT_EQ(row->arrived, 96);
  EXPECT_EQ(row->expected, 128);
  EXPECT_THAT(row->sentence, HasSubstr("warps 0–2 of block 0 wait at a product of warps 0–3, where "
                                       "96 of 128 threads have come; warp 3 of block 0 waits at "
                                       "line " +
                                       std::to_string(line_of(text, "// gone"))));
  ASSERT_EQ(row->absent.size(), 1u);
  EXPECT_EQ(row->absent[0].warps, std::vector<int>{3});
  EXPECT_EQ(row->absent[0].wait, other - trace.hang->waits.begin());
  EXPECT_EQ(other->warps, std::vector<int>{3});
}

TEST_F(WgmmaFaults, TheDescriptorHasAnAddressThatWasNotDivided) {
  expect_fault(planted({{"before", "  a = shared_address(tile) + 16384 | 1ull << 62;"}}),
               FaultKind::misaligned, "/*{product}*/", "divided by 16");
}

TEST_F(WgmmaFaults, TheDescriptorReachesBeyondSharedMemory) {
  expect_fault(planted({{"before", "  a += 8192ull << 32 >> 4 << 4;"}}), FaultKind::out_of_bounds,
               "/*{product}*/", "beyond the 16384 of the block");
}

TEST_F(WgmmaFaults, TheDescriptorBeginsInsideARowThatItDoesNotFit) {
  expect_fault(planted({{"before", "  a += 112 >> 4;"}}), FaultKind::misaligned, "/*{product}*/",
               "begins 112 bytes into a swizzled row of 128");
}

TEST_F(WgmmaFaults, ThreadsGiveDifferentDescriptors) {
  expect_fault(planted({{"before", "  a += threadIdx.x / 64;"}}), FaultKind::divergent_barrier,
               "/*{product}*/", "another descriptor");
}

TEST_F(WgmmaFaults, TheKernelEndsUnderTheProduct) {
  const Trace trace = run(planted({{"wait", "  return;"}}));
  EXPECT_THAT(faults_text(trace), HasSubstr("the warp ends while the wgmma.mma_async"));
}

TEST_F(WgmmaFaults, RegistersAreAskedForInEightsByAllWarps) {
  const auto asks = [](const std::string& text) {
    return planted({{"begin", "  " + text + " // asks"}});
  };
  const std::string good = "asm volatile(\"setmaxnreg.inc.sync.aligned.u32 232;\");";
  EXPECT_EQ(faults_text(run(asks(good))), "");
  expect_fault(asks("asm volatile(\"setmaxnreg.dec.sync.aligned.u32 20;\");"),
               FaultKind::misaligned, "// asks", "multiples of 8 from 24 to 256");
  expect_fault(
      asks("if (threadIdx.x < 64) asm volatile(\"setmaxnreg.inc.sync.aligned.u32 232;\");\n"
           "  else asm volatile(\"setmaxnreg.inc.sync.aligned.u32 240;\");"),
      FaultKind::divergent_barrier, "// asks", "asks for 2");
  // In a block of 384 threads each has 168 registers: 232 for two warpgroups and 40 for one are all
  // of them, whichever asks first.
  const auto three = [](const char* more, const char* less) {
    return "extern \"C\" __global__ void __launch_bounds__(384) k(const uint4* image, float* out, "
           "int n) {\n  if (threadIdx.x < 256) {\n    asm volatile(\"setmaxnreg.inc.sync.aligned."
           "u32 " +
           std::string(more) +
           ";\"); // more\n    out[threadIdx.x] = n;\n  } else {\n    asm "
           "volatile(\"setmaxnreg.dec.sync.aligned.u32 " +
           less + ";\");\n    out[threadIdx.x] = 2 * n;\n  }\n}";
  };
  EXPECT_EQ(faults_text(run(three("232", "40"), 384)), "");
  EXPECT_EQ(faults_text(run(three("240", "24"), 384)), "");
  expect_fault(three("240", "40"), FaultKind::deadlock, "// more",
               "ask for 66560 registers together, and they began with 64512 at most (168 a thread)",
               384);
  const Trace some = run(asks("if (threadIdx.x < 64) " + good));
  EXPECT_THAT(faults_text(some), HasSubstr("ended without the setmaxnreg"));
}

TEST_F(WgmmaFaults, DependentLaunchesAndTheDriversRegistersAreTaken) {
  EXPECT_EQ(faults_text(run(planted({{"begin", R"(  unsigned e;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(e));
  d[0] += e;
  asm volatile("griddepcontrol.launch_dependents;");)"}}))),
            "");
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
