// tests/emulator/block_race_test.cpp: blocks that race for a word are found, hand-overs not blamed.
#include "tests/emulator/waiting_blocks.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

struct Race {
  const char* name;
  std::int64_t blocks, threads;
  const char* buffer;
  std::int64_t index;
  std::int64_t block, other;  // the one that is blamed, and the one it met
  const char* text;           // with the marks BUG and OTHER
};

#define KERNEL "extern \"C\" __global__ void k(int* data, int* flag, int* out, int n) {\n"
// Block 1 hands over to block 0, or means to.
#define HAND_OVER(store, wait)                                                         \
  KERNEL                                                                               \
  "  int t = threadIdx.x;\n  if (blockIdx.x == 1) {\n" store "    return;\n  }\n" wait \
  "  out[t] = data[64 + t];  // BUG\n}"

const Race kRaces[] = {
    {"no fence before the flag", 2, 32, "data", 64, 0, 1,
     HAND_OVER("    data[64 + t] = 5;  // OTHER\n    if (t == 0) atomicExch(flag, 1);\n",
               "  while (atomicAdd(flag, 0) == 0) {}\n  __threadfence();\n")},
    {"a fence of the block only", 2, 32, "data", 64, 0, 1,
     HAND_OVER("    data[64 + t] = 5;  // OTHER\n    __threadfence_block();\n"
               "    if (t == 0) atomicExch(flag, 1);\n",
               "  while (atomicAdd(flag, 0) == 0) {}\n  __threadfence();\n")},
    {"a fence too early", 2, 32, "data", 64, 0, 1,
     HAND_OVER("    __threadfence();\n    data[64 + t] = 5;  // OTHER\n"
               "    if (t == 0) atomicExch(flag, 1);\n",
               "  while (atomicAdd(flag, 0) == 0) {}\n  __threadfence();\n")},
    {"no barrier between the other warps and the fence of one", 2, 64, "data", 96, 0, 1,
     HAND_OVER("    data[64 + t] = 5;  // OTHER\n"
               "    if (t == 0) { __threadfence(); atomicExch(flag, 1); }\n",
               "  while (atomicAdd(flag, 0) == 0) {}\n  __threadfence();\n")},
    {"data before the flag was looked at", 2, 32, "data", 64, 1, 0,
     KERNEL "  int t = threadIdx.x;\n  if (blockIdx.x == 1) {\n    data[64 + t] = 5;  // BUG\n"
            "    __threadfence();\n    if (t == 0) atomicExch(flag, 1);\n    return;\n  }\n"
            "  int x = data[64 + t];  // OTHER\n  asm volatile(\"\" : \"+r\"(x));\n"
            "  while (atomicAdd(flag, 0) == 0) {}\n  out[t] = x;\n}"},
    {"a plain flag", 2, 32, "flag", 0, 0, 1,
     KERNEL
     "  if (threadIdx.x != 0) return;\n  if (blockIdx.x == 1) {\n    data[64] = 5;\n"
     "    __threadfence();\n    *flag = 1;  // OTHER\n    return;\n  }\n"
     "  while (*(volatile int*)flag == 0) {}  // BUG\n  __threadfence();\n  out[0] = data[64];\n}"},
    {"one word, different values", 2, 32, "out", 3, 1, 0,
     KERNEL "  if (threadIdx.x == 3) out[3] = blockIdx.x;  // BUG OTHER\n}"},
    {"the halo of a neighbour, in place", 2, 64, "data", 64, 1, 0,
     KERNEL
     "  int i = blockIdx.x * 64 + threadIdx.x;\n"
     "  int x = data[i] + data[i + 1];  // OTHER\n  __syncthreads();\n  data[i] = x;  // BUG\n}"},
    {"the halo on the other side", 2, 64, "data", 63, 1, 0,
     KERNEL "  int i = blockIdx.x * 64 + threadIdx.x;\n"
            "  int x = data[i] + data[i > 0 ? i - 1 : 0];  // BUG\n  __syncthreads();\n"
            "  data[i] = x;  // OTHER\n}"},
    {"a histogram without atomics", 2, 1, "out", 2, 1, 0,
     KERNEL "  int bin = data[blockIdx.x * 8 + 1] % 8;\n  out[bin] += 1;  // BUG OTHER\n}"},
    {"a counter that one block clears while others add", 3, 32, "out", 9, 1, 0,
     KERNEL "  if (blockIdx.x == 0 && threadIdx.x == 0) out[9] = 0;  // OTHER\n  __syncthreads();\n"
            "  atomicAdd(out + 9, 1);  // BUG\n}"},
    {"the last block without a fence", 4, 32, "out", 64, 3, 0,
     KERNEL
     "  if (threadIdx.x != 0) return;\n  out[64 + blockIdx.x] = data[blockIdx.x];  // OTHER\n"
     "  if (atomicAdd(flag, 1) != gridDim.x - 1) return;\n  int sum = 0;\n"
     "#pragma unroll 1\n  for (int b = 0; b < 4; ++b) sum += out[64 + b];  // BUG\n  data[4000] = "
     "sum;\n}"},
    {"a store into the part of the next block", 2, 32, "out", 32, 1, 0,
     KERNEL "  int i = blockIdx.x * 32 + threadIdx.x;\n  out[i] = i;  // BUG\n"
            "  if (threadIdx.x == 31) out[i + 1] = -7;  // OTHER\n}"},
};

