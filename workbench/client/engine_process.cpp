// workbench/client/engine_process.cpp: one process of an engine with its pipes, and those before it
// that have not ended yet.
#include "workbench/client/engine_process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "profiling/messages/packed_text.h"
#include "scenes/host/clock.h"
#include "workbench/client/child_process.h"
#include "workbench/client/engine_command.h"
#include "workbench/client/engine_waits.h"

namespace warpscope {
namespace {

constexpr std::size_t kUsualBytes = 256 << 10;  // lines to and from an engine
// The pipe to it, as large as anybody may make one: a long line goes in fewer turns.
constexpr int kPipeBytes = 1 << 20;

}  // namespace

EngineProcess::~EngineProcess() {
  close_pipes();  // the engine ends at the end of its stdin
  if (process_ > 0) leaving_.push_back({process_, Clock::now()});
  // A process that even SIGKILL does not end is left to init.
  const Clock::time_point start = Clock::now();
  while (!leaving_.empty() && seconds_since(start) < kGraceS + 1) {
    reap();
    if (!leaving_.empty()) ::usleep(5000);
  }
}

int EngineProcess::start(const std::vector<std::string>& command) {
  const ChildProcess child = start_child(command);
  process_ = child.process;
  if (process_ < 0) return child.error;
  to_engine_ = child.to_child;
  static_cast<void>(::fcntl(to_engine_, F_SETPIPE_SZ, kPipeBytes));
  from_engine_ = child.from_child;
  errors_ = child.errors;
  start_failure_ = child.start_failure;
  last_heartbeat_ = Clock::now();
  incoming_.clear();
  searched_ = 0;
  more_ = false;
  outgoing_.clear();
  error_text_.clear();
  last_error_.clear();
  return 0;
}

void EngineProcess::close_pipes() {
  for (int* descriptor : {&to_engine_, &from_engine_, &errors_, &start_failure_}) {
    if (*descriptor >= 0) ::close(*descriptor);
    *descriptor = -1;
  }
}

void EngineProcess::send(const Message& message) {
  if (process_ <= 0) return;
  std::string line = to_line(message);
  line += '\n';
  if (outgoing_.empty()) {
    outgoing_ = std::move(line);
  } else {
    outgoing_ += line;
  }
  flush();
}

void EngineProcess::flush() {
  std::size_t sent = 0;
  while (sent < outgoing_.size() && to_engine_ >= 0) {
    const ssize_t step = ::write(to_engine_, outgoing_.data() + sent, outgoing_.size() - sent);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) break;  // full or gone: polling finds out which
    sent += static_cast<std::size_t>(step);
  }
  // Once a turn: what is left of a capture may be 170 MB, which are moved.
  outgoing_.erase(0, sent);
  // And its room is not kept for the short lines.
  if (outgoing_.empty() && outgoing_.capacity() > kUsualBytes) std::string().swap(outgoing_);
}

void EngineProcess::send_heartbeat() {
  if (seconds_since(last_heartbeat_) < kHeartbeatS) return;
  last_heartbeat_ = Clock::now();
  if (outgoing_.empty()) outgoing_ = "\n";
}

bool EngineProcess::read_lines(double limit_s, const std::function<void(std::string_view)>& take) {
  const auto start = Clock::now();
  char chunk[65536];
  // What was left over last time comes first; meanwhile the engine may wait at its full pipe.
  const bool left_over = std::exchange(more_, false);
  while (from_engine_ >= 0 && (!left_over || limit_s == kNoLimitS)) {
    const ssize_t count = ::read(from_engine_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    incoming_.append(chunk, static_cast<std::size_t>(count));
    if (static_cast<std::int64_t>(incoming_.size()) > kLongestLineBytes) break;
  }
  std::size_t begin = 0;
  // What was looked through before has no newline: a long line is not searched again and again.
  for (std::size_t end = incoming_.find('\n', searched_); end != std::string::npos;
       end = incoming_.find('\n', begin)) {
    if (seconds_since(start) > limit_s) {
      more_ = true;
      break;
    }
    const std::string_view line = std::string_view(incoming_).substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty()) take(line);
  }
  incoming_.erase(0, begin);
  // A trace is a line of some megabytes: what it needed is not kept for the short ones.
  if (incoming_.capacity() > kUsualBytes && incoming_.size() < kUsualBytes / 2)
    incoming_.shrink_to_fit();
  searched_ = more_ ? 0 : incoming_.size();
  if (more_ || static_cast<std::int64_t>(incoming_.size()) <= kLongestLineBytes) return true;
  incoming_ = {};
  searched_ = 0;
  return false;
}

void EngineProcess::read_errors(const std::function<void(const std::string&)>& take) {
  char chunk[4096];
  while (errors_ >= 0) {
    const ssize_t count = ::read(errors_, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    error_text_.append(chunk, static_cast<std::size_t>(count));
    constexpr std::size_t kLongestError = 64 << 10;  // what goes on without a newline is divided
    if (error_text_.size() > kLongestError) error_text_ += '\n';
  }
  std::size_t begin = 0;
  for (std::size_t end = error_text_.find('\n'); end != std::string::npos;
       end = error_text_.find('\n', begin)) {
    std::string line = error_text_.substr(begin, end - begin);
    begin = end + 1;
    while (!line.empty() && line.back() == '\r') line.pop_back();  // ssh ends its lines with both
    if (line.empty()) continue;
    last_error_ = line;
    take(line);
  }
  error_text_.erase(0, begin);
}

std::optional<int> EngineProcess::ended() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  return status;
}

int EngineProcess::start_failure() const {
  int code = 0;
  const bool came = start_failure_ >= 0 &&
                    ::read(start_failure_, &code, sizeof code) == static_cast<ssize_t>(sizeof code);
  return came ? code : 0;
}

void EngineProcess::retire() {
  close_pipes();
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  leaving_.push_back({std::exchange(process_, -1), Clock::now()});
}

void EngineProcess::reap() {
  for (Leaving& l : leaving_) {
    if (::waitpid(l.process, nullptr, WNOHANG) != 0) {
      l.process = -1;
    } else if (!l.killed && seconds_since(l.since) >= kGraceS) {
      ::kill(l.process, SIGKILL);
      l.killed = true;
    }
  }
  std::erase_if(leaving_, [](const Leaving& l) { return l.process < 0; });
}

double EngineProcess::leaving_s() const {
  return leaving_.empty() ? 0 : seconds_since(leaving_.back().since);
}

}  // namespace warpscope
