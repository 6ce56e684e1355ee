// tests/workbench/client/engine_process_test.cpp: long lines to an engine.
#include "workbench/client/engine_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "scenes/host/clock.h"
#include "workbench/client/process_memory.h"

namespace warpscope {
namespace {

// A capture goes to an engine in one line of up to 170 MB.
TEST(EngineProcess, KeepsNoRoomOfALongLineThatWasSent) {
  constexpr std::size_t kBytes = 64 << 20;
  EngineProcess process;
  ASSERT_EQ(process.start({"/bin/sh", "-c",
                           "head -c " + std::to_string(kBytes) +
                               " > /dev/null; echo received; "
                               "cat > /dev/null"}),
            0);
  const std::int64_t before = own_bytes(::getpid()).value();
  process.send(LogLine{"info", std::string(kBytes, 'x'), 0});
  bool received = false;
  const auto begun = std::chrono::steady_clock::now();
  while (!received && seconds_since(begun) < 60) {
    process.flush();
    process.read_lines(EngineProcess::kNoLimitS,
                       [&](std::string_view line) { received |= line == "received"; });
    ::usleep(1000);
  }
  ASSERT_TRUE(received);
  // What follows the bytes that were counted.
  for (int turn = 0; turn < 10; ++turn) {
    process.flush();
    ::usleep(1000);
  }
  EXPECT_LT(own_bytes(::getpid()).value() - before, static_cast<std::int64_t>(kBytes / 4));
}

}  // namespace
}  // namespace warpscope