TEST(BlockRaces, PlantedRacesAreFoundWithBothLinesAndBlocks) {
  for (const Race& race : kRaces) {
    SCOPED_TRACE(race.name);
    WARPSCOPE_COMPILE(ptx, race.text);
    WaitingRun run;
    run_waiting(ptx, race.blocks, race.threads, run);
    const std::string text = race.text;
    const bool same_line = text.find("// BUG OTHER") != std::string::npos;
    const int bug = line_with(text, "BUG");
    const int other = same_line ? bug : line_with(text, "OTHER");
    const Fault* found = nullptr;
    for (const Fault& f : run.trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::block_race) << f.sentence;
      if (found == nullptr && f.position.line == bug) found = &f;
    }
    ASSERT_NE(found, nullptr) << faults_text(run.trace);
    EXPECT_EQ(found->buffer, race.buffer) << found->sentence;
    EXPECT_EQ(found->index, race.index) << found->sentence;
    EXPECT_EQ(found->block.x, race.block) << found->sentence;
    const std::string met = race.buffer + ("[" + std::to_string(race.index)) + "], which block (" +
                            std::to_string(race.other) + ", 0, 0) ";
    EXPECT_NE(found->sentence.find(met), std::string::npos) << found->sentence;
    EXPECT_NE(found->sentence.find(" at test.cu:" + std::to_string(other) + ","), std::string::npos)
        << found->sentence;
  }
}

TEST(BlockRaces, TheyCanBeSwitchedOff) {
  for (const Race& race : kRaces) {
    SCOPED_TRACE(race.name);
    WARPSCOPE_COMPILE(ptx, race.text);
    WaitingRun run;
    EmulateOptions options;
    options.check_block_races = false;
    run_waiting(ptx, race.blocks, race.threads, run, options);
    EXPECT_EQ(faults_text(run.trace), "");
  }
}

TEST(BlockRaces, SeveralThreadsOfTheHostFindThemToo) {
  for (const Race& race : kRaces) {
    SCOPED_TRACE(race.name);
    WARPSCOPE_COMPILE(ptx, race.text);
    WaitingRun run;
    EmulateOptions options;
    options.threads = 2;
    run_waiting(ptx, race.blocks, race.threads, run, options);
    bool found = false;
    for (const Fault& f : run.trace.faults) found = found || f.kind == FaultKind::block_race;
    EXPECT_TRUE(found);
  }
}

TEST(BlockRaces, ASampleSaysThatItIsOne) {
  const std::string text = KERNEL "  if (threadIdx.x == 3) out[3] = blockIdx.x;\n}";
  WARPSCOPE_COMPILE(ptx, text);
  WaitingRun run;
  EmulateOptions options;
  options.blocks = {2, 6};
  run_waiting(ptx, 8, 32, run, options);
  ASSERT_EQ(run.trace.faults.size(), 1u) << faults_text(run.trace);
  EXPECT_EQ(run.trace.faults[0].sentence,
            "test.cu:2: st.global.u32 writes out[3], which block (2, 0, 0) writes at test.cu:2, "
            "and nothing orders the two: use an atomic, or __threadfence and a flag; only 2 blocks "
            "of the grid were run and compared (block (6, 0, 0), thread (3, 0, 0))");
}

// Kernels without a word for two blocks, some of whose accesses share lines and words.
const char* const kApart[] = {
    "  int i = blockIdx.x * 48 + threadIdx.x; if (threadIdx.x < 48) out[i] = data[i];\n",
    "  int i = blockIdx.x * 64 + threadIdx.x; ((unsigned char*)out)[i * 3 + 1] = i;\n",
    "  int i = threadIdx.x * gridDim.x + blockIdx.x; out[i] = data[i + 1];\n",
    "  int i = blockIdx.x * 64 + threadIdx.x; out[i] = data[(i + 64) % 512];\n",
    "  int i = blockIdx.x * 64 + threadIdx.x; ((int4*)out)[i] = ((int4*)data)[i];\n",
    "  int i = blockIdx.x * 64 + threadIdx.x; out[i] = 1; __syncthreads(); out[i ^ 63] += 2;\n",
    "  if (flag[4] == 0) atomicMax(flag + 4, (int)blockIdx.x); out[blockIdx.x] = 1;\n",
    "  if (threadIdx.x == 0) out[blockIdx.x] = atomicAdd(flag, 1);\n",
};

TEST(BlockRaces, BlocksThatKeepApartAreNotBlamed) {
  for (const char* body : kApart) {
    SCOPED_TRACE(body);
    WARPSCOPE_COMPILE(ptx, KERNEL + std::string(body) + "}");
    WaitingRun run;
    run_waiting(ptx, 8, 64, run);
    EXPECT_EQ(faults_text(run.trace), "");
  }
}

// Kernels whose blocks store the same values to the same words. Only the first store of each word
// changes it: every word is a chance for two threads of the host to meet there.
const char* const kSameValues[] = {
    "  if (threadIdx.x == 40) out[blockIdx.x / 8] = 1;\n",
    "  ((long long*)out)[blockIdx.x / 256 * 32 + threadIdx.x % 32] = threadIdx.x % 32;\n",
    "  out[blockIdx.x / 256 * 32 + 31 - threadIdx.x % 32] = 1;\n",
    "  if (blockIdx.x % 2 == 0) out[blockIdx.x / 8] = 1;\n"
    "  else atomicExch(out + blockIdx.x / 8, 1);\n",
};

TEST(BlockRaces, StoresOfOneValueAreNoneOnSeveralThreadsOfTheHost) {
  for (const char* body : kSameValues) {
    SCOPED_TRACE(body);
    WARPSCOPE_COMPILE(ptx, KERNEL + std::string(body) + "}");
    WaitingRun run;
    EmulateOptions options;
    options.threads = 4;
    run_waiting(ptx, 16384, 64, run, options);
    EXPECT_EQ(faults_text(run.trace), "");
  }
}

#undef HAND_OVER
#undef KERNEL

}  // namespace
}  // namespace warpscope

#endif
