// workbench/engine_client.cpp: the engine's process: started, spoken to, watched, and started
// again.
#include "workbench/engine_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "scenes/build_stamp.h"
#include "scenes/registry.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
constexpr double kStartLimitS = 60;     // until the hello: the driver may take seconds to load
constexpr double kWatchdogMarginS = 5;  // beyond the engine's own watchdog
constexpr int kMostFailedStarts = 3;

void set_nonblocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

Measurement verdict_for(const Job& job, Outcome outcome, const std::string& why) {
  Measurement m;
  m.job = job.job;
  m.scene = job.scene;
  m.variant = job.variant;
  if (Result<const Scene*> scene = find_scene(job.scene)) {
    if (auto axes = with_values((*scene)->axes, default_configuration((*scene)->axes), job.axes)) {
      m.axes = *axes;
      m.key = configuration_key((*scene)->axes, *axes);
    }
  }
  m.verdict = {outcome, why, "the engine starts again by itself"};
  return m;
}

}  // namespace

std::vector<std::string> engine_command(const std::string& host, int device) {
  std::vector<std::string> command;
  if (!host.empty()) {
    command = {"ssh", "-T", "--", host, "warpscope-engine"};
  } else if (const char* path = std::getenv("WARPSCOPE_ENGINE"); path != nullptr && *path != '\0') {
    command = {path};
  } else {
    std::error_code failed;
    const fs::path beside =
        fs::read_symlink("/proc/self/exe", failed).parent_path() / "warpscope-engine";
    command = {beside.string()};
  }
  command.insert(command.end(), {"--role", "measure", "--device", std::to_string(device)});
  return command;
}

EngineClient::EngineClient(std::vector<std::string> command) : command_(std::move(command)) {
  ::signal(SIGPIPE, SIG_IGN);  // a dead engine is an answer, not the end of the workbench
}

EngineClient::~EngineClient() {
  close_pipes();  // the engine ends at the end of its stdin
  for (int i = 0; process_ > 0 && i < 20; ++i) {
    if (::waitpid(process_, nullptr, WNOHANG) != 0) {
      process_ = -1;
      return;
    }
    ::usleep(10000);
  }
  kill_process();
}

void EngineClient::start() {
  if (process_ > 0 || given_up_) return;
  int in[2], out[2], err[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) {
    given_up_ = true;
    return;
  }
  std::vector<char*> arguments;
  for (std::string& word : command_) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    // Ctrl-C goes to the whole group: the workbench cancels, the engine must live to answer.
    ::signal(SIGINT, SIG_IGN);
    ::execvp(arguments[0], arguments.data());
    const std::string why = std::string("the engine cannot be started: ") + arguments[0] + ": " +
                            std::strerror(errno) + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, why.data(), why.size());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  to_engine_ = in[1];
  from_engine_ = out[0];
  errors_ = err[0];
  for (const int descriptor : {to_engine_, from_engine_, errors_}) set_nonblocking(descriptor);
  ready_ = false;
  started_ = last_sign_ = Clock::now();
  incoming_.clear();
  outgoing_.clear();
  Hello hello;
  hello.role = "workbench";
  hello.build = build_stamp();
  hello.process = ::getpid();
  send(hello);
  for (const Job& job : outstanding_) send(job);
}

