// tests/workbench/serve/serve_memory_test.cpp: many answers take no more memory than what serve may
// keep of them.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/workbench/serve/served.h"
#include "workbench/client/process_memory.h"

namespace warpscope {
namespace {

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
  const std::int64_t kib = own_bytes(served.process()).value() >> 10;
  EXPECT_GT(kib, 64 << 10) << "what came is kept";
  EXPECT_LT(kib, 150 << 10) << "what came first is let go";
}

// Processes that it started and that have not ended.
std::set<std::string> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream file("/proc/" + id + "/task/" + id + "/children");
  return {std::istream_iterator<std::string>(file), {}};
}

// The engine keeps 64 MB of each job: it is started anew before the sixth one after its first.
TEST_F(Serve, StartsAnEngineAnewThatGrows) {
  Served served(
      {}, {{"WARPSCOPE_ENGINE", built_program("fake_engine")}, {"FAKE_ENGINE_MODE", "grows"}});
  std::vector<std::set<std::string>> engines;
  for (int n = 1; n <= 8; ++n) {
    const auto said = served.ask(
        {{"request", "measure"}, {"variant", "csrmm/float4_columns"}, {"axes", {{"n", 4 * n}}}});
    ASSERT_EQ(said["ok"], true) << said;
    ASSERT_EQ(said["result"]["points"].size(), 1u) << said;
    engines.push_back(children_of(served.process()));
  }
  ASSERT_EQ(engines.front().size(), 1u);
  EXPECT_EQ(engines[4], engines.front());
  EXPECT_NE(engines[7], engines.front());
}

}  // namespace
}  // namespace warpscope
