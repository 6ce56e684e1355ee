// profiling/engine/process/conversation.cpp: an engine's half of the conversation, and when it
// ends.
#include "profiling/engine/process/conversation.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "profiling/engine/process/watchdog.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kGrace(500);  // to end in good order without a workbench

// Says what a job says, and between that, while the job asks whether it is interrupted, that it
// lives: the workbench then knows a job that takes its time from one that hangs.
class SignsOfLife {
 public:
  // `last`: what was said of it before it was set aside, or that it begins.
  SignsOfLife(MessageOutput& output, Progress last) : output_(output), last_(std::move(last)) {}
  const Progress& last() const { return last_; }
  void send(const Message& message) {
    const std::lock_guard lock(mutex_);
    if (const auto* progress = std::get_if<Progress>(&message)) last_ = *progress;
    said(message);
  }
  void announce_silence(double seconds) {
    const std::lock_guard lock(mutex_);
    said(Progress{last_.job, last_.done_ratio, "preparing", seconds});
    silent_ = true;
  }
  void live() {
    constexpr double kEveryS = 1;
    const std::lock_guard lock(mutex_);
    if (silent_ || seconds_since(said_at_) >= kEveryS) said(last_);
  }

 private:
  void said(const Message& message) {
    output_.send(message);
    said_at_ = Clock::now();
    silent_ = false;
  }

  MessageOutput& output_;
  std::mutex mutex_;  // an emulator's workers speak as well
  Progress last_;
  Clock::time_point said_at_ = Clock::now();
  bool silent_ = false;
};

JobChannel channel_of(const JobQueue& queue, Watchdog& watchdog, SignsOfLife& signs) {
  return {[&](const Message& message) {
            watchdog.touch();
            signs.send(message);
          },
          [&] {
            watchdog.touch();
            signs.live();
            return queue.interrupted();
          },
          [&](double seconds) {
            signs.announce_silence(seconds);
            watchdog.allow(seconds);
          },
          [&] { return queue.others_wait(); }, [&](std::size_t most) { return queue.next(most); }};
}

}  // namespace

Conversation::Conversation(std::shared_ptr<Catalogue> catalogue, ConversationTerms terms)
    : catalogue_(std::move(catalogue)), terms_(terms) {
  // A thread, because a newer job, and the end of the input, must be seen while the device works;
  // detached, because it blocks in read() until the workbench closes the pipe.
  std::thread([this] { read_jobs(); }).detach();
}

void Conversation::take_line(std::string_view line) {
  if (line.empty()) return;
  Result<Message> message = parse_line(line);
  if (!message) {
    return output_.send_after_hello(
        LogLine{"warning", "a line could not be read: " + message.error().what});
  }
  if (const auto* scene = std::get_if<SceneText>(&*message)) {
    if (const Result<const Scene*> opened = catalogue_->open_text(*scene); !opened)
      output_.send_after_hello(LogLine{"error", sentence(opened.error())});
  } else if (auto* job = std::get_if<Job>(&*message)) {
    sources_.complete(*job);  // also of a job that never runs: the next one may rely on its texts
    if (std::optional<Job> replaced = queue_.push(std::move(*job)))
      output_.send_after_hello(Done{replaced->job, DoneStatus::replaced});
  } else if (const auto* cancel = std::get_if<Cancel>(&*message)) {
    if (std::optional<Job> taken = queue_.cancel(cancel->job))
      output_.send_after_hello(Done{taken->job, DoneStatus::cancelled});
  }
}

void Conversation::read_jobs() {
  std::string pending;
  char chunk[65536];
  const int silence_ms =
      terms_.silence_s > 0 ? static_cast<int>(std::ceil(terms_.silence_s * 1000)) : -1;
  while (true) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, silence_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;  // a connection that is gone need not end the input
    const ssize_t count = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    pending.append(chunk, static_cast<std::size_t>(count));
    constexpr std::size_t kLongestLine = 192 << 20;  // a scene with the memory of a capture
    if (pending.size() > kLongestLine) pending.clear();
    std::size_t begin = 0;
    const std::size_t fresh =
        pending.size() - std::min(pending.size(), static_cast<std::size_t>(count));
    for (std::size_t end = pending.find('\n', fresh); end != std::string::npos;
         end = pending.find('\n', begin)) {
      take_line(std::string_view(pending).substr(begin, end - begin));
      begin = end + 1;
    }
    pending.erase(0, begin);
    // The room of a long line is not kept for the short ones.
    if (pending.empty() && pending.capacity() > sizeof chunk) pending.shrink_to_fit();
  }
  queue_.close();
  std::this_thread::sleep_for(kGrace);
  // The driver tears down what still runs on the device.
  ::_exit(1);
}