void EngineClient::close_pipes() {
  for (int* descriptor : {&to_engine_, &from_engine_, &errors_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

void EngineClient::kill_process() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}

void EngineClient::send(const Message& message) {
  outgoing_ += to_line(message) + "\n";
  flush();
}

void EngineClient::flush() {
  while (!outgoing_.empty() && to_engine_ >= 0) {
    const ssize_t step = ::write(to_engine_, outgoing_.data(), outgoing_.size());
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return;  // full or gone: polling finds out which
    outgoing_.erase(0, static_cast<std::size_t>(step));
  }
}

std::int64_t EngineClient::submit(Job job) {
  job.job = next_job_++;
  if (outstanding_.empty()) last_sign_ = Clock::now();
  outstanding_.push_back(job);
  if (process_ <= 0) {
    start();  // sends all that is outstanding
  } else {
    send(job);
  }
  return job.job;
}

void EngineClient::cancel_all() {
  for (const Job& job : outstanding_) send(Cancel{job.job});
}

void EngineClient::cancel_tagged(std::string_view prefix) {
  for (const Job& job : outstanding_) {
    if (job.tag.starts_with(prefix)) send(Cancel{job.job});
  }
}

void EngineClient::restart() {
  given_up_ = false;
  failed_starts_ = 0;
  restarting_ = true;
  if (process_ <= 0) start();
}

void EngineClient::wait(double seconds) const {
  pollfd descriptors[2] = {{from_engine_, POLLIN, 0}, {errors_, POLLIN, 0}};
  ::poll(descriptors, 2, static_cast<int>(seconds * 1000));
}

void EngineClient::take(Message message, std::vector<Message>& messages) {
  if (given_up_) return;  // nothing of an engine that speaks another protocol counts
  last_sign_ = Clock::now();
  if (const auto* hello = std::get_if<Hello>(&message)) {
    ready_ = true;
    failed_starts_ = 0;
    if (hello->protocol != protocol_version) {
      messages.push_back(LogLine{"error", "the engine speaks protocol " +
                                              std::to_string(hello->protocol) + ", this window " +
                                              std::to_string(protocol_version) +
                                              ": install the same version of both"});
      given_up_ = true;
    }
  } else if (const auto* done = std::get_if<Done>(&message)) {
    std::erase_if(outstanding_, [&](const Job& job) { return job.job == done->job; });
    if (done->restart) restarting_ = true;
  }
  messages.push_back(std::move(message));
}

void EngineClient::read_output(std::vector<Message>& messages) {
  char chunk[65536];
  while (from_engine_ >= 0) {
    const ssize_t count = ::read(from_engine_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    incoming_.append(chunk, static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t end = incoming_.find('\n'); end != std::string::npos;
       end = incoming_.find('\n', begin)) {
    const std::string_view line = std::string_view(incoming_).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    if (Result<Message> message = parse_line(line)) {
      take(std::move(*message), messages);
    } else {
      messages.push_back(
          LogLine{"warning", "the engine sent a line that is no message: " + message.error().what});
    }
  }
  incoming_.erase(0, begin);
}

void EngineClient::read_errors(std::vector<Message>& messages) {
  char chunk[4096];
  while (errors_ >= 0) {
    const ssize_t count = ::read(errors_, chunk, sizeof chunk);
    if (count <= 0) break;
    error_text_.append(chunk, static_cast<std::size_t>(count));
  }
  std::size_t begin = 0;
  for (std::size_t end = error_text_.find('\n'); end != std::string::npos;
       end = error_text_.find('\n', begin)) {
    if (end > begin)
      messages.push_back(LogLine{"info", "engine: " + error_text_.substr(begin, end - begin)});
    begin = end + 1;
  }
  error_text_.erase(0, begin);
}

void EngineClient::fail_outstanding(std::vector<Message>& messages, std::size_t count,
                                    Outcome outcome, const std::string& why) {
  for (std::size_t i = 0; i < count; ++i) {
    const Job& job = outstanding_[i];
    if (!job.variant.empty()) messages.push_back(verdict_for(job, outcome, why));
    messages.push_back(
        Done{job.job, DoneStatus::failed,
             Error{given_up_ ? ErrorKind::environment : ErrorKind::fault, why, job.variant,
                   given_up_ ? "see `warpscope doctor`" : "the engine starts again by itself"}});
  }
  outstanding_.erase(outstanding_.begin(),
                     outstanding_.begin() + static_cast<std::ptrdiff_t>(count));
}

void EngineClient::handle_death(std::vector<Message>& messages, Outcome outcome,
                                const std::string& why) {
  read_output(messages);
  read_errors(messages);
  close_pipes();
  kill_process();
  if (!ready_) {
    if (++failed_starts_ >= kMostFailedStarts) {
      given_up_ = true;
      messages.push_back(
          LogLine{"error", "the engine does not start: " + why + "; see `warpscope doctor`"});
    }
  }
  const bool expected = std::exchange(restarting_, false);
  if ((ready_ || given_up_) && !expected && !outstanding_.empty()) {
    // The first outstanding job was the one that ran; those behind it are sent again. With no
    // engine to be had, all of them fail.
    const std::size_t lost = given_up_ ? outstanding_.size() : 1;
    fail_outstanding(messages, lost, outcome, why);
  }
  ready_ = false;
  if (!given_up_) start();
}

std::vector<Message> EngineClient::poll() {
  std::vector<Message> messages;
  if (process_ <= 0) {
    if (given_up_ && !outstanding_.empty())
      fail_outstanding(messages, outstanding_.size(), Outcome::engine_died, "there is no engine");
    return messages;
  }
  flush();
  read_output(messages);
  read_errors(messages);
  if (given_up_) {
    handle_death(messages, Outcome::engine_died,
                 "the engine speaks another protocol than this program");
    return messages;
  }
  int status = 0;
  if (::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = -1;
    const std::string how = WIFSIGNALED(status)
                                ? "was ended by signal " + std::to_string(WTERMSIG(status))
                                : "ended with status " + std::to_string(WEXITSTATUS(status));
    handle_death(messages, Outcome::engine_died, "the engine " + how);
    return messages;
  }
  const auto silent = [this](Clock::time_point since) {
    return std::chrono::duration<double>(Clock::now() - since).count();
  };
  if (restarting_ && ready_ && outstanding_.empty()) {
    handle_death(messages, Outcome::engine_died, "the engine was started again");
  } else if (!ready_ && silent(started_) > kStartLimitS) {
    handle_death(messages, Outcome::engine_died, "the engine did not say hello within a minute");
  } else if (ready_ && !outstanding_.empty() &&
             silent(last_sign_) > outstanding_.front().hang_limit_s + kWatchdogMarginS) {
    handle_death(messages, Outcome::timed_out, "the engine did not answer within the job's limit");
  }
  return messages;
}

}  // namespace warpscope
