// tests/emulator/waiting_blocks.h: kernels whose blocks wait for each other, rightly and wrongly.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "tests/emulator/fixture.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {

// Every kernel takes (int* data, int* flag, int* out, int n): data[i] = i + 1, flag zeros, out −1,
// 4096 of each; n is 4096.
inline constexpr int kWaitingElements = 4096;

struct WaitingRun {
  std::vector<int> data = std::vector<int>(kWaitingElements);
  std::vector<int> flag = std::vector<int>(kWaitingElements, 0);
  std::vector<int> out = std::vector<int>(kWaitingElements, -1);
  Trace trace;
};

inline void run_waiting(const std::string& ptx, std::int64_t blocks, std::int64_t threads,
                        WaitingRun& run, const EmulateOptions& options = {}) {
  for (int i = 0; i < kWaitingElements; ++i) run.data[static_cast<std::size_t>(i)] = i + 1;
  Bench bench;
  bench.options = options;
  bench.add("data", run.data);
  bench.add("flag", run.flag);
  bench.add("out", run.out);
  bench.pass(kWaitingElements);
  run.trace = bench.run(ptx, launch_of(blocks, threads));
}

// The number of the line that holds "// MARK".
inline int line_with(const std::string& text, const std::string& mark) {
  const std::size_t at = text.find("// " + mark);
  return at == std::string::npos
             ? 0
             : 1 + static_cast<int>(
                       std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

struct GoodKernel {
  const char* name;
  std::int64_t blocks, threads;
  int checked;                    // elements of out
  std::function<int(int)> value;  // of each
  const char* text;
};
const std::vector<GoodKernel>& good_waiting_kernels();

// Compiles each kernel of a list and runs it on one thread of the host and on three; `check` gets
// the kernel, its run, and the seconds that the run took.
template <typename Kernels, typename Check>
void run_each(const Kernels& kernels, EmulateOptions options, const Check& check) {
  for (const auto& kernel : kernels) {
    SCOPED_TRACE(kernel.name);
    WARPSCOPE_COMPILE(ptx, kernel.text);
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(std::to_string(threads) + " threads of the host");
      WaitingRun run;
      options.threads = threads;
      const auto start = std::chrono::steady_clock::now();
      run_waiting(ptx, kernel.blocks, kernel.threads, run, options);
      check(kernel, run,
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

inline void expect_right_outputs(const GoodKernel& kernel, const WaitingRun& run) {
  EXPECT_EQ(faults_text(run.trace), "");
  for (int i = 0; i < kernel.checked; ++i) {
    ASSERT_EQ(run.out[static_cast<std::size_t>(i)], kernel.value(i)) << i;
  }
}

}  // namespace warpscope

#endif