void Conversation::say_start(const std::string& text, double silence_s) {
  output_.send(Progress{0, 0, text, silence_s});
}

bool Conversation::take_device(std::int64_t job, double wait_s) {
  if (!waiting_since_) waiting_since_ = Clock::now();
  // A slider that moves replaces the job that waits; the wait goes on.
  const Result<void> taken = lock_->take(
      wait_s,
      [&](const std::string& holder, double waited_s) {
        output_.send(Progress{job, 0, "waiting for the device", 0, holder, waited_s});
        return !queue_.interrupted();
      },
      seconds_since(*waiting_since_));
  if (!taken && taken.error().kind == ErrorKind::resource) return false;
  if (!taken) {
    std::fprintf(stderr, "%s\n", sentence(taken.error()).c_str());
    ::_exit(exit_status(taken.error().kind));
  }
  waiting_since_.reset();
  return true;
}

void Conversation::hold_device(const std::string& uuid) {
  lock_ = std::make_unique<DeviceLock>(uuid);
  if (!take_device(0, terms_.wait_s)) ::_exit(0);  // nobody is there to work for
}

bool Conversation::prepare(JobRunner& runner, const Job& job, const JobChannel& channel,
                           Watchdog& watchdog) {
  if (!lock_) return true;
  const bool held = lock_->held();
  if (runner.has_host_work(job)) {
    lock_->release();  // another engine may measure meanwhile
    watchdog.start(job);
    runner.do_host_work(job, channel);
    watchdog.finish();
  }
  // An engine that only prepared gets its turn again after the job of another one.
  constexpr double kTurnS = 600;
  return lock_->held() ||
         take_device(job.job, held ? std::max(terms_.wait_s, kTurnS) : terms_.wait_s);
}

void Conversation::answer(JobRunner* runner, const std::optional<Error>& missing) {
  Watchdog watchdog(output_, *catalogue_);
  std::map<std::int64_t, Progress> aside;  // of jobs that go on
  int status = 0;
  while (true) {
    if (lock_ && lock_->held() && !queue_.wait(terms_.let_go_s)) lock_->release();
    const std::optional<Job> job = queue_.pop();
    if (!job) break;
    Done done{job->job};
    // If this process dies now, the workbench knows of which job.
    const auto before = aside.find(job->job);
    output_.send(before != aside.end() ? before->second : Progress{job->job, 0, "preparing"});
    if (missing || runner == nullptr) {
      done.status = DoneStatus::failed;
      done.error = missing;
      queue_.finish();
      output_.send(done);
      continue;
    }
    SignsOfLife signs(output_,
                      before != aside.end() ? before->second : Progress{job->job, 0, "running"});
    const JobChannel channel = channel_of(queue_, watchdog, signs);
    Result<void> ran;
    if (prepare(*runner, *job, channel, watchdog)) {
      watchdog.start(*job);
      ran = runner->run(*job, channel);
      watchdog.finish();
      aside[job->job] = signs.last();
    }
    if (ran && runner->goes_on(*job)) {
      queue_.set_aside();
      continue;
    }
    aside.erase(job->job);
    if (!ran) {
      done.status = DoneStatus::failed;
      done.error = ran.error();
      done.restart = ran.error().kind == ErrorKind::fault;
    } else if (queue_.cancelled()) {
      done.status = DoneStatus::cancelled;
    } else if (queue_.interrupted()) {
      done.status = DoneStatus::replaced;
    }
    queue_.finish();
    output_.send(done);
    if (done.restart) {
      status = 1;
      break;
    }
  }
  // Leaves at once: the reader may still block, and a broken context must not be torn down.
  ::_exit(status);
}

}  // namespace warpscope
