// tests/emulator/thread_race_test.cpp: threads of one block that race for a word of global memory
// are found, and warps that trust volatile; ordered ones are not blamed.
#include <algorithm>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A body that uses int* x of 256 elements with x[k] = k, int* y of 512, its thread t, and n = 0.
// A race is found at the later of two accesses that meet at an element of y: which that is, the
// order of warps decides, and both lines have the mark BUG.
struct Body {
  const char* name;
  const char* text;
  const char* words = "";  // of the sentence
  std::int64_t threads = 64;
};

constexpr const char* kHead =
    "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n  int t = threadIdx.x;\n";

const Body kRaces[] = {
    {"two lanes write a word", "y[t / 2] = x[t];  // BUG",
     "stores another value in the same instruction"},
    {"all threads write a word", "y[3] = t;  // BUG", "stores another value"},
    {"two warps write a word", "y[t & 31] = x[t];  // BUG",
     "which thread (0, 0, 0) also accesses, without a barrier between them"},
    {"a word of the other warp is read without a barrier",
     "y[t] = x[t];  // BUG\n  y[128 + t] = y[(t + 32) & 63];  // BUG",
     "without a barrier between them"},
    {"a word of another lane is read without __syncwarp",
     "y[t] = x[t];\n  y[128 + t] = y[t ^ 1];  // BUG",
     "of the same warp also accesses, without __syncwarp between them"},
    {"a word of the next lane is overwritten without __syncwarp",
     "int v = y[t + 1];\n  asm volatile(\"\" : \"+r\"(v));\n  y[t] = v + 1;  // BUG",
     "of the same warp also accesses, without __syncwarp", 32},
    {"a word that another warp read is overwritten",
     "int v = y[(t + 32) & 63];  // BUG\n  asm volatile(\"\" : \"+r\"(v));\n  y[t] = v + 1 + t;  "
     "// BUG",
     "without a barrier between them"},
    {"a sum without a barrier after the first step",
     "y[t] = x[t];\n  __syncthreads();\n  for (int d = 64; d > 0; d /= 2) {\n"
     "    if (t < d) y[t] += y[t + d];  // BUG\n  }",
     "also accesses, without", 128},
    {"a sum of columns in vectors",
     "((int4*)y)[t] = make_int4(t, t, t, t);\n  y[256 + t] = y[4 * t + 4];  // BUG",
     "of the same warp also accesses, without __syncwarp", 32},
    {"rows that do not begin at a line",
     "y[5 + t] = x[t];  // BUG\n  y[256 + t] = y[5 + ((t + 40) & 63)];  // BUG",
     "also accesses, without"},
    {"a row that is cleared while others add to it",
     "if (t < 32) y[t] = 5;  // BUG\n  atomicAdd(y + (t & 31), 1);  // BUG",
     "also accesses, without"},
    {"a row that is stored over what atomics of others wrote",
     "if (t < 32) atomicAdd(y + t, 1);  // BUG\n  else y[t & 31] = 70 + t;  // BUG",
     "also accesses, without"},
    {"a histogram without atomics", "y[x[t] % 7] += 1;  // BUG", "also accesses, without"},
    {"a fence does not make a reader wait for the other warp",
     "y[t] = x[t];  // BUG\n  if (t < 32) __threadfence();\n  y[128 + t] = y[(t + 32) & 63];  // "
     "BUG",
     "without a barrier between them"},
};

