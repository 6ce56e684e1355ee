// tests/emulator/warp_roles_test.cpp: warps that run different code have names for what they do,
// and their barriers' marks stand in program order.
#include "profiling/access/warp_roles.h"

#include <map>

#include "profiling/access/barrier_timeline.h"
#include "tests/emulator/waiting_blocks.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

#define KERNEL "extern \"C\" __global__ void k(int* data, int* flag, int* out, int n) {\n"

// Warp 3 copies rows of 96 numbers through two slots to three warps that add them up.
const char* const kRing =
    "#include \"tensor_copy.cuh\"\n" KERNEL
    "  __shared__ alignas(16) int ring[2][96];\n"
    "  __shared__ alignas(8) unsigned long long full[2], empty[2];\n"
    "  const unsigned FULL = shared_address(full), EMPTY = shared_address(empty);\n"
    "  const int t = threadIdx.x, warp = t / 32;\n"
    "  if (t == 0) ring_init(FULL, EMPTY, 2, 3);\n  __syncthreads();\n"
    "  if (warp == 3) {\n    if (t % 32 != 0) return;\n"
    "#pragma unroll 1\n"
    "    for (int f = 0; f < 5; ++f) {\n      const int slot = f % 2;\n"
    "      if (f >= 2) barrier_wait(EMPTY + 8 * slot, (f / 2 + 1) & 1);\n"
    "      barrier_arrive_expecting(FULL + 8 * slot, 384);\n"
    "      copy_bytes(shared_address(ring[slot]), data + 96 * f, 384, FULL + 8 * slot);\n    }\n"
    "    return;\n  }\n"
    "  int sum = 0;\n"
    "#pragma unroll 1\n"
    "  for (int f = 0; f < 5; ++f) {\n    const int slot = f % 2;\n"
    "    barrier_wait(FULL + 8 * slot, f / 2 & 1);\n    sum += ring[slot][t];\n    __syncwarp();\n"
    "    if (t % 32 == 0) barrier_arrive(EMPTY + 8 * slot);\n  }\n  out[t] = sum;\n}";

void run_ring(WaitingRun& run) {
  WARPSCOPE_COMPILE(ptx, kRing);
  run_waiting(ptx, 1, 128, run);
  ASSERT_EQ(faults_text(run.trace), "");
  EXPECT_EQ(run.out[7], 5 * 8 + 96 * 10);
}

