// tests/emulator/unused_words_test.cpp: words that nobody wrote are named where they are used, and
// only there.
#include <numeric>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// A body that uses int* x of 128 elements with x[k] = k, int* y of 256 that nothing wrote, and its
// thread t.
struct Words {
  const char* name;
  const char* body;
  std::int64_t threads;
  const char* named;  // in the sentence; empty: nothing is wrong
};

const Words kWords[] = {
    {"three of four words in shared memory",
     "__shared__ __align__(16) int s[4]; if (t % 32 == 31) s[t / 32] = x[t]; __syncthreads();"
     "int4 v = *(int4*)s; y[t] = v.x + 2 * v.y + 3 * v.z;",
     96, ""},
    {"the middle word in shared memory",
     "__shared__ __align__(16) int s[4]; if (t < 4 && t != 2) s[t] = x[t]; __syncthreads();"
     "int4 v = *(int4*)s; y[t] = v.x + v.y + v.w;",
     32, ""},
    {"one of two doubles",
     "__shared__ __align__(16) double s[2]; if (t == 0) s[1] = 2; __syncthreads();"
     "double2 v = *(double2*)s; y[t] = (int)v.y;",
     32, ""},
    {"a vector whose words are all used",
     "__shared__ __align__(16) int s[4]; if (t < 3) s[t] = x[t]; __syncthreads();"
     "int4 v = *(int4*)s; y[t] = v.x + v.y + v.z + v.w;",
     32, "reads s[3], which was never written"},
    {"the first word of a vector that is used",
     "__shared__ __align__(16) int s[8]; if (t == 7) s[7] = 1; __syncthreads();"
     "int4 v = ((int4*)s)[1]; y[t] = v.z + v.w;",
     32, "reads s[6], which was never written"},
    {"a word of global memory between others that were written",
     "y[4 * t] = y[4 * t + 1] = y[4 * t + 3] = t; int4 v = ((int4*)y)[t];"
     "y[4 * t] = v.x + v.y + v.z + v.w;",
     32, "reads y[2], which was never written"},
    {"an unused word of global memory",
     "y[4 * t] = y[4 * t + 1] = y[4 * t + 3] = t; int4 v = ((int4*)y)[t]; y[4 * t] = v.x + v.y + "
     "v.w;",
     32, ""},
};

TEST(UnusedWords, AreNoUninitialisedReadsAndUsedOnesAreNamed) {
  for (const Words& words : kWords) {
    SCOPED_TRACE(words.name);
    WARPSCOPE_COMPILE(ptx,
                      "extern \"C\" __global__ void k(const int* x, int* y) {\n"
                      "  int t = threadIdx.x;\n" +
                          std::string(words.body) + "\n}");
    std::vector<std::int32_t> x(128), y(256);
    std::iota(x.begin(), x.end(), 0);
    Bench bench;
    bench.add("x", x);
    bench.add("y", y, false);
    const Trace trace = bench.run(ptx, launch_of(1, words.threads));
    if (words.named[0] == 0) {
      EXPECT_EQ(faults_text(trace), "");
      continue;
    }
    ASSERT_EQ(trace.faults.size(), 1u) << faults_text(trace);
    EXPECT_EQ(trace.faults[0].kind, FaultKind::uninitialised_read);
    EXPECT_NE(trace.faults[0].sentence.find(words.named), std::string::npos)
        << trace.faults[0].sentence;
  }
}

}  // namespace
}  // namespace warpscope

#endif
