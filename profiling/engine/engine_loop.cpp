// profiling/engine/engine_loop.cpp: the conversation on stdin and stdout.
#include "profiling/engine/engine_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "profiling/engine/emulation.h"
#include "profiling/engine/job_queue.h"
#include "profiling/engine/measurer.h"
#include "profiling/engine/nvtx.h"
#include "scenes/build_stamp.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

// Whole lines to the workbench. Libraries that print would break the protocol: the pipe is kept
// under a descriptor of its own and standard output becomes standard error.
class Output {
 public:
  Output() : descriptor_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)) {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  void send(const Message& message) {
    const std::string line = to_line(message) + "\n";
    const std::lock_guard lock(mutex_);
    std::size_t written = 0;
    while (written < line.size()) {
      const ssize_t step = ::write(descriptor_, line.data() + written, line.size() - written);
      if (step < 0 && errno == EINTR) continue;
      if (step <= 0) return;  // the workbench is gone; stdin ends as well
      written += static_cast<std::size_t>(step);
    }
  }

 private:
  int descriptor_;
  std::mutex mutex_;
};

// Ends the process when a job is not done in time: a kernel that never ends cannot be stopped
// otherwise. A thread, because the measuring one is stuck in the driver by then.
class Watchdog {
 public:
  explicit Watchdog(Output& output)
      : output_(output), thread_([this](std::stop_token stop) { watch(stop); }) {}
  void start(const Job& job) {
    const std::lock_guard lock(mutex_);
    job_ = job;
    touch_locked();
  }
  // The job showed life.
  void touch() {
    const std::lock_guard lock(mutex_);
    touch_locked();
  }
  // The job will be silent for up to `seconds`, where that is more than its limit.
  void allow(double seconds) {
    const std::lock_guard lock(mutex_);
    if (job_) set_limit(std::max(seconds, job_->hang_limit_s));
  }
  void finish() {
    const std::lock_guard lock(mutex_);
    job_.reset();
  }

 private:
  void touch_locked() {
    if (job_) set_limit(job_->hang_limit_s);
  }
  void set_limit(double seconds) {
    limit_s_ = seconds;
    deadline_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  void watch(std::stop_token stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const std::lock_guard lock(mutex_);
      if (job_ && Clock::now() > deadline_) end(*job_);
    }
  }
  [[noreturn]] void end(const Job& job) {
    Measurement m;
    m.job = job.job;
    m.scene = job.scene;
    m.variant = job.variant;
    if (Result<const Scene*> scene = find_scene(job.scene)) {
      Result<Configuration> axes =
          with_values((*scene)->axes, default_configuration((*scene)->axes), job.axes);
      if (axes && (*scene)->settle) axes = (*scene)->settle(*axes);
      if (axes) {
        m.axes = *axes;
        m.key = configuration_key((*scene)->axes, *axes);
      }
    }
    const std::string limit = format_value(limit_s_ * 1e9, "ns");
    m.verdict = {Outcome::timed_out, "it did not end within " + limit,
                 "look for a loop that never ends, or raise the limit"};
    output_.send(m);
    Done done{job.job, DoneStatus::failed,
              Error{ErrorKind::fault, m.verdict.sentence, job.variant, m.verdict.remedy}, true};
    output_.send(done);
    ::_exit(1);
  }

  Output& output_;
  std::mutex mutex_;
  std::optional<Job> job_;
  Clock::time_point deadline_;
  double limit_s_ = 0;
  std::jthread thread_;
};

// Reads jobs and cancels. A thread, because a newer job must be seen while the device works.
void read_jobs(JobQueue& queue, Output& output) {
  std::string pending;
  char chunk[65536];
  const auto take = [&](std::string_view line) {
    if (line.empty()) return;
    Result<Message> message = parse_line(line);
    if (!message)
      return output.send(LogLine{"warning", "a line was not understood: " + message.error().what});
    if (auto* job = std::get_if<Job>(&*message)) {
      if (std::optional<Job> replaced = queue.push(std::move(*job))) {
        output.send(Done{replaced->job, DoneStatus::replaced});
      }
    } else if (const auto* cancel = std::get_if<Cancel>(&*message)) {
      if (std::optional<Job> taken = queue.cancel(cancel->job)) {
        output.send(Done{taken->job, DoneStatus::cancelled});
      }
    }
  };
  while (true) {
    const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    pending.append(chunk, static_cast<std::size_t>(count));
    constexpr std::size_t kLongestLine = 64 << 20;
    if (pending.size() > kLongestLine) pending.clear();
    std::size_t begin = 0;
    for (std::size_t end = pending.find('\n'); end != std::string::npos;
         end = pending.find('\n', begin)) {
      take(std::string_view(pending).substr(begin, end - begin));
      begin = end + 1;
    }
    pending.erase(0, begin);
  }
  queue.close();
}