TEST(WarpRoles, AProducerAndItsConsumersAreNamed) {
  WaitingRun run;
  run_ring(run);
  if (IsSkipped()) return;
  const BlockRoles block = warp_roles(run.trace);
  ASSERT_EQ(block.roles.size(), 2u);
  EXPECT_EQ(block.roles[0].name, "consumer");
  EXPECT_EQ(block.roles[0].warps, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(block.roles[1].name, "producer");
  EXPECT_EQ(block.roles[1].warps, std::vector<int>{3});
  EXPECT_NE(block.roles[1].does.find("copies to shared memory"), std::string::npos);
  EXPECT_NE(block.roles[0].does.find("reads shared memory"), std::string::npos);
  EXPECT_EQ(block.suffix(3), " · producer");
}

TEST(WarpRoles, CopiesByHandHaveAProducerToo) {
  const std::string text = KERNEL
      "  __shared__ int s[64];\n  const int t = threadIdx.x;\n  int sum = 0;\n"
      "  if (t >= 64) {\n#pragma unroll 1\n    for (int f = 0; f < 3; ++f) {\n"
      "      asm volatile(\"bar.sync 2, 128;\" ::: \"memory\");\n"
      "      s[t - 64] = data[f * 64 + t - 64] * 3 + f;\n"
      "      asm volatile(\"bar.sync 1, 128;\" ::: \"memory\");\n    }\n    return;\n  }\n"
      "#pragma unroll 1\n  for (int f = 0; f < 3; ++f) {\n"
      "    asm volatile(\"bar.sync 2, 128;\" ::: \"memory\");\n"
      "    asm volatile(\"bar.sync 1, 128;\" ::: \"memory\");\n    sum += s[t ^ 1] * s[t];\n  }\n"
      "  out[t] = sum;\n}";
  WARPSCOPE_COMPILE(ptx, text);
  WaitingRun run;
  run_waiting(ptx, 1, 128, run);
  const BlockRoles block = warp_roles(run.trace);
  ASSERT_EQ(block.roles.size(), 2u) << faults_text(run.trace);
  EXPECT_EQ(block.roles[0].name, "consumer");
  EXPECT_EQ(block.roles[1].name, "producer");
  EXPECT_EQ(block.roles[1].warps, (std::vector<int>{2, 3}));
}

// A warp that only does more than others, or less, has no role of its own.
TEST(WarpRoles, AReductionsLastStepIsNoRole) {
  const std::string text = KERNEL
      "  __shared__ int s[128];\n  const int t = threadIdx.x;\n  s[t] = data[t];\n"
      "  __syncthreads();\n"
      "  for (int d = 64; d; d >>= 1) { if (t < d) s[t] += s[t + d]; __syncthreads(); }\n"
      "  if (t < 32) { int x = s[t]; for (int d = 16; d; d >>= 1) x += __shfl_xor_sync(~0u, x, "
      "d);\n"
      "    out[t] = x; }\n}";
  WARPSCOPE_COMPILE(ptx, text);
  WaitingRun run;
  run_waiting(ptx, 1, 128, run);
  EXPECT_FALSE(warp_roles(run.trace).any());
}

TEST(BarrierTimeline, WaitsStandRightOfTheArrivalsThatTheyNeed) {
  WaitingRun run;
  run_ring(run);
  if (IsSkipped()) return;
  const BarrierTimeline timeline = barrier_timeline(run.trace);
  ASSERT_FALSE(timeline.marks.empty());
  std::map<std::uint32_t, int> last;                                      // column, by warp
  std::map<std::pair<std::uint32_t, std::int64_t>, int> arrived, waited;  // last and first column
  int producer_waits = 0, copies = 0;
  for (const TimelineMark& mark : timeline.marks) {
    const auto before = last.find(mark.warp);
    if (before != last.end()) {
      EXPECT_GT(mark.column, before->second);
    }
    last[mark.warp] = mark.column;
    EXPECT_LT(mark.column, timeline.columns);
    const auto key = std::pair(mark.barrier, mark.phase);
    if (mark.arrives) arrived[key] = std::max(arrived[key], mark.column);
    if (mark.waits && !mark.arrives) {
      const auto known = waited.find(key);
      waited[key] = known == waited.end() ? mark.column : std::min(known->second, mark.column);
      ASSERT_GE(mark.after, 0);
      EXPECT_EQ(timeline.marks[static_cast<std::size_t>(mark.after)].phase, mark.phase);
    }
    if (mark.warp == 3 && mark.waits && !mark.arrives) ++producer_waits;
    if (mark.copies) ++copies;
  }
  for (const auto& [key, column] : waited) EXPECT_GT(column, arrived[key]);
  EXPECT_EQ(producer_waits, 3);  // of the slots' second and third time
  EXPECT_EQ(copies, 5);          // with the bytes expected and the arrival, a mark each
  // The block's barrier, two full ones, two empty ones.
  ASSERT_EQ(run.trace.barriers.size(), 5u);
  EXPECT_EQ(run.trace.barriers[0].name, "barrier 0");
  for (const char* name : {"full[0]", "full[1]", "empty[0]", "empty[1]"}) {
    EXPECT_TRUE(std::any_of(run.trace.barriers.begin(), run.trace.barriers.end(),
                            [&](const TracedBarrier& b) { return b.name == name; }))
        << name;
  }
}

#undef KERNEL

}  // namespace
}  // namespace warpscope

#endif
