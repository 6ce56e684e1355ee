// tests/emulator/endless_test.cpp: loops that never end are named at once, those that end do end.
#include "tests/emulator/waiting_blocks.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

TEST(Endless, BlocksThatWaitForEachOtherEndWithRightOutputs) {
  ASSERT_GE(good_waiting_kernels().size(), 20u);
  EmulateOptions options;
  options.instruction_budget = 40'000'000;
  run_each(good_waiting_kernels(), options,
           [](const GoodKernel& kernel, const WaitingRun& run, double) {
             expect_right_outputs(kernel, run);
           });
}

struct Hang {
  const char* name;
  FaultKind kind;
  std::int64_t blocks, threads;
  const char* words;  // of the sentence at the line with the mark BUG
  const char* buffer;
  std::int64_t index;
  const char* text;
};

#define KERNEL "extern \"C\" __global__ void k(int* data, int* flag, int* out, int n) {\n"

const Hang kHangs[] = {
    {"a flag that nobody sets", FaultKind::endless_loop, 4, 64,
     "32 lanes of warp 0 read flag[7] = 0 again and again (ld.volatile.global.u32); no block that "
     "still runs stores to it",
     "flag", 7, KERNEL "  while (((volatile int*)flag)[7] == 0) {}  // BUG\n  out[0] = 1;\n}"},
    {"a flag set by a block beyond those that fit", FaultKind::endless_loop, 6000, 1024,
     "all 264 blocks that fit an H200 at once wait, and the next begins only when one of them ends",
     "flag", 0,
     // One warp waits for its block.
     KERNEL "  if (threadIdx.x >= 32) return;\n"
            "  if (blockIdx.x == gridDim.x - 1) atomicExch(flag, 1);\n"
            "  while (atomicAdd(flag, 0) == 0) {}  // BUG\n}"},
    {"a lock that is never released", FaultKind::endless_loop, 3, 32,
     "lane 0 of warp 0 finds flag[5] = 1 again and again (atom.global.cas.b32)", "flag", 5,
     KERNEL "  if (threadIdx.x == 0) {\n    while (atomicCAS(flag + 5, 0, 1) != 0) {}  // BUG\n"
            "    out[blockIdx.x] = 1;\n  }\n}"},
    {"a ticket that was lost", FaultKind::endless_loop, 6, 32,
     "lane 0 of warp 0 reads flag[1] = 2 again and again", "flag", 1,
     KERNEL "  if (threadIdx.x != 0) return;\n  int mine = atomicAdd(flag, 1);\n"
            "  while (((volatile int*)flag)[1] != mine) {}  // BUG\n"
            "  if (mine != 2) atomicAdd(flag + 1, 1);\n}"},
    {"a barrier in an arm that some warps never take", FaultKind::endless_loop, 1, 128,
     "32 lanes of warp 1 read flag[0] = 0 again and again", "flag", 0,
     KERNEL
     "  if (threadIdx.x < 32) {\n    __syncthreads();\n    atomicExch(flag, 1);\n  } else {\n"
     "    while (*(volatile int*)flag == 0) {}  // BUG\n    __syncthreads();\n  }\n}"},
    {"the barrier of it", FaultKind::deadlock, 1, 128,
     " waits at barrier 0 with 32 of 128 threads; the others never arrive", "", -1,
     KERNEL "  if (threadIdx.x < 32) {\n    __syncthreads();  // BUG\n    atomicExch(flag, 1);\n  "
            "} else {\n"
            "    while (*(volatile int*)flag == 0) {}\n    __syncthreads();\n  }\n}"},
    {"an arrival too few at an mbarrier", FaultKind::deadlock, 1, 64,
     " waits for phase 0 of the barrier at shared byte 0: 63 of 64 arrivals", "shared memory", -1,
     "#include \"tensor_copy.cuh\"\n" KERNEL "  __shared__ alignas(8) unsigned long long place;\n"
     "  const unsigned barrier = shared_address(&place);\n"
     "  if (threadIdx.x == 0) barrier_init(barrier, 64);\n  __syncthreads();\n"
     "  if (threadIdx.x != 9) barrier_arrive(barrier);\n"
     "  barrier_wait(barrier, 0);  // BUG\n  out[threadIdx.x] = 1;\n}"},
    {"the wrong phase of an mbarrier, asked for by test_wait", FaultKind::endless_loop, 1, 32,
     "polls again and again: it waits for phase 1 of the barrier at shared byte 0: 0 of 32 "
     "arrivals",
     "shared memory", -1,
     "#include \"tensor_copy.cuh\"\n" KERNEL "  __shared__ alignas(8) unsigned long long place;\n"
     "  const unsigned barrier = shared_address(&place);\n  unsigned over = 0;\n"
     "  if (threadIdx.x == 0) barrier_init(barrier, 32);\n  __syncthreads();\n"
     "  barrier_arrive(barrier);\n  __syncwarp();\n"
     "  while (!over) asm volatile(\"{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], "
     "1; selp.u32 %0, 1, 0, p; }\" : \"=r\"(over) : \"r\"(barrier) : \"memory\");  // BUG\n"
     "  barrier_arrive(barrier);\n"
     "  while (true) asm volatile(\"{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], "
     "1; selp.u32 %0, 1, 0, p; }\" : \"=r\"(over) : \"r\"(barrier) : \"memory\");\n}"},
    {"two warps that hand a value to and fro for ever", FaultKind::endless_loop, 1, 64,
     "again and again", "flag", 3,
     KERNEL
     "  volatile int* turn = flag + 3;\n  int me = threadIdx.x / 32;\n"
     "  if (threadIdx.x % 32 != 0) return;\n  while (true) {\n"
     "    while (*turn != me) {}  // BUG\n    *turn = 1 - me;\n    if (*turn == 2) break;\n  }\n"
     "  out[0] = 1;\n}"},
    {"two blocks that do so", FaultKind::endless_loop, 2, 32, "store meanwhile repeat as well",
     "flag", 3,
     KERNEL
     "  volatile int* turn = flag + 3;\n  int me = blockIdx.x;\n"
     "  if (threadIdx.x % 32 != 0) return;\n  while (true) {\n"
     "    while (*turn != me) {}  // BUG\n    *turn = 1 - me;\n    if (*turn == 2) break;\n  }\n"
     "  out[0] = 1;\n}"},
    {"a condition that never changes", FaultKind::endless_loop, 2, 32,
     "repeat a loop for ever: its registers return to the same values, and it reads no memory", "",
     -1,
     KERNEL "  int x = data[threadIdx.x];\n  do {\n    asm volatile(\"\" : \"+r\"(x));\n"
            "  } while (x > 0);  // BUG\n  out[0] = x;\n}"},
    {"a lock in shared memory that one lane keeps from its warp", FaultKind::endless_loop, 1, 32,
     "31 lanes of warp 0 find ", "lock", 0,
     KERNEL "  __shared__ int lock;\n  if (threadIdx.x == 0) lock = 0;\n  __syncwarp();\n"
            "  while (atomicCAS(&lock, 0, 1) != 0) {}  // BUG\n  __syncwarp();\n"
            "  out[threadIdx.x] = lock;\n}"},
    {"a loop over barriers whose flag nobody sets", FaultKind::endless_loop, 2, 64,
     "32 lanes of warp 0 read flag[2] = 0 again and again", "flag", 2,
     KERNEL
     "  while (true) {\n    int go = ((volatile int*)flag)[2];  // BUG\n    __syncthreads();\n"
     "    if (go != 0) break;\n  }\n  out[0] = 1;\n}"},
};

