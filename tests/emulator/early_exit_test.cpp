// tests/emulator/early_exit_test.cpp: barriers wait for threads that have not ended, wherever the
// others of their warp left.
#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A body that uses int* x of 128 elements with x[k] = k + 1, int* y, int n and its thread t; y[t]
// of the threads below n. source: CUDA C++ Programming Guide, __syncthreads(): "all non-exited
// threads".
struct EarlyExit {
  const char* name;
  const char* body;
  int (*expected)(int t, int n);
  std::int64_t threads = 64;
  int n = 40;
};

const EarlyExit kExits[] = {
    {"before a barrier",
     "__shared__ int s[64]; if (t >= n) return; s[t] = x[t]; __syncthreads(); y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }},
    {"after a store of its own",
     "__shared__ int s[64]; if (t >= n) { y[t] = 5; return; } s[t] = x[t]; __syncthreads();"
     "y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }},
    {"before barriers in a loop",
     "__shared__ int s[64]; if (t >= n) return; int sum = 0; for (int k = 0; k < 3; ++k) { s[t] = "
     "x[t] + k;"
     "__syncthreads(); sum += s[n - 1 - t]; __syncthreads(); } y[t] = sum;",
     [](int t, int n) { return 3 * (n - t) + 3; }},
    {"the body under the condition",
     "__shared__ int s[64]; if (t < n) { s[t] = x[t]; __syncthreads(); y[t] = s[n - 1 - t]; }",
     [](int t, int n) { return n - t; }},
    {"between two barriers",
     "__shared__ int s[64]; s[t] = x[t]; __syncthreads(); if (t >= n) return; int v = s[63 - t];"
     "__syncthreads(); s[t] = v; __syncthreads(); y[t] = s[n - 1 - t];",
     [](int t, int n) { return 64 - (n - 1 - t); }},
    {"by exit",
     "__shared__ int s[64]; if (t >= n) asm volatile(\"exit;\"); s[t] = x[t]; __syncthreads();"
     "y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }},
    {"one lane later than another",
     "y[t] = 0; for (int k = 0; k < 8; ++k) { if (t + 9 * k >= n + 63) return; y[t] += x[t];"
     "__syncthreads(); }",
     [](int t, int n) {
       int rounds = 0;
       while (rounds < 8 && t + 9 * rounds < n + 63) ++rounds;
       return rounds * (t + 1);
     }},
    {"before a count", "if (t >= n) return; y[t] = __syncthreads_count(x[t] > 3);",
     [](int, int n) { return n - 3; }},
    {"before a vote of all", "if (t >= n) return; y[t] = __syncthreads_and(x[t] > 0);",
     [](int, int) { return 1; }},
    {"before a barrier of a number of threads",
     "__shared__ int s[64]; if (t >= n) return; s[t] = x[t]; asm volatile(\"bar.sync 1, 64;\" ::: "
     "\"memory\");"
     "y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }},
    {"before __syncwarp",
     "__shared__ int s[64]; if (t >= n) return; s[t] = x[t]; __syncwarp(); y[t] = s[t ^ 1];",
     [](int t, int) { return (t ^ 1) + 1; }},
    {"in the only warp",
     "__shared__ int s[64]; if (t >= n) return; s[t] = x[t]; __syncthreads(); y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }, 32, 20},
    {"all threads of one warp and some of another",
     "__shared__ int s[96]; if (t >= n) return; s[t] = x[t]; __syncthreads(); y[t] = s[n - 1 - t];",
     [](int t, int n) { return n - t; }, 96},
};

Trace run_exit(const std::string& body, const std::string& ptx, std::vector<std::int32_t>& y,
               std::int64_t threads, int n) {
  SCOPED_TRACE(body);
  std::vector<std::int32_t> x(128);
  for (int k = 0; k < 128; ++k) x[static_cast<std::size_t>(k)] = k + 1;
  Bench bench;
  bench.add("x", x);
  bench.add("y", y);
  bench.pass(n);
  return bench.run(ptx, launch_of(1, threads));
}

constexpr const char* kHead =
    "extern \"C\" __global__ void k(const int* x, int* y, int n) {\n  int t = threadIdx.x;\n";

TEST(EarlyExits, BarriersWaitForTheThreadsThatAreLeft) {
  for (const EarlyExit& exits : kExits) {
    SCOPED_TRACE(exits.name);
    WARPSCOPE_COMPILE(ptx, kHead + std::string(exits.body) + "\n}");
    std::vector<std::int32_t> y(128, -7);
    const Trace trace = run_exit(exits.body, ptx, y, exits.threads, exits.n);
    EXPECT_EQ(faults_text(trace), "");
    for (int t = 0; t < exits.n; ++t) {
      EXPECT_EQ(y[static_cast<std::size_t>(t)], exits.expected(t, exits.n)) << t;
    }
  }
}

// Lanes that have not ended and are elsewhere are still missed.
TEST(EarlyExits, ABarrierInADivergentBranchIsNamed) {
  for (const char* body :
       {"if (t < n) { y[t] = 1; __syncthreads(); } y[t] = x[t];",
        "if (t < n) __syncthreads(); else { y[t] = 3; __syncthreads(); } y[t] = x[t];",
        "if (t >= n) { y[t] = 2; __syncthreads(); return; } __syncthreads(); y[t] = x[t];",
        "asm volatile(\"{.reg .pred p; setp.lt.s32 p, %0, %1; @p bar.sync 0;}\" :: \"r\"(t), "
        "\"r\"(n) : \"memory\"); y[t] = x[t];"}) {
    SCOPED_TRACE(body);
    WARPSCOPE_COMPILE(ptx, kHead + std::string(body) + "\n}");
    std::vector<std::int32_t> y(128, -7);
    const Trace trace = run_exit(body, ptx, y, 64, 40);
    bool named = false;
    for (const Fault& f : trace.faults) named = named || f.kind == FaultKind::divergent_barrier;
    EXPECT_TRUE(named) << faults_text(trace);
  }
}

// source: PTX ISA, "barrier": without .aligned, the threads of a warp need not be together.
TEST(EarlyExits, LanesComeOneByOneToABarrierThatIsNotAligned) {
  for (const char* body :
       {"__shared__ int s[64]; s[t] = x[t]; if (t < n) asm volatile(\"barrier.sync 0;\" ::: "
        "\"memory\"); else asm volatile(\"barrier.sync 0, 64;\" ::: \"memory\"); y[t] = s[63 - "
        "t];",
        "__shared__ int s[64]; s[t] = x[t]; asm volatile(\"{.reg .pred p; setp.lt.s32 p, %0, %1; "
        "@p barrier.sync 0; @!p barrier.sync 0;}\" :: \"r\"(t), \"r\"(n) : \"memory\"); y[t] = "
        "s[63 - t];"}) {
    SCOPED_TRACE(body);
    WARPSCOPE_COMPILE(ptx, kHead + std::string(body) + "\n}");
    std::vector<std::int32_t> y(128, -7);
    const Trace trace = run_exit(body, ptx, y, 64, 40);
    EXPECT_EQ(faults_text(trace), "");
    for (int t = 0; t < 64; ++t) EXPECT_EQ(y[static_cast<std::size_t>(t)], 64 - t) << t;
  }
}

}  // namespace
}  // namespace warpscope

#endif
