// tests/workbench/fake_engine.cpp: an engine that behaves, or not, as its first argument says.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "profiling/protocol.h"

// Modes: "good" answers every job with a synthetic time; "hangs" never answers; "dies" ends in the
// middle of the first job of variant warp_row_zero_test and is good to others; "garbage" talks
// nonsense first; "mute" never says hello; "future" speaks a newer protocol.

namespace {

using namespace warpscope;

void say(const Message& message) { std::cout << to_line(message) << std::endl; }

Measurement synthetic(const Job& job) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  m.key = "synthetic";
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {1000, 1001, 1002}};
  m.conditions.device = "synthetic device";
  return m;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string mode = count > 1 ? arguments[1] : "good";
  if (mode == "mute") {
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return 0;
  }
  if (mode == "garbage") std::cout << "Segmentation fault (core dumped)\n{\"type\":" << std::endl;
  Hello hello;
  hello.role = "measure";
  hello.process = ::getpid();
  hello.device = DeviceDescription{"synthetic device"};
  if (mode == "future") hello.protocol = protocol_version + 1;
  say(hello);
  std::string line;
  while (std::getline(std::cin, line)) {
    const Result<Message> message = parse_line(line);
    if (!message || !std::holds_alternative<Job>(*message)) continue;
    const Job& job = std::get<Job>(*message);
    if (mode == "hangs") continue;
    if (mode == "dies" && job.variant == "warp_row_zero_test") return 9;
    say(synthetic(job));
    say(Done{job.job});
  }
  return 0;
}
