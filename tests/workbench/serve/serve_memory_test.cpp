// tests/workbench/serve/serve_memory_test.cpp: many answers take no more memory than what serve may
// keep of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "tests/workbench/serve/served.h"

namespace warpscope {
namespace {

// Pages that are the process's own, without those of files.
std::int64_t own_kib(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  std::string word;
  std::int64_t kib = 0;
  while (status >> word) {
    if (word == "RssAnon:") status >> kib;
  }
  return kib;
}

// workbench/serve/README.md: 96 MiB of traces. 20 of 8 MiB are 160 MiB, and end at 184 MiB if all
// are kept.
TEST_F(Serve, KeepsNoMoreOfManyAnswersThanItsLimits) {
  Served served(
      {}, {{"WARPSCOPE_ENGINE", built_program("fake_engine")}, {"FAKE_ENGINE_MODE", "large"}});
  for (int n = 1; n <= 20; ++n) {
    const auto said = served.ask(
        {{"request", "trace"}, {"variant", "csrmm/float4_columns"}, {"axes", {{"n", n}}}});
    ASSERT_EQ(said["ok"], true) << said;
  }
  const std::int64_t kib = own_kib(served.process());
  EXPECT_GT(kib, 64 << 10) << "what came is kept";
  EXPECT_LT(kib, 150 << 10) << "what came first is let go";
}

}  // namespace
}  // namespace warpscope
