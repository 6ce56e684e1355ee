// tests/workbench/client/fake_engine.cpp: an engine that behaves, or not, as its first argument
// says.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>

#include "profiling/engine/process/conversation.h"
#include "profiling/messages/protocol.h"
#include "profiling/points/derive.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/profiling/access/synthetic_trace.h"

// fake_engine MODE [LOG]: where there is a LOG, a line “start” and a line “job N” for every job
// read are appended to it. With no mode (an option stands in its place) the mode is
// $FAKE_ENGINE_MODE.
//
// Modes: "good" answers every job with a synthetic time; "slow" does so in 0.3 s each and lets
// newer jobs replace older ones as the real engine does, and it dies as "dies" does; "replays" is
// as slow as an H200 in a drag and answers with what the session $FAKE_ENGINE_SESSION has of the
// job's variant, whatever the configuration, so that a window has as much to draw; "counts" has two
// steps in every variant, times them cold too, knows every term of the scene's model, and collects
// the counters that a job asks for, of each step and their sums, as the real engine does;
// "forbidden" is the same where counters may not be read; "traces" emulates: every variant is the
// synthetic trace, and of a step asked for alone B is said to be a stand-in; a job whose text has
// an #error fails; "large" does so with 8 MiB in each trace; "steps" emulates too, and gives a step
// that uses no shared memory, 0.2 s later the synthetic trace as a longer one, and 0.2 s later its
// end; "libraries" is good and has a cuSPARSE that no recording was made with; "refuses" fails
// every launch for want of registers,
// "bars" fails every launch though its kernel would fit; "hangs" begins the first job and never
// answers; "stubborn" hangs and ignores SIGTERM; "dies" ends in the middle of every job of variant
// warp_row_zero_test and is good to others; "crashes" ends right after its hello; "wrong" is good,
// and the output of variant warp_row_zero_test wrong; "exhibits" is good, and what is wrong on
// purpose is wrong; "unfit" has only wrong outputs; "bare" has no device; "garbage" talks nonsense
// first; "mute" never says hello; "future" speaks a newer protocol.
//
// Four modes have the real engine's conversation, with its ends, its watchdog and, where
// $FAKE_ENGINE_DEVICE names a device, its lock: "busy" answers every job in 10 ms, "long" in 7 s,
// "endless" as "busy", but from jobs of variant warp_row_zero_test it does not return, "preparing"
// as "busy", but each job first takes 300 ms on the host. They append to the file $FAKE_ENGINE_LOG:
// “start PID”, “prepare PID”, “begin JOB” and, when the answer is in the pipe, “sent JOB”.

namespace {

using namespace warpscope;

void say(const Message& message) { std::cout << to_line(message) + "\n" << std::flush; }

// Warm it takes 1 µs, in which DRAM moves 1 MB: 1000 GB/s, half of the synthetic roof. The bytes
// are the model's until counters are asked for.
// What was sent to this process.
Catalogue& catalogue() {
  static const auto all = std::make_shared<Catalogue>();
  return *all;
}

Measurement synthetic(const Job& job) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  if (const Result<const Scene*> scene = catalogue().find(job.scene)) {
    if (const auto axes = configured(**scene, job.variant, job.axes)) {
      m.axes = *axes;
      m.key = configuration_key((*scene)->axes, *axes, job.variant);
    }
  }
  m.verdict.outcome = Outcome::correct;
  m.warm = Timing{CacheState::warm, {999, 1000, 1001}};
  summarise(*m.warm);
  m.metrics = {{"time.warm", 1000, Origin::measured, "", ""},
               {"occupancy.theoretical", 0.5, Origin::derived, "", ""},
               {"registers", 40, Origin::derived, "", ""},
               {"model.dram_bytes", 1e6, Origin::modelled, "", ""},
               {"model.flops", 1e6, Origin::modelled, "", ""}};
  if (counters_of(job) != "none") {
    m.metrics.push_back({"dram.bytes_read", 1e6, Origin::measured, "", ""});
    m.metrics.push_back({"dram.bytes_write", 0, Origin::measured, "", ""});
  }
  m.conditions.device = "synthetic device";
  return m;
}

