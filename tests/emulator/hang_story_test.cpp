// tests/emulator/hang_story_test.cpp: a hang is told with its kind, its line, who waits and who
// never came; kernels that end have no such story.
#include "tests/emulator/waiting_blocks.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// Warps that the story's first row, or the row named by its mark, says never came.
struct Gone {
  std::int64_t block = 0;
  std::vector<int> warps;
  bool ended = false;
  const char* mark = "";  // of the line at which they ended or wait; empty: any
  std::uint32_t lanes = 0;
};

struct PlantedHang {
  const char* name;
  WaitKind kind;
  std::int64_t blocks, threads;
  std::int64_t block;      // that waits at the line with the mark HANG
  std::vector<int> warps;  // of it
  std::vector<Gone> gone;
  std::size_t circle;  // rows in the circle
  const char* words;   // of the row's sentence
  const char* advice;  // of the verdict
  const char* text;
};

#define KERNEL "extern \"C\" __global__ void k(int* data, int* flag, int* out, int n) {\n"
#define MBARRIERS                                                                    \
  "#include \"tensor_copy.cuh\"\n" KERNEL                                            \
  "  __shared__ alignas(8) unsigned long long full, empty;\n"                        \
  "  __shared__ alignas(16) int s[256];\n"                                           \
  "  const unsigned FULL = shared_address(&full), EMPTY = shared_address(&empty);\n" \
  "  const int t = threadIdx.x, warp = t / 32;\n"
#define MADE(full, empty)                                                    \
  "  if (t == 0) { barrier_init(FULL, " full "); barrier_init(EMPTY, " empty \
  "); }  // MADE\n"                                                          \
  "  __syncthreads();\n"

// A producer and a consumer of one slot; lines carry marks.
#define SLOT(produced, consumed, signals) \
  MBARRIERS MADE("1", "1")                                                                   \
  "  if (warp == 1) {\n"                                                                     \
  "#pragma unroll 1\n"                                                                       \
  "    for (int f = 0; f < " produced "; ++f) {\n"                                           \
  "      if (f > 0) barrier_wait(EMPTY, (f - 1) & 1);  // REFILL\n"                          \
  "      s[t % 32] = data[f * 32 + t % 32];\n      __syncwarp();\n"                          \
  "      if (t % 32 == 0) barrier_arrive(FULL);\n    }\n"                                    \
  "    return;\n  }\n"                                                                       \
  "  int sum = 0;\n"                                                                         \
  "#pragma unroll 1\n"                                                                       \
  "  for (int f = 0; f < " consumed "; ++f) {\n"                                             \
  "    barrier_wait(FULL, f & 1);  // HANG\n"                                                \
  "    sum += s[t];\n    __syncwarp();\n"                                                    \
  "    if (t == 0" signals ") barrier_arrive(EMPTY);\n  }\n"                                 \
  "  out[t] = sum;\n}"

