// tests/emulator/collectives_test.cpp: lanes exchange values under the masks that they name.
#include "tests/emulator/collectives.h"

#include "scenes/host/input_file.h"
#include "tests/emulator/fixture.h"
#include "tests/folders.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

TEST(Collectives, EveryKernelGivesWhatItsReferenceGives) {
  const Result<CompiledPtx> compiled = compile_to_ptx({collective_source, {}, 90});
  if (!compiled && compiled.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(compiled.error());
  ASSERT_TRUE(compiled) << sentence(compiled.error());
  const std::vector<Collective> kernels = collectives();
  EXPECT_GE(kernels.size(), 20u);
  for (const Collective& kernel : kernels) {
    SCOPED_TRACE(kernel.entry);
    std::vector<std::int32_t> in = collective_input(kernel), out = collective_poison();
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(static_cast<std::int32_t>(in.size()));
    const Trace trace =
        bench.run(compiled->ptx, collective_launch(kernel), kernel.entry, collective_source);
    EXPECT_EQ(faults_text(trace), "");
    const std::vector<std::int32_t> expected = collective_reference(kernel);
    EXPECT_NE(out, collective_poison());
    for (std::size_t k = 0; k < out.size(); ++k) {
      ASSERT_EQ(out[k], expected[k])
          << "element " << k % collective_plane << " of plane " << k / collective_plane;
    }
  }
}

// One body with x = in[threadIdx.x] and lane; what it says when it is wrong.
struct Wrong {
  const char* name;
  const char* body;
  FaultKind kind;
  int thread;
  const char* words;
  std::int64_t threads = 32;
};
const Wrong kWrong[] = {
    {"a shuffle from lanes of the other arm",
     "if (lane < 8) x = __shfl_down_sync(__activemask(), x, 4);", FaultKind::absent_lane, 4,
     "of lanes 4–7 reads from lanes 8–11, which its mask 0x000000ff does not include"},
    {"a shuffle from outside its mask", "if (lane < 16) x = __shfl_sync(0xffff, x, 20);",
     FaultKind::absent_lane, 0,
     "of lanes 0–15 reads from lane 20, which its mask 0x0000ffff does not include"},
    {"a shuffle from another group", "x = __shfl_xor_sync(lane < 16 ? 0xffff : 0xffff0000, x, 16);",
     FaultKind::absent_lane, 0, "of lanes 0–15 reads from lanes 16–31"},
    {"a shuffle from lanes that ended", "if (lane >= 20) return; x = __shfl_down_sync(~0u, x, 8);",
     FaultKind::absent_lane, 12,
     "of lanes 12–19 reads from lanes 20–27, which have ended or never existed"},
    {"a shuffle from lanes that were never there", "x = __shfl_xor_sync(~0u, x, 16);",
     FaultKind::absent_lane, 36, "of lanes 4–15 reads from lanes 20–31", 52},
    {"a mask without its own lane", "unsigned b = __ballot_sync(0xff, x > 0); x = b;",
     FaultKind::absent_lane, 8,
     "is reached by lanes 8–31 with the mask 0x000000ff, which does not include them"},
    {"a named lane that waits elsewhere",
     "if (lane < 30) x = __reduce_add_sync(~0u, x); else __syncthreads(); __syncwarp();",
     FaultKind::deadlock, 0, "waits for lanes 30–31, which never reach it"},
    {"masks that contradict each other", "x = __reduce_add_sync(lane == 3 ? 0xf : ~0u, x);",
     FaultKind::deadlock, 0, "waits for lane 3, but lane 3 comes to it with another mask"},
};

TEST(Collectives, ALaneThatTakesNoPartIsAFaultThatNamesIt) {
  for (const Wrong& wrong : kWrong) {
    SCOPED_TRACE(wrong.name);
    const std::string text = std::string(
                                 "extern \"C\" __global__ void k(int* in, int* out, int n) {\n"
                                 "  int x = in[threadIdx.x], lane = threadIdx.x % 32;\n") +
                             wrong.body + "\n  out[threadIdx.x] = x;\n}";
    WARPSCOPE_COMPILE(ptx, text);
    std::vector<std::int32_t> in(64, 1), out(64);
    Bench bench;
    bench.add("in", in);
    bench.add("out", out);
    bench.pass(64);
    const Trace trace = bench.run(ptx, launch_of(1, wrong.threads));
    ASSERT_FALSE(trace.faults.empty());
    const auto fault = std::ranges::find_if(trace.faults, [&](const Fault& f) {
      return f.kind == wrong.kind && f.sentence.find(wrong.words) != std::string::npos;
    });
    ASSERT_NE(fault, trace.faults.end()) << faults_text(trace);
    EXPECT_EQ(fault->position.line, 3) << fault->sentence;
    EXPECT_EQ(fault->thread.x, wrong.thread) << fault->sentence;
  }
}

TEST(Collectives, TheNthSetBitIsFoundFromAnyPlaceUpAndDown) {
  WARPSCOPE_COMPILE(ptx, R"(
extern "C" __global__ void k(const int* in, int* out, int n) {
  for (int base = 0; base < 32; ++base)
    for (int offset = -33; offset <= 33; ++offset)
      out[((offset + 33) * 32 + base) * 32 + threadIdx.x] = __fns(in[threadIdx.x], base, offset);
})");
  std::vector<std::int32_t> in(32), out(67 * 32 * 32);
  std::uint32_t state = 5;
  for (std::int32_t& mask : in) {
    state = state * 1664525u + 1013904223u;
    mask = static_cast<std::int32_t>(state);
  }
  in[0] = 0;
  in[1] = -1;
  Bench bench;
  bench.add("in", in);
  bench.add("out", out);
  bench.pass(32);
  EXPECT_EQ(faults_text(bench.run(ptx, launch_of(1, 32))), "");
  for (int offset = -33; offset <= 33; ++offset) {
    for (int base = 0; base < 32; ++base) {
      for (int lane = 0; lane < 32; ++lane) {
        std::vector<int> bits;  // from the base on, in the offset's direction
        for (int at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
          if ((static_cast<std::uint32_t>(in[static_cast<std::size_t>(lane)]) >> at & 1) != 0)
            bits.push_back(at);
        }
        const auto wanted = static_cast<std::size_t>(std::abs(offset));
        int expected = wanted > 0 && wanted <= bits.size() ? bits[wanted - 1] : -1;
        if (wanted == 0 && !bits.empty() && bits[0] == base) expected = base;
        ASSERT_EQ(out[static_cast<std::size_t>(((offset + 33) * 32 + base) * 32 + lane)], expected)
            << "base " << base << ", offset " << offset << ", lane " << lane;
      }
    }
  }
}

// Lanes that part from others of their mask go on; the groups of one instruction wait alone.
TEST(Collectives, AGroupThatIsCompleteDoesNotWaitForOthers) {
  WARPSCOPE_COMPILE(ptx, R"(
extern "C" __global__ void k(volatile int* flag, int* out, int n) {
  int lane = threadIdx.x;
  unsigned mine = lane < 8 ? 0xff : lane < 16 ? 0xff00 : 0xffff0000;
  int sum = 0;
  if (lane < 24) {
    sum = __reduce_add_sync(mine, lane);
    if (lane == 0) *flag = sum;
  } else {
    while (*flag == 0);
    sum = __reduce_add_sync(mine, lane);
  }
  out[lane] = sum;
})");
  std::vector<std::int32_t> flag(1), out(32);
  Bench bench;
  bench.add("flag", flag);
  bench.add("out", out);
  bench.pass(32);
  bench.options.instruction_budget = 10'000'000;
  const Trace trace = bench.run(ptx, launch_of(1, 32));
  EXPECT_EQ(faults_text(trace), "");
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(out[static_cast<std::size_t>(lane)], lane < 8 ? 28 : lane < 16 ? 92 : 376) << lane;
  }
}

// Lets these tests read the kernels that lie beside them.
class KernelsBesideEmulatorTests : public testing::Environment {
  void SetUp() override { ASSERT_TRUE(allow_folder(source_folder() / "tests")); }
};
const testing::Environment* const kKernelsBesideEmulatorTests =
    testing::AddGlobalTestEnvironment(new KernelsBesideEmulatorTests);

}  // namespace
}  // namespace warpscope

#endif