// The output becomes wrong: of every variant, or only of those that say it must be. The facts are
// those that they read.
void make_wrong(const Job& job, bool exhibits_only, Measurement& m) {
  const Result<const Scene*> scene = catalogue().find(job.scene);
  const Variant* variant = scene ? find_variant(**scene, job.variant) : nullptr;
  for (const char* fact : {"has_products", "list_misses", "mixed_blocks", "staged_misses"})
    m.facts[fact] = 1;
  if (exhibits_only && (variant == nullptr || !variant->expected_fault ||
                        !variant->expected_fault({m.axes, m.facts})))
    return;
  m.verdict = {Outcome::wrong, "c[3, 4] is 7 and not 8", "", 12.5, 3, 100};
  m.warm.reset();
  m.metrics.clear();
}

RoofSet synthetic_roofs() {
  RoofSet set;
  set.roofs = {{Level::dram, 2e12, "B/s", "synthetic"}};
  set.conditions.device = "synthetic device";
  return set;
}

// The sums over two steps, and no ratio: that is left to whoever reads it.
void add_counters(const Job& job, bool allowed, Measurement& m) {
  const Result<std::vector<std::string>> ids = parse_counters(counters_of(job));
  if (!ids || ids->empty()) return;
  m.counters = counters_of(job);
  m.counter_passes = 1;
  for (const std::string& id : *ids) {
    const Metric* metric = find_metric(id);
    const bool sums = metric != nullptr && metric->cupti_name.ends_with(".sum");
    if (!allowed) {
      set_value(m.metrics, {id, std::nullopt, Origin::measured, "only root may read counters",
                            "run the engine as root"});
      continue;
    }
    for (std::size_t at = 0; at < m.steps.size(); ++at) {
      const double value = (sums ? 1e6 : 4) * static_cast<double>(at + 1);
      m.steps[at].metrics.push_back({id, value, Origin::measured, "", ""});
    }
    if (sums) {
      set_value(m.metrics, {id, 3e6, Origin::measured, "", ""});
    } else {
      set_value(m.metrics, {id, std::nullopt, Origin::measured,
                            "a ratio of one step has no sum over steps", "see it at each step"});
    }
  }
}

Measurement synthetic_counts(const Job& job, bool allowed) {
  Measurement m = synthetic(job);
  for (const char* name : {"first", "second"}) {
    StepRecord step;
    step.name = name;
    step.kind = "kernel";
    m.steps.push_back(std::move(step));
  }
  if (job.as<MeasureJob>()->time) {
    m.cold = Timing{CacheState::cold, {1999, 2000, 2001}};
    summarise(*m.cold);
    m.prepare_ns = 5000;
    set_value(m.metrics, {"time.cold", 2000, Origin::measured, "", ""});
    set_value(m.metrics, {"time.prepare", 5000, Origin::measured, "", ""});
  } else {
    m.warm.reset();
    std::erase_if(m.metrics, [](const MetricValue& value) { return value.id == "time.warm"; });
  }
  if (const Result<const Scene*> scene = catalogue().find(job.scene)) {
    for (const WorkTerm& term : (*scene)->work_terms) {
      if (find_value(m.metrics, term.id) == nullptr)
        set_value(m.metrics, {term.id, 3, Origin::modelled, "", ""});
    }
  }
  add_counters(job, allowed, m);
  derive_from_parts(m);
  return m;
}

// What was recorded of the variant first, said to be of the job's configuration.
std::optional<Measurement> replayed(const Job& job, const Session& recorded) {
  for (const Measurement* before : recorded.points(job.scene, job.variant)) {
    Measurement m = *before;
    m.job = job.job;
    const Measurement asked = synthetic(job);
    m.axes = asked.axes;
    m.key = asked.key;
    m.problem = asked.problem;
    return m;
  }
  return std::nullopt;
}