const PlantedHang kPlanted[] = {
    {"a barrier in a divergent branch",
     WaitKind::block_barrier,
     1,
     32,
     0,
     {0},
     {{0, {0}, false, "", 0xffff0000u}},
     0,
     "at barrier 0, where 16 of 32 threads have come",
     "move it to where all lanes come",
     KERNEL
     "  if (threadIdx.x % 32 < 16) {\n    data[threadIdx.x] += 1;\n    __syncthreads();  // HANG\n"
     "    data[threadIdx.x + 1] += 2;\n  }\n  out[threadIdx.x] = data[threadIdx.x ^ 1];\n}"},
    {"a named barrier with a wrong count",
     WaitKind::block_barrier,
     1,
     64,
     0,
     {0, 1},
     {},
     0,
     "at barrier 1, where 64 of 96 threads have come",
     "give it the 64 threads that do come",
     KERNEL
     "  asm volatile(\"bar.sync 1, 96;\" ::: \"memory\");  // HANG\n  out[threadIdx.x] = 1;\n}"},
    {"two named barriers crossed",
     WaitKind::block_barrier,
     1,
     64,
     0,
     {0},
     {{0, {1}, false, "OTHER"}},
     2,
     "at barrier 1, where 32 of 64 threads have come",
     "each waits for the next in a circle",
     KERNEL
     "  if (threadIdx.x < 32) {\n    asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");  // HANG\n"
     "    data[threadIdx.x] = 1;\n    asm volatile(\"bar.sync 2, 64;\" ::: \"memory\");\n"
     "  } else {\n    asm volatile(\"bar.sync 2, 64;\" ::: \"memory\");  // OTHER\n"
     "    data[threadIdx.x] = 2;\n    asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");\n  }\n"
     "  out[threadIdx.x] = 1;\n}"},
    {"an mbarrier made for one arrival too many",
     WaitKind::mbarrier,
     1,
     64,
     0,
     {0, 1},
     {},
     0,
     "for phase 0 of the mbarrier full (parity 0), which has 64 of 65 arrivals",
     "makes it for 65 arrivals, make it for 64",
     MBARRIERS MADE("65", "1") "  barrier_arrive(FULL);\n  barrier_wait(FULL, 0);  // HANG\n"
                               "  out[t] = 1;\n}"},
    {"more bytes expected than copied",
     WaitKind::mbarrier,
     1,
     64,
     0,
     {0, 1},
     {},
     0,
     "with 256 bytes of copies outstanding",
     "lower expect_tx by 256 bytes",
     MBARRIERS MADE("1",
                    "1") "  if (t == 0) {\n    barrier_arrive_expecting(FULL, 512);  // EXPECTED\n"
                         "    copy_bytes(shared_address(s), data, 256, FULL);\n  }\n"
                         "  barrier_wait(FULL, 0);  // HANG\n  out[t] = s[t];\n}"},
    {"the other parity",
     WaitKind::mbarrier,
     1,
     64,
     0,
     {0},
     {{0, {1}, true, "GONE"}},
     0,
     "for phase 1 of the mbarrier full (parity 1), which has 0 of 1 arrival",
     "(parity 0)",
     MBARRIERS MADE("1", "1") "  if (t == 32) barrier_arrive(FULL);\n  __syncthreads();\n  if "
                              "(warp == 1) return;  // GONE\n"
                              "  barrier_wait(FULL, 1);  // HANG\n  out[t] = 1;\n}"},
    {"a producer that stops one step early",
     WaitKind::mbarrier,
     1,
     64,
     0,
     {0},
     {{0, {1}, true, ""}},
     0,
     "for phase 3 of the mbarrier full (parity 1), which has 0 of 1 arrival",
     "phase 2 was the last that anyone arrived at",
     SLOT("3", "4", "")},
    {"a consumer that waits one phase too far",
     WaitKind::mbarrier,
     1,
     96,
     0,
     {0, 2},
     {{0, {1}, true, ""}},
     0,
     "for phase 2 of the mbarrier full (parity 0), which has 0 of 32 arrivals",
     "phase 1 was the last that anyone arrived at",
     MBARRIERS MADE(
         "32", "1") "  if (warp == 1) {\n    for (int f = 0; f < 2; ++f) { barrier_arrive(FULL); "
                    "barrier_wait(FULL, f & 1); }\n    return;\n  }\n"
                    "#pragma unroll 1\n  for (int f = 0; f <= 2; ++f) barrier_wait(FULL, f & 1);  "
                    "// HANG\n"
                    "  out[t] = 1;\n}"},
    {"a ring's slot that one step does not give back",
     WaitKind::mbarrier,
     1,
     64,
     0,
     {0},
     {{0, {1}, false, "REFILL"}},
     2,
     "for phase 2 of the mbarrier full (parity 0)",
     "each waits for the next in a circle",
     SLOT("4", "4", " && f != 1")},
    {"a flag that nobody sets",
     WaitKind::flag,
     4,
     64,
     0,
     {0, 1},
     {},
     0,
     "flag[7] = 0 again and again; nobody has written it",
     "correct the index of the store or of the wait",
     KERNEL "  if (threadIdx.x == 0) atomicExch(flag + blockIdx.x, 1);\n"
            "  while (((volatile int*)flag)[7] == 0) {}  // HANG\n  out[0] = 1;\n}"},
    {"two blocks that wait for each other's flag",
     WaitKind::flag,
     2,
     32,
     0,
     {0},
     {{1, {0}, false, "HANG"}},
     2,
     "flag[1] = 0 again and again",
     "each waits for the next in a circle",
     KERNEL "  if (threadIdx.x != 0) return;\n"
            "  while (((volatile int*)flag)[1 - blockIdx.x] == 0) {}  // HANG\n"
            "  __threadfence();\n  ((volatile int*)flag)[blockIdx.x] = 1;\n}"},
    {"a later block whose store is missing",
     WaitKind::flag,
     3,
     32,
     1,
     {0},
     {{2, {}, true, ""}},
     0,
     "flag[2] = 0 again and again",
     "let the store be reached before anyone waits for it",
     KERNEL "  if (threadIdx.x != 0) return;\n  int b = blockIdx.x;\n"
            "  if (b == 2) return;\n"
            "  while (((volatile int*)flag)[b + 1] == 0) {}  // HANG\n"
            "  __threadfence();\n  ((volatile int*)flag)[b] = 1;\n}"},
    {"a lock that is never released",
     WaitKind::flag,
     3,
     32,
     1,
     {0},
     {},
     0,
     "flag[5] = 1 again and again",
     "a lock that is not free",
     KERNEL "  if (threadIdx.x == 0) {\n    while (atomicCAS(flag + 5, 0, 1) != 0) {}  // HANG\n"
            "    out[blockIdx.x] = 1;\n  }\n}"},
    {"a warp that leaves before a barrier with a count",
     WaitKind::block_barrier,
     1,
     64,
     0,
     {0},
     {{0, {1}, true, "GONE"}},
     0,
     "at barrier 1, where 32 of 64 threads have come",
     "threads that ended do not count where a barrier has a number of threads",
     KERNEL
     "  if (threadIdx.x >= 32) return;  // GONE\n"
     "  asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");  // HANG\n  out[threadIdx.x] = 1;\n}"},
    {"a loop whose condition never changes",
     WaitKind::values,
     1,
     32,
     0,
     {0},
     {},
     0,
     "goes round a loop in which nothing changes",
     "let the loop change what it tests",
     KERNEL "  int x = data[threadIdx.x];\n  do {\n    asm volatile(\"\" : \"+r\"(x));\n"
            "  } while (x > 0);  // HANG\n  out[0] = x;\n}"},
    {"a flag set after the barrier that the reader never reaches",
     WaitKind::flag,
     1,
     64,
     0,
     {0},
     {{0, {1}, false, "OTHER"}},
     2,
     "ready",
     "each waits for the next in a circle",
     KERNEL "  __shared__ int ready;\n  if (threadIdx.x == 0) ready = 0;\n  __syncthreads();\n"
            "  if (threadIdx.x < 32) {\n    while (*(volatile int*)&ready == 0) {}  // HANG\n  }\n"
            "  __syncthreads();  // OTHER\n  if (threadIdx.x == 32) *(volatile int*)&ready = 1;\n"
            "  out[threadIdx.x] = ready;\n}"},
    {"a warp that leaves a ring before its first arrival",
     WaitKind::mbarrier,
     1,
     96,
     0,
     {2},
     {{0, {1}, true, "GONE"}},
     0,
     "which has 1 of 2 arrivals",
     "each phase needs all its arrivals",
     MBARRIERS MADE("1", "2") "  if (warp == 2) {\n    if (t % 32 != 0) return;\n"
                              "    for (int f = 0; f < n; ++f) {\n"
                              "      if (f > 0) barrier_wait(EMPTY, (f - 1) & 1);  // HANG\n"
                              "      barrier_arrive(FULL);\n    }\n    return;\n  }\n"
                              "  if (warp == 1) return;  // GONE\n"
                              "  for (int f = 0; f < n; ++f) {\n    barrier_wait(FULL, f & 1);\n"
                              "    __syncwarp();\n    if (t == 0) barrier_arrive(EMPTY);\n  }\n"
                              "  s[t] = t;\n  out[t] = s[t];\n}"},
    {"lanes that a shuffle waits for",
     WaitKind::lanes,
     1,
     32,
     0,
     {0},
     {{0, {0}, false, "", 0xffff0000u}},
     0,
     "for 16 lanes of its own warp",
     "name in its mask",
     KERNEL "  int x = data[threadIdx.x];\n  if (threadIdx.x < 16) {\n"
            "    x += __shfl_xor_sync(~0u, x, 1);  // HANG\n    data[threadIdx.x] = x * 3;\n  }\n"
            "  out[threadIdx.x] = x + data[threadIdx.x ^ 3];\n}"},
};