Capability from(std::string name, const Result<std::string>& version) {
  Capability c{std::move(name), version.has_value()};
  if (version) {
    c.version = *version;
  } else {
    c.reason = version.error().what;
    c.remedy = version.error().remedy;
  }
  return c;
}

Hello hello_of(const Result<std::unique_ptr<Measurer>>& measurer) {
  Hello hello;
  hello.role = "measure";
  hello.build = build_stamp();
  hello.process = ::getpid();
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  hello.date = date;
  const Result<std::string> nvrtc = nvrtc_version();
  hello.toolkit = nvrtc.value_or("");
  Capability cuda{"cuda", measurer.has_value()};
  if (measurer) {
    hello.device = (*measurer)->device().description();
    hello.driver = (*measurer)->driver_version();
    cuda.version = hello.driver;
  } else {
    cuda.reason = measurer.error().where + ": " + measurer.error().what;
    cuda.remedy = measurer.error().remedy;
  }
  hello.capabilities = {cuda, from("nvrtc", nvrtc)};
  for (Capability& c : library_capabilities()) hello.capabilities.push_back(std::move(c));
  if (measurer) {
    for (Capability& c : (*measurer)->capabilities()) hello.capabilities.push_back(std::move(c));
  } else {
    for (const char* name : {"counters", "sass_metrics", "timeline", "nvtx", "nvml"}) {
      hello.capabilities.push_back(
          {name, false, "", "there is no device to count on", cuda.remedy});
    }
  }
  return hello;
}

}  // namespace

int run_engine(const EngineOptions& options) {
  Output output;
  std::unique_ptr<JobRunner> runner;
  std::optional<Error> missing;  // why nothing can be run
  if (options.role == EngineRole::emulate) {
    runner = std::make_unique<Emulation>();
    output.send(emulation_hello());
  } else {
    if (!options.hands_off) inject_nvtx();
    Result<std::unique_ptr<Measurer>> measurer =
        Measurer::create(options.device, options.hands_off);
    output.send(hello_of(measurer));
    if (measurer) {
      runner = std::move(*measurer);
    } else {
      missing = measurer.error();
    }
  }
  JobQueue queue;
  // Detached: it blocks in read() until the workbench closes the pipe, which may be after a fault.
  std::thread([&queue, &output] { read_jobs(queue, output); }).detach();
  Watchdog watchdog(output);
  int status = 0;
  while (std::optional<Job> job = queue.pop()) {
    Done done{job->job};
    // If this process dies now, the workbench knows of which job.
    output.send(Progress{job->job, 0, "preparing"});
    if (missing) {
      done.status = DoneStatus::failed;
      done.error = missing;
      output.send(done);
      queue.finish();
      continue;
    }
    watchdog.start(*job);
    const JobChannel channel{[&](const Message& message) {
                               watchdog.touch();
                               output.send(message);
                             },
                             [&] {
                               watchdog.touch();
                               return queue.interrupted();
                             },
                             [&](double seconds) {
                               output.send(Progress{job->job, 0, "preparing", seconds});
                               watchdog.allow(seconds);
                             }};
    const Result<void> ran = runner->run(*job, channel);
    watchdog.finish();
    if (!ran) {
      done.status = DoneStatus::failed;
      done.error = ran.error();
      done.restart = ran.error().kind == ErrorKind::fault;
    } else if (queue.cancelled()) {
      done.status = DoneStatus::cancelled;
    } else if (queue.interrupted()) {
      done.status = DoneStatus::replaced;
    }
    queue.finish();
    output.send(done);
    if (done.restart) {
      status = 1;
      break;
    }
  }
  // Leaves at once: the reader may still block, and a broken context must not be torn down.
  ::_exit(status);
}

}  // namespace warpscope
