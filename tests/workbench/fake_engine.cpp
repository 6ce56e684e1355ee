// tests/workbench/fake_engine.cpp: an engine that behaves, or not, as its first argument says.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "profiling/engine/job_queue.h"
#include "profiling/protocol.h"
#include "profiling/session.h"
#include "scenes/registry.h"

// fake_engine MODE [LOG]: where there is a LOG, a line “start” and a line “job N” for every job
// read are appended to it. With no mode (an option stands in its place) the mode is
// $FAKE_ENGINE_MODE.
//
// Modes: "good" answers every job with a synthetic time; "slow" does so in 0.3 s each and lets
// newer jobs replace older ones as the real engine does, and it dies as "dies" does; "replays" is
// as slow as an H200 in a drag and answers with what the session $FAKE_ENGINE_SESSION has of the
// job's variant, whatever the configuration, so that a window has as much to draw; "hangs" begins
// the first job and never answers; "stubborn" hangs and ignores SIGTERM; "dies" ends in the middle
// of every job of variant warp_row_zero_test and is good to others; "crashes" ends right after its
// hello; "wrong" is good, and the output of variant warp_row_zero_test wrong; "bare" has no device;
// "garbage" talks nonsense first; "mute" never says hello; "future" speaks a newer protocol.

namespace {

using namespace warpscope;

void say(const Message& message) { std::cout << to_line(message) + "\n" << std::flush; }

// Warm it takes 1 µs, in which the model moves 1 MB: 1000 GB/s, half of the synthetic roof.
Measurement synthetic(const Job& job) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  if (const Result<const Scene*> scene = find_scene(job.scene)) {
    if (auto axes = with_values((*scene)->axes, default_configuration((*scene)->axes), job.axes)) {
      m.axes = *axes;
      m.key = configuration_key((*scene)->axes, *axes);
    }
  }
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {999, 1000, 1001}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", 1000, Origin::measured, "", ""},
               {"model.dram_bytes", 1e6, Origin::modelled, "", ""},
               {"model.flops", 1e6, Origin::modelled, "", ""}};
  m.conditions.device = "synthetic device";
  return m;
}

// What was recorded of the variant first, said to be of the job's configuration.
std::optional<Measurement> replayed(const Job& job, const Session& recorded) {
  for (const Measurement& before : recorded.history()) {
    if (before.scene != job.scene || before.variant != job.variant) continue;
    Measurement m = before;
    m.job = job.job;
    const Measurement asked = synthetic(job);
    m.axes = asked.axes;
    m.key = asked.key;
    return m;
  }
  return std::nullopt;
}

void answer(const Job& job, const Session& recorded = {}, bool wrong = false) {
  if (job.kind == JobKind::roofs && recorded.roofs() != nullptr) {
    say(*recorded.roofs());
  } else if (const std::optional<Measurement> m = replayed(job, recorded)) {
    say(*m);
  } else if (job.kind == JobKind::roofs) {
    RoofSet set;
    set.roofs = {{Level::dram, 2e12, "B/s", "synthetic"}};
    set.conditions.device = "synthetic device";
    say(set);
  } else {
    Measurement made = synthetic(job);
    if (wrong && job.variant == "warp_row_zero_test") {
      made.verdict = {Outcome::wrong, "c[3, 4] is 7 and not 8", "", 12.5, 3, 100};
      made.warm.reset();
      made.metrics.clear();
    }
    say(made);
  }
  say(Done{job.job});
}

[[noreturn]] void die() { ::_exit(9); }

// The real engine's queue with a worker that takes its time.
void work_slowly(JobQueue& queue, bool patient, std::chrono::milliseconds each,
                 const Session& recorded) {
  while (std::optional<Job> job = queue.pop()) {
    say(Progress{job->job, 0, "begun"});
    const auto start = std::chrono::steady_clock::now();
    while (!(patient && queue.interrupted()) && std::chrono::steady_clock::now() - start < each)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (patient && job->variant == "warp_row_zero_test") die();
    const bool cancelled = queue.cancelled(), replaced = patient && queue.interrupted();
    queue.finish();
    if (cancelled || replaced) {
      say(Done{job->job, cancelled ? DoneStatus::cancelled : DoneStatus::replaced});
    } else {
      answer(*job, recorded);
    }
  }
  ::_exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  std::string mode = count > 1 ? arguments[1] : "good";
  if (mode.starts_with("--")) {
    const char* variable = std::getenv("FAKE_ENGINE_MODE");
    mode = variable != nullptr ? variable : "good";
  }
  std::ofstream log;
  if (count > 2 && arguments[1][0] != '-') log.open(arguments[2], std::ios::app);
  log << "start" << std::endl;
  if (mode == "mute") {
    std::this_thread::sleep_for(std::chrono::seconds(60));
    return 0;
  }
  if (mode == "stubborn") ::signal(SIGTERM, SIG_IGN);
  if (mode == "garbage") std::cout << "Segmentation fault (core dumped)\n{\"type\":" << std::endl;
  Hello hello;
  hello.role = "measure";
  hello.process = ::getpid();
  if (mode == "bare") {
    hello.capabilities = {{"cuda", false, "", "there is no GPU", "use a machine with one"}};
  } else {
    hello.device = DeviceDescription{"synthetic device"};
  }
  if (mode == "future") hello.protocol = protocol_version + 1;
  say(hello);
  if (mode == "crashes") return 7;
  JobQueue queue;
  std::thread worker;
  Session recorded;
  const bool queues = mode == "slow" || mode == "replays";
  if (mode == "replays") {
    const char* path = std::getenv("FAKE_ENGINE_SESSION");
    Result<SessionReading> reading = read_session(path == nullptr ? "" : path);
    if (!reading) {
      std::cerr << sentence(reading.error()) << std::endl;
      return exit_status(reading.error().kind);
    }
    recorded = std::move(reading->session);
  }
  if (queues) {
    // 20 ms: the median from a slider's move to a new point was 31 ms on an H200, the window's
    // part included.
    constexpr std::chrono::milliseconds kSlow{300}, kAsAnH200{20};
    worker = std::thread([&queue, &recorded, slow = mode == "slow"] {
      work_slowly(queue, slow, slow ? kSlow : kAsAnH200, recorded);
    });
  }
  bool hangs = false;
  std::string line;
  while (std::getline(std::cin, line)) {
    const Result<Message> message = parse_line(line);
    if (!message) continue;
    if (const auto* cancel = std::get_if<Cancel>(&*message); cancel != nullptr && queues) {
      if (const std::optional<Job> taken = queue.cancel(cancel->job))
        say(Done{taken->job, DoneStatus::cancelled});
    }
    if (!std::holds_alternative<Job>(*message)) continue;
    const Job& job = std::get<Job>(*message);
    log << "job " << job.job << std::endl;
    if (queues) {
      if (const std::optional<Job> replaced = queue.push(job))
        say(Done{replaced->job, DoneStatus::replaced});
      continue;
    }
    if (hangs) continue;
    if (mode == "bare") {
      say(Done{job.job, DoneStatus::failed,
               Error{ErrorKind::environment, "there is no GPU", "cuda", "use a machine with one"}});
      continue;
    }
    say(Progress{job.job, 0, "begun"});
    hangs = mode == "hangs" || mode == "stubborn";
    if (hangs) continue;
    if (mode == "dies" && job.variant == "warp_row_zero_test") die();
    answer(job, {}, mode == "wrong");
  }
  if (hangs) std::this_thread::sleep_for(std::chrono::seconds(60));  // even without a workbench
  queue.close();
  if (worker.joinable()) worker.join();
  return 0;
}