// A launch of 512 threads that the device refuses: 16 warps of 8192 registers are more than an SM's
// 65 536, 16 of 4096 are not.
Measurement synthetic_refusal(const Job& job, int registers) {
  Measurement m = synthetic(job);
  m.verdict = {Outcome::launch_failed, "the launch was refused"};
  m.warm.reset();
  m.metrics.clear();
  StepRecord step;
  step.name = "main";
  step.kind = "kernel";
  step.launch.block = {512, 1, 1};
  step.resources = KernelResources{};
  step.resources->registers_per_thread = registers;
  m.steps = {std::move(step)};
  return m;
}

Timeline synthetic_timeline(const Job& job) {
  const Measurement at = synthetic(job);
  Timeline timeline;
  timeline.job = job.job;
  timeline.scene = job.scene;
  timeline.variant = job.variant;
  timeline.key = at.key;
  timeline.activities = {{"kernel", job.variant, 0, 120e3}};
  timeline.conditions = at.conditions;
  return timeline;
}

constexpr std::chrono::milliseconds kBetweenSteps(200);

// What the step before gives: shorter, and without a request to shared memory.
Trace first_step(Trace trace) {
  trace.step = "prepare";
  trace.warp_instructions = 1;
  std::erase_if(trace.requests, [&](const WarpRequest& request) {
    return trace.sites[request.site].space == Space::shared;
  });
  return trace;
}

void answer(const Job& job, const std::string& mode, const Session& recorded = {}) {
  const bool wrong_text = std::any_of(
      job.sources.begin(), job.sources.end(),
      [](const KernelSource& source) { return source.text.find("#error") != std::string::npos; });
  if (mode == "traces" && wrong_text) {
    say(Done{job.job, DoneStatus::failed,
             Error{ErrorKind::input, "the text has an #error", job.variant, "take it out"}});
    return;
  }
  if (mode == "traces" || mode == "steps" || mode == "large") {
    Trace trace = synthetic_trace();
    const Measurement at = synthetic(job);
    trace.job = job.job;
    trace.scene = job.scene;
    trace.variant = job.variant;
    trace.key = at.key;
    if (mode == "large") trace.printed.assign(8 << 20, 'x');
    if (mode == "steps") {
      say(first_step(trace));
      trace.step = "multiply";
      std::this_thread::sleep_for(kBetweenSteps);
    }
    if (const auto* asked = job.as<TraceJob>(); asked && !asked->step.empty())
      trace.stand_ins = {"B is all ones: it changes no address"};
    say(trace);
    if (mode == "steps") std::this_thread::sleep_for(kBetweenSteps);
  } else if (job.is<MeasureJob>() && (mode == "counts" || mode == "forbidden")) {
    say(synthetic_counts(job, mode == "counts"));
  } else if (job.is<MeasureJob>() && (mode == "refuses" || mode == "bars")) {
    say(synthetic_refusal(job, mode == "refuses" ? 253 : 128));
  } else if (job.is<RoofsJob>() && recorded.roofs() != nullptr) {
    say(*recorded.roofs());
  } else if (const std::optional<Measurement> m = replayed(job, recorded)) {
    say(*m);
  } else if (job.is<RoofsJob>()) {
    say(synthetic_roofs());
  } else if (job.is<TimelineJob>()) {
    say(synthetic_timeline(job));
  } else {
    Measurement made = synthetic(job);
    if (mode == "wrong" && job.variant == "warp_row_zero_test") {
      made.verdict = {Outcome::wrong, "c[3, 4] is 7 and not 8", "", 12.5, 3, 100};
      made.warm.reset();
      made.metrics.clear();
    }
    if (mode == "exhibits" || mode == "unfit") make_wrong(job, mode == "exhibits", made);
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
      answer(*job, "replays", recorded);
    }
  }
  ::_exit(0);
}

// Lines of a file that several processes append to.
void log_to(const char* path, const std::string& line) {
  if (path != nullptr) std::ofstream(path, std::ios::app) << line + "\n" << std::flush;
}