TEST(Endless, PlantedHangsAreNamedAtOnce) {
  run_each(kHangs, {}, [](const Hang& hang, const WaitingRun& run, double seconds) {
    testing::Test::RecordProperty(hang.name, std::to_string(seconds));
    // Without this a budget of four thousand million ends it, after a minute or more.
    EXPECT_LT(run.trace.warp_instructions, 60'000'000);
    bool found = false;
    for (const Fault& f : run.trace.faults) {
      EXPECT_NE(f.kind, FaultKind::budget) << f.sentence;
      if (f.kind != hang.kind || f.position.line != line_with(hang.text, "BUG")) continue;
      found = true;
      EXPECT_NE(f.sentence.find(hang.words), std::string::npos) << f.sentence;
      EXPECT_EQ(f.buffer, hang.buffer) << f.sentence;
      EXPECT_EQ(f.index, hang.index) << f.sentence;
    }
    EXPECT_TRUE(found) << faults_text(run.trace);
  });
}

// Loops whose state comes back only after thousands of turns.
const Hang kLongPeriods[] = {
    {"a probe of a full hash table of 1024 slots", FaultKind::endless_loop, 1, 128,
     " = 7 again and again (atom.global.cas.b32)", "flag", -1,
     KERNEL "  int at = threadIdx.x * 40503u & 1023;\n  for (;;) {\n"
            "    int seen = atomicCAS(flag + at, 0, threadIdx.x + 8);  // BUG\n"
            "    if (seen == 0 || seen == threadIdx.x + 8) break;\n    at = (at + 1) & 1023;\n  }\n"
            "  out[threadIdx.x & 63] = at;\n}"},
    {"a walk round a list of 1009 links that misses its end", FaultKind::endless_loop, 2, 64,
     " again and again (ld.", "flag", -1,
     KERNEL
     "  int at = threadIdx.x, steps = 0;\n"
     "  while (((volatile int*)flag)[at] != 5) at = at * 3 % 1009;  // BUG\n  out[0] = at;\n}"},
    {"random numbers of 15 bits that never hit", FaultKind::endless_loop, 1, 32,
     "repeat a loop for ever: its registers return to the same values", "", -1,
     KERNEL
     "  unsigned x = threadIdx.x, want = data[0] + 40000;\n"
     "  while (x != want) x = (x * 1103515245u + 12345u) & 32767;  // BUG\n  out[0] = x;\n}"},
};