bool same(const AbsentWarps& a, const Gone& g, const std::string& text) {
  return a.block == g.block && (g.warps.empty() || a.warps == g.warps) && a.ended == g.ended &&
         a.lanes == g.lanes && (*g.mark == 0 || a.position.line == line_with(text, g.mark));
}

const WaitingWarps* row_at(const HangStory& story, const PlantedHang& hang) {
  for (const WaitingWarps& row : story.waits) {
    if (row.kind == hang.kind && row.block == hang.block &&
        row.position.line == line_with(hang.text, "HANG")) {
      return &row;
    }
  }
  return nullptr;
}

std::string story_text(const Trace& trace) {
  if (!trace.hang) return "no story\n" + faults_text(trace);
  std::string text = trace.hang->verdict + "\n";
  for (const WaitingWarps& row : trace.hang->waits) text += "  " + row.sentence + "\n";
  return text;
}

TEST(HangStory, PlantedHangsAreToldRightlyWithinTwoSeconds) {
  ASSERT_GE(std::size(kPlanted), 15u);
  run_each(kPlanted, {}, [](const PlantedHang& hang, const WaitingRun& run, double seconds) {
    EXPECT_LT(seconds, 2.0);
    ASSERT_TRUE(run.trace.hang) << faults_text(run.trace);
    const HangStory& story = *run.trace.hang;
    const WaitingWarps* const row = row_at(story, hang);
    ASSERT_NE(row, nullptr) << story_text(run.trace);
    EXPECT_EQ(row->warps, hang.warps) << story_text(run.trace);
    EXPECT_EQ(row->absent.size(), hang.gone.size()) << story_text(run.trace);
    for (const Gone& gone : hang.gone) {
      EXPECT_TRUE(std::any_of(row->absent.begin(), row->absent.end(), [&](const auto& a) {
        return same(a, gone, hang.text);
      })) << story_text(run.trace);
    }
    EXPECT_EQ(story.circle.size(), hang.circle) << story_text(run.trace);
    EXPECT_NE(row->sentence.find(hang.words), std::string::npos) << story_text(run.trace);
    EXPECT_NE(story.verdict.find(hang.advice), std::string::npos) << story_text(run.trace);
    EXPECT_EQ(defect(run.trace), std::nullopt);
  });
}