class SyntheticRunner : public JobRunner {
 public:
  SyntheticRunner(const std::string& mode, const char* log)
      : endless_(mode == "endless"),
        prepares_(mode == "preparing"),
        steps_(mode == "long" ? 700 : 1),
        log_(log) {}
  bool has_host_work(const Job&) override { return prepares_; }
  void do_host_work(const Job&, const JobChannel&) override {
    log_to(log_, "prepare " + std::to_string(::getpid()));
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  Result<void> run(const Job& job, const JobChannel& channel) override {
    log_to(log_, "begin " + std::to_string(job.job));
    while (endless_ && job.variant == "warp_row_zero_test")
      std::this_thread::sleep_for(std::chrono::seconds(1));
    constexpr std::chrono::milliseconds kEach(10);
    for (int step = 0; step < steps_; ++step) {
      std::this_thread::sleep_for(kEach);
      if (channel.interrupted()) return {};
    }
    channel.send(job.is<RoofsJob>() ? Message(synthetic_roofs()) : synthetic(job));
    log_to(log_, "sent " + std::to_string(job.job));
    return {};
  }

 private:
  bool endless_, prepares_;
  int steps_;
  const char* log_;
};

[[noreturn]] void converse(int count, char** arguments, const std::string& mode) {
  ConversationTerms terms;
  terms.let_go_s = 0.2;
  bool emulates = false;
  for (int i = 1; i + 1 < count; ++i) {
    const std::string_view option = arguments[i], value = arguments[i + 1];
    if (option == "--wait") terms.wait_s = std::atof(arguments[i + 1]);
    if (option == "--silence") terms.silence_s = std::atof(arguments[i + 1]);
    if (option == "--role") emulates = value == "emulate";
  }
  const char* log = emulates ? nullptr : std::getenv("FAKE_ENGINE_LOG");
  const char* device = emulates ? nullptr : std::getenv("FAKE_ENGINE_DEVICE");
  log_to(log, "start " + std::to_string(::getpid()));
  Conversation conversation(std::make_shared<Catalogue>(), terms);
  conversation.say_start("starting", 10);
  if (device != nullptr) conversation.hold_device(device);
  Hello hello;
  hello.role = emulates ? "emulate" : "measure";
  hello.process = ::getpid();
  if (!emulates) hello.device = DeviceDescription{"synthetic device"};
  conversation.say_hello(hello);
  if (emulates) conversation.answer(nullptr, Error{ErrorKind::usage, "nothing is traced here"});
  SyntheticRunner runner(mode, log);
  conversation.answer(&runner, std::nullopt);
}

}  // namespace

int main(int count, char** arguments) {
  std::string mode = count > 1 ? arguments[1] : "good";
  if (mode.starts_with("--")) {
    const char* variable = std::getenv("FAKE_ENGINE_MODE");
    mode = variable != nullptr ? variable : "good";
  }
  if (mode == "busy" || mode == "long" || mode == "endless" || mode == "preparing")
    converse(count, arguments, mode);
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
  if (mode == "traces" || mode == "steps" || mode == "large") {
    hello.role = "emulate";
  } else if (mode == "bare") {
    hello.capabilities = {{"cuda", false, "", "there is no GPU", "use a machine with one"}};
  } else {
    hello.device = DeviceDescription{"synthetic device"};
  }
  if (mode == "libraries") hello.capabilities = {{"cusparse", true, "99.0.0", "", ""}};
  if (mode == "future") hello.protocol = kProtocolVersion + 1;
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
  constexpr std::size_t kGrowthBytes = 64 << 20;  // of each job
  std::vector<std::string> kept;
  std::string line;
  while (std::getline(std::cin, line)) {
    const Result<Message> message = parse_line(line);
    if (!message) continue;
    if (const auto* cancel = std::get_if<Cancel>(&*message); cancel != nullptr && queues) {
      if (const std::optional<Job> taken = queue.cancel(cancel->job))
        say(Done{taken->job, DoneStatus::cancelled});
    }
    if (const auto* text = std::get_if<SceneText>(&*message))
      static_cast<void>(catalogue().open_text(*text));
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
    if (mode == "grows") kept.emplace_back(kGrowthBytes, 'x');
    answer(job, mode);
  }
  if (hangs) std::this_thread::sleep_for(std::chrono::seconds(60));  // even without a workbench
  queue.close();
  if (worker.joinable()) worker.join();
  return 0;
}
