// tests/emulator/corpus/driver_calls_test.cpp: what the driver brings to kernels (printf, assert,
// malloc), and functions that call themselves, as PTX and as machine code.
#ifdef WARPSCOPE_WITH_COMPILER
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/emulator/corpus/corpus_code.h"

namespace warpscope {
namespace {

using testing::HasSubstr;

constexpr const char* kText = R"(
extern "C" __device__ int printf(const char*, ...);
extern "C" __global__ void says(const int* x, int* out, int n) {
  if (threadIdx.x % 2 == 1 && threadIdx.x < 4)
    out[threadIdx.x] = printf("%d of %d: %.2f\n", x[threadIdx.x], n, 0.5 * threadIdx.x) > 0;
}
extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);
extern "C" __global__ void holds(const int* x, int* out, int n) {
  if (x[threadIdx.x] > n) __assertfail("x <= n", "test.cu", 13, "holds", 1);
  out[threadIdx.x] = 1;
}
extern "C" __global__ void takes(const int* x, int* out, int n) {
  int* own = static_cast<int*>(malloc(2 * sizeof(int)));
  own[0] = x[threadIdx.x];
  own[1] = n;
  out[threadIdx.x] = own[0] + own[1];
  free(own);
}
__device__ __noinline__ int fibonacci(int k) {
  return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}
extern "C" __global__ void counts(const int* x, int* out, int n) {
  out[threadIdx.x] = fibonacci(x[threadIdx.x] % 8);
}
)";

struct Called {
  std::vector<int> out = std::vector<int>(32, -1);
  Trace trace;
};

Called run(const CorpusCode& code, const char* kernel, int n) {
  std::vector<int> x(32);
  for (int k = 0; k < 32; ++k) x[static_cast<std::size_t>(k)] = 3 * k;
  Called called;
  Bench bench;
  bench.add("x", x);
  bench.add("out", called.out);
  bench.pass(std::int32_t{n});
  Result<EmulatedRun> done = code.run(kernel, launch_of(1, 32), bench);
  if (!done) {
    ADD_FAILURE() << kernel << ": " << sentence(done.error());
    return called;
  }
  called.trace = std::move(done->trace);
  return called;
}

class DriverCalls : public testing::TestWithParam<EmulatedAs> {};

TEST_P(DriverCalls, DoWhatTheLanguageSays) {
  const Result<CorpusCode> code = CorpusCode::read("test.cu", kText, GetParam());
  if (!code && code.error().kind == ErrorKind::environment) GTEST_SKIP() << sentence(code.error());
  ASSERT_TRUE(code) << sentence(code.error());
  const Called says = run(*code, "says", 7);
  EXPECT_EQ(faults_text(says.trace), "");
  EXPECT_EQ(says.trace.printed, "3 of 7: 0.50\n9 of 7: 1.50\n");
  EXPECT_EQ(says.out[1], 1);
  EXPECT_EQ(says.out[0], -1);
  EXPECT_EQ(faults_text(run(*code, "holds", 93).trace), "");
  const Called fails = run(*code, "holds", 90);
  EXPECT_THAT(faults_text(fails.trace), HasSubstr("the assertion \"x <= n\" of line 13 failed"));
  EXPECT_EQ(fails.out[31], -1) << "its thread ends there";
  const Called takes = run(*code, "takes", 5), counts = run(*code, "counts", 0);
  EXPECT_EQ(faults_text(takes.trace) + faults_text(counts.trace), "");
  constexpr int kFibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int k = 0; k < 32; ++k) {
    const auto lane = static_cast<std::size_t>(k);
    EXPECT_EQ(takes.out[lane], 3 * k + 5);
    EXPECT_EQ(counts.out[lane], kFibonacci[3 * k % 8]);
  }
}

INSTANTIATE_TEST_SUITE_P(Ptx, DriverCalls, testing::Values(EmulatedAs::ptx));
INSTANTIATE_TEST_SUITE_P(MachineCode, DriverCalls, testing::Values(EmulatedAs::machine_code));

}  // namespace
}  // namespace warpscope
#endif