void expect_no_story(const GoodKernel& kernel, const WaitingRun& run, double) {
  EXPECT_FALSE(run.trace.hang) << story_text(run.trace);
  expect_right_outputs(kernel, run);
}

TEST(HangStory, KernelsThatEndHaveNone) {
  ASSERT_GE(good_waiting_kernels().size(), 15u);
  run_each(good_waiting_kernels(), {}, expect_no_story);
}

// Barriers of a block, rightly used; each leaves out[t] = value(t).
const GoodKernel kGoodBarriers[] = {
    {"warps that leave before a barrier without a count", 1, 96, 32, [](int t) { return t + 1; },
     KERNEL "  if (threadIdx.x >= 64) return;\n  __shared__ int s[64];\n"
            "  s[threadIdx.x] = data[threadIdx.x];\n  __syncthreads();\n"
            "  if (threadIdx.x < 32) out[threadIdx.x] = s[threadIdx.x ^ 32] - 32 + 2 * "
            "(threadIdx.x & 32);\n}"},
    {"named barriers of two halves", 1, 128, 128, [](int t) { return (t ^ 32) + 1; },
     KERNEL
     "  __shared__ int s[128];\n  const int t = threadIdx.x, half = t / 64;\n  s[t] = data[t];\n"
     "  asm volatile(\"bar.sync %0, 64;\" :: \"r\"(half + 1) : \"memory\");\n"
     "  out[t] = s[t ^ 32];\n}"},
    {"a hand-over by bar.arrive", 1, 64, 32, [](int t) { return 2 * (t + 1); },
     KERNEL
     "  __shared__ int s[32];\n  const int t = threadIdx.x;\n  if (t >= 32) {\n"
     "    s[t - 32] = 2 * data[t - 32];\n    asm volatile(\"bar.arrive 3, 64;\" ::: \"memory\");\n"
     "    return;\n  }\n  asm volatile(\"bar.sync 3, 64;\" ::: \"memory\");\n  out[t] = s[t];\n}"},
    {"a slot between a producer and a consumer", 1, 64, 32,
     [](int t) { return 4 * (t + 1) + 32 * 6; }, SLOT("4", "4", "")},
    {"a producer that is one step ahead", 1, 64, 32, [](int t) { return 3 * (t + 1) + 32 * 3; },
     SLOT("3", "3", "")},
    {"copies that bring what is expected", 1, 64, 64, [](int t) { return t + 1; },
     MBARRIERS MADE("1", "1") "  if (t == 0) {\n    barrier_arrive_expecting(FULL, 256);\n"
                              "    copy_bytes(shared_address(s), data, 256, FULL);\n  }\n"
                              "  barrier_wait(FULL, 0);\n  out[t] = s[t];\n}"},
};

TEST(HangStory, BarriersRightlyUsedEndToo) { run_each(kGoodBarriers, {}, expect_no_story); }

#undef SLOT
#undef MADE
#undef MBARRIERS
#undef KERNEL

}  // namespace
}  // namespace warpscope

#endif