const Body kOrdered[] = {
    {"a word for each thread", "y[t] = x[t]; y[t] += 1; y[t + 64] = y[t] * 2;"},
    {"a barrier before the other warp's words",
     "y[t] = x[t]; __syncthreads(); y[128 + t] = y[(t + 32) & 63];"},
    {"__syncwarp before the other lane's word",
     "y[t] = x[t]; __syncwarp(); y[128 + t] = y[t ^ 1];"},
    {"a shuffle before the other lane's word",
     "y[t] = x[t]; int v = __shfl_sync(~0u, t, 3); y[128 + t] = y[t ^ 1] + v;"},
    {"one value by all lanes", "y[3] = n + 5;"},
    {"one value by all lanes under a test", "if (x[t] % 3 == 1) y[9] = 1;"},
    {"one value by two warps, with different paths",
     "if (t & 1) y[x[t] & 31] = n + 1; else y[x[t] & 31] = n + 1;"},
    {"atomics", "atomicAdd(y + (t & 3), 1); atomicMax(y + 8, t);"},
    {"rows of atomics by every warp",
     "atomicAdd(y + (t & 31), 1); atomicAdd(y + 32 + (t & 31), y[t & 31] == 99);"},
    {"atomics after a barrier", "if (t < 4) y[t] = 0; __syncthreads(); atomicAdd(y + (t & 3), 1);"},
    {"a sum with barriers",
     "y[t] = x[t]; __syncthreads(); for (int d = 32; d > 0; d /= 2) { if (t < d) y[t] += y[t + d];"
     "__syncthreads(); }"},
    {"a row in vectors and again in words of the same threads",
     "((int4*)y)[t] = make_int4(t, 0, 1, 2); int s = 0; for (int k = 0; k < 4; ++k) s += y[4 * t + "
     "k];"
     "y[4 * t] = s;"},
    {"rows of many shapes with barriers",
     "for (int k = 0; k < 5; ++k) { y[k + t] = t + k; __syncthreads(); }"},
    {"a lock between lanes and warps",
     "for (bool done = false; !done;) { if (atomicCAS(y + 300, 0, 1) == 0) { __threadfence(); "
     "y[301] += t;"
     "__threadfence(); atomicExch(y + 300, 0); done = true; } }"},
    {"a flag of the first warp for the second",
     "if (t < 32) { y[t] = x[t]; __threadfence_block(); __syncwarp(); if (t == 0) atomicExch(y + "
     "300, 1); }"
     "else { while (atomicAdd(y + 300, 0) == 0) {} __threadfence_block(); y[128 + t] = y[t - 32]; "
     "}"},
    {"an early way out before an atomic", "if (y[t & 3] < t) atomicMax(y + (t & 3), t);"},
    {"columns of a matrix", "for (int r = 0; r < 4; ++r) y[t / 8 + 8 * (t % 8) + 64 * r] = t;"},
    {"bytes", "((char*)y)[t] = t; ((char*)y)[t] += 1;"},
};

Trace run_body(const std::string& ptx, std::int64_t threads) {
  std::vector<std::int32_t> x(256), y(512, 0);
  for (int k = 0; k < 256; ++k) x[static_cast<std::size_t>(k)] = k;
  Bench bench;
  bench.add("x", x);
  bench.add("y", y);
  bench.pass(0);
  return bench.run(ptx, launch_of(1, threads));
}

// Whether a line of the text has the mark BUG.
bool is_marked(const std::string& text, int line) {
  std::size_t at = 0;
  for (int k = 1; k < line; ++k) at = text.find('\n', at) + 1;
  return text.substr(at, text.find('\n', at) - at).find("// BUG") != std::string::npos;
}

TEST(ThreadRaces, ThoseOfGlobalMemoryInABlockAreFoundAtTheirLine) {
  for (const Body& body : kRaces) {
    SCOPED_TRACE(body.name);
    const std::string text = kHead + std::string(body.text) + "\n}";
    WARPSCOPE_COMPILE(ptx, text);
    const Trace trace = run_body(ptx, body.threads);
    ASSERT_FALSE(trace.faults.empty());
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::global_race) << f.sentence;
      EXPECT_TRUE(is_marked(text, f.position.line)) << f.sentence;
      EXPECT_EQ(f.buffer, "y") << f.sentence;
    }
    EXPECT_NE(faults_text(trace).find(body.words), std::string::npos) << faults_text(trace);
  }
}

TEST(ThreadRaces, OrderedThreadsAndEqualValuesAreNotBlamed) {
  for (const Body& body : kOrdered) {
    SCOPED_TRACE(body.name);
    WARPSCOPE_COMPILE(ptx, kHead + std::string(body.text) + "\n}");
    EXPECT_EQ(faults_text(run_body(ptx, body.threads)), "");
  }
}