TEST(Endless, LoopsThatRepeatAfterThousandsOfTurnsAreNamed) {
  for (const Hang& hang : kLongPeriods) {
    SCOPED_TRACE(hang.name);
    WARPSCOPE_COMPILE(ptx, hang.text);
    std::vector<int> data(64), flag(1024, 7), out(64);
    Bench bench;
    bench.add("data", data);
    bench.add("flag", flag);
    bench.add("out", out);
    bench.pass(64);
    const Trace trace = bench.run(ptx, launch_of(hang.blocks, hang.threads));
    EXPECT_LT(trace.warp_instructions, 200'000'000);
    bool found = false;
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, hang.kind) << f.sentence;
      found = found || (f.position.line == line_with(hang.text, "BUG") && f.buffer == hang.buffer &&
                        f.sentence.find(hang.words) != std::string::npos);
    }
    EXPECT_TRUE(found) << faults_text(trace);
  }
}

// No state comes back: nothing but the limit ends these.
TEST(Endless, LoopsWhoseStateAlwaysChangesEndAtTheLimitWithTheirLine) {
  const char* const texts[] = {
      KERNEL
      "  unsigned long long x = 5000 + threadIdx.x;\n"
      "  volatile int* place = data + threadIdx.x + 64 * blockIdx.x;\n"
      "  while (x != n) *place = x++;  // BUG\n}",
      KERNEL
      "  for (unsigned long long x = 1; x != 0; x += 2) {\n"
      "    printf(\"%llu\\n\", x);  // BUG\n  }\n}",
      // A loop with a period of 2⁶⁴ − 1.
      KERNEL
      "  unsigned long long x = 1;\n"
      "  do { x ^= x << 13, x ^= x >> 7, x ^= x << 17; } while (x != 0);  // BUG\n"
      "  out[0] = x;\n}"};
  for (const char* const text : texts) {
    for (const int threads : {1, 2}) {
      WARPSCOPE_COMPILE(ptx, text);
      WaitingRun run;
      EmulateOptions options;
      options.threads = threads;
      options.limit_time(0.2);
      run_waiting(ptx, 4, 64, run, options);
      ASSERT_EQ(run.trace.faults.size(), 1u) << faults_text(run.trace);
      EXPECT_EQ(run.trace.faults[0].kind, FaultKind::budget);
      EXPECT_NEAR(run.trace.faults[0].position.line, line_with(text, "BUG"), 1);
      EXPECT_NE(run.trace.faults[0].sentence.find("stopped at the limit after 200"),
                std::string::npos)
          << run.trace.faults[0].sentence;
    }
  }
}

TEST(Endless, ALimitThatIsNotReachedChangesNothing) {
  const std::string text = KERNEL "  out[threadIdx.x] = data[threadIdx.x] + n;\n}";
  WARPSCOPE_COMPILE(ptx, text);
  WaitingRun run;
  EmulateOptions options;
  options.limit_time(600);
  run_waiting(ptx, 1, 32, run, options);
  EXPECT_EQ(faults_text(run.trace), "");
}

TEST(Endless, ABlockThatIsRunAloneSaysThatOthersWereNot) {
  const std::string text = KERNEL
      "  if (blockIdx.x > 0) while (((volatile int*)flag)[blockIdx.x - 1] == 0) {}  // BUG\n"
      "  ((volatile int*)flag)[blockIdx.x] = 1;\n}";
  WARPSCOPE_COMPILE(ptx, text);
  WaitingRun run;
  EmulateOptions options;
  options.blocks = {5};
  run_waiting(ptx, 9, 32, run, options);
  ASSERT_EQ(run.trace.faults.size(), 1u) << faults_text(run.trace);
  EXPECT_EQ(run.trace.faults[0].sentence,
            "test.cu:2: 32 lanes of warp 0 read flag[4] = 0 again and again "
            "(ld.volatile.global.u32); no running block stores to it, and only 1 of the grid's 9 "
            "blocks was run (block (5, 0, 0), thread (0, 0, 0))");
}

// The trace is that of the block asked for, whichever thread of the host ended it.
TEST(Endless, TheTracedBlockKeepsItsRequestsWhenItWaits) {
  const std::string text = KERNEL
      "  if (threadIdx.x != 0) return;\n"
      "  if (blockIdx.x == 0) while (atomicAdd(flag + 40, 0) == 0) {}\n"
      "  out[blockIdx.x] = data[blockIdx.x];\n  atomicExch(flag + blockIdx.x, 1);\n}";
  WARPSCOPE_COMPILE(ptx, text);
  for (const int threads : {1, 3}) {
    WaitingRun run;
    EmulateOptions options;
    options.threads = threads;
    run_waiting(ptx, 41, 32, run, options);
    EXPECT_EQ(faults_text(run.trace), "");
    ASSERT_GE(run.trace.requests.size(), 3u);
    for (const WarpRequest& r : run.trace.requests) EXPECT_EQ(r.block, 0);
    EXPECT_EQ(run.trace.warps, 41);
    EXPECT_EQ(run.out[0], 1);
  }
}

#undef KERNEL

}  // namespace
}  // namespace warpscope

#endif