TEST(ThreadRaces, BothThreadsAndTheElementAreNamed) {
  WARPSCOPE_COMPILE(ptx,
                    kHead + std::string("if (t == 5) y[17] = 1;\n if (t == 44) y[17] = 2;\n}"));
  const Trace trace = run_body(ptx, 64);
  ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
  EXPECT_EQ(trace.faults[0].index, 17);
  EXPECT_EQ(trace.faults[0].thread.x, 44);
  EXPECT_NE(trace.faults[0].sentence.find("y[17], which thread (5, 0, 0) also accesses"),
            std::string::npos)
      << trace.faults[0].sentence;
}

TEST(ThreadRaces, TheyCanBeSwitchedOff) {
  for (const Body& body : kRaces) {
    WARPSCOPE_COMPILE(ptx, kHead + std::string(body.text) + "\n}");
    std::vector<std::int32_t> x(256), y(512, 0);
    Bench bench;
    bench.add("x", x);
    bench.add("y", y);
    bench.pass(0);
    bench.options.check_races = false;
    EXPECT_EQ(faults_text(bench.run(ptx, launch_of(1, body.threads))), "") << body.name;
  }
}

// The last steps of a block's sum, in shared memory. Since Volta the lanes of a warp run apart, and
// volatile does not order them (CUDA C++ Programming Guide, "Independent Thread Scheduling").
struct WarpSum {
  const char* name;
  const char* type;  // of the shared array
  const char* steps;
  bool races;
};
const WarpSum kWarpSums[] = {
    {"volatile, one line for each step", "volatile int",
     "if (t < 32) { s[t] += s[t + 32];\n s[t] += s[t + 16];  // BUG\n }", true},
    {"volatile, fewer lanes in each step", "volatile int",
     "int m = s[t]; if (t < 16) s[t] = m = m + s[t + 16];\n if (t < 8) s[t] = m = m + s[t + 8];  "
     "// BUG",
     true},
    {"volatile, a loop", "volatile int",
     "if (t < 32)\n for (int d = 32; d > 0; d /= 2) s[t] += s[t + d];  // BUG", true},
    {"volatile doubles", "volatile double",
     "if (t < 16) s[t] += s[t + 16];\n if (t < 8) s[t] += s[t + 8];  // BUG", true},
    {"volatile with __syncwarp", "volatile int",
     "int m = s[t]; if (t < 32) for (int d = 16; d > 0; d /= 2) { m += s[t + d]; __syncwarp(); "
     "s[t] = m;"
     "__syncwarp(); }",
     false},
    {"volatile with shuffles", "volatile int",
     "int m = s[t]; for (int d = 16; d > 0; d /= 2) m += __shfl_down_sync(~0u, m, d); s[t] = m;",
     false},
    {"a volatile word of each lane's own", "volatile int",
     "for (int k = 0; k < 3; ++k) s[t] = s[t] + k;", false},
    {"relaxed atomics between lanes", "int", "atomicAdd(&s[t & 15], 1); atomicAdd(&s[t & 7], 1);",
     false},
    {"a volatile flag between warps", "volatile int",
     "if (t == 40) s[90] = 1; if (t < 32) while (s[90] == 0) {}", false},
};

TEST(ThreadRaces, VolatileOrdersWarpsThatSpinButNotTheLanesOfAWarp) {
  for (const WarpSum& sum : kWarpSums) {
    SCOPED_TRACE(sum.name);
    const std::string text = kHead + std::string("__shared__ ") + sum.type +
                             " s[96]; s[t] = x[t]; if (t < 32) s[64 + t] = 0; __syncthreads();\n" +
                             sum.steps + "\n__syncthreads(); y[t] = s[t];\n}";
    WARPSCOPE_COMPILE(ptx, text);
    const Trace trace = run_body(ptx, 64);
    EXPECT_EQ(!trace.faults.empty(), sum.races) << faults_text(trace);
    for (const Fault& f : trace.faults) {
      EXPECT_EQ(f.kind, FaultKind::shared_race) << f.sentence;
      EXPECT_TRUE(is_marked(text, f.position.line)) << f.sentence;
      EXPECT_NE(f.sentence.find("without __syncwarp between them: volatile does not order lanes"),
                std::string::npos)
          << f.sentence;
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif
