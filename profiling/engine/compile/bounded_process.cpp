// profiling/engine/compile/bounded_process.cpp: work that may take any time and memory, in
// processes that may not.
#include "profiling/engine/compile/bounded_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

// What stands before every text that goes through a socket.
struct Head {
  std::uint64_t bytes = 0;
  std::int64_t limit_bytes = 0;  // of a task
};
constexpr std::size_t kMostIdle = 4;
constexpr std::uint64_t kLongestText = 1ull << 31;

// How long a task may take: so many seconds of its process's processor time. On a busy machine they
// last longer by the clock, where ten times as many are the limit.
class Patience {
 public:
  explicit Patience(double seconds) : seconds_(std::max(seconds, 0.0)) {}
  // The process that works from now on.
  void watch(pid_t process) {
    has_clock_ = ::clock_getcpuclockid(process, &clock_) == 0;
    worked_before_s_ = processor_s().value_or(0);
  }
  bool is_over() const {
    constexpr double kMostWaiting = 10;
    const double passed_s = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (passed_s < seconds_) return false;
    const std::optional<double> worked_s = processor_s();
    return !worked_s || *worked_s - worked_before_s_ >= seconds_ ||
           passed_s >= kMostWaiting * seconds_;
  }

 private:
  std::optional<double> processor_s() const {
    timespec time{};
    if (!has_clock_ || ::clock_gettime(clock_, &time) != 0) return std::nullopt;
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  double seconds_, worked_before_s_ = 0;
  Clock::time_point begun_ = Clock::now();
  clockid_t clock_ = 0;
  bool has_clock_ = false;
};

// As long as there is `patience`; without one, for ever. False: the other side is gone, or it is
// too late.
bool wait_for(int socket, short event, const Patience* patience) {
  constexpr int kLookMs = 50;
  for (;;) {
    if (patience != nullptr && patience->is_over()) return false;
    const int wait_ms = patience == nullptr ? -1 : kLookMs;
    pollfd one{socket, event, 0};
    const int ready = ::poll(&one, 1, wait_ms);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool read_all(int socket, void* to, std::size_t bytes, const Patience* patience) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    if (!wait_for(socket, POLLIN, patience)) return false;
    const ssize_t step = ::recv(socket, at, bytes, 0);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return false;
    at += step;
    bytes -= static_cast<std::size_t>(step);
  }
  return true;
}

bool write_all(int socket, const void* from, std::size_t bytes, const Patience* patience) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    if (!wait_for(socket, POLLOUT, patience)) return false;
    const ssize_t step = ::send(socket, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (step < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (step <= 0) return false;
    at += step;
    bytes -= static_cast<std::size_t>(step);
  }
  return true;
}

bool send_text(int socket, const std::string& text, std::int64_t limit_bytes,
               const Patience* patience) {
  const Head head{text.size(), limit_bytes};
  return write_all(socket, &head, sizeof head, patience) &&
         write_all(socket, text.data(), text.size(), patience);
}

bool receive_text(int socket, std::string& text, Head& head, const Patience* patience) {
  if (!read_all(socket, &head, sizeof head, patience) || head.bytes > kLongestText) return false;
  text.resize(head.bytes);
  return read_all(socket, text.data(), text.size(), patience);
}

// One descriptor, beside a byte.
bool send_descriptor(int socket, int descriptor) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  ssize_t sent = -1;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == 1;
}

// -1: the other side is gone.
int receive_descriptor(int socket) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  ssize_t count = -1;
  do {
    count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  const cmsghdr* const head = count == 1 ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head == nullptr || head->cmsg_type != SCM_RIGHTS) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
  return descriptor;
}

// The copy keeps only one socket of this process open, and no other file, pipe or socket: the
// reader of a pipe would wait for it to close.
void keep_only(int socket) {
  const int nothing = ::open("/dev/null", O_RDWR);
  for (int standard = 0; nothing >= 0 && standard <= 2; ++standard) {
    if (standard != socket) ::dup2(nothing, standard);
  }
  const auto kept = static_cast<unsigned>(socket);
  if (kept > 3) ::close_range(3, kept - 1, 0);
  ::close_range(std::max(kept + 1, 3u), ~0u, 0);
}

std::int64_t address_space_bytes() {
  long pages = 0;
  if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

[[noreturn]] void serve(int socket, const BoundedProcesses::Work& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const pid_t own = ::getpid();
  if (!write_all(socket, &own, sizeof own, nullptr)) ::_exit(0);
  const std::int64_t begun_with = address_space_bytes();
  std::string task;
  Head head;
  while (receive_text(socket, task, head, nullptr)) {
    const auto most = static_cast<rlim_t>(begun_with + head.limit_bytes);
    const rlimit limit{most, RLIM_INFINITY};
    ::setrlimit(RLIMIT_AS, &limit);
    std::string answer;
    try {
      answer = work(task);
    } catch (...) {  // out of memory
      ::_exit(1);
    }
    if (!send_text(socket, answer, 0, nullptr)) break;
    // What it took it does not give back: the next task would have less.
    if (address_space_bytes() > begun_with + head.limit_bytes / 4) break;
  }
  ::_exit(0);
}

[[noreturn]] void run_nursery(int socket, const BoundedProcesses::Work& work) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for its children
  std::signal(SIGTERM, SIG_DFL);
  keep_only(socket);
  for (;;) {
    const int task = receive_descriptor(socket);
    if (task < 0) ::_exit(0);
    if (::fork() == 0) {
      ::close(socket);
      serve(task, work);
    }
    ::close(task);
  }
}

}  // namespace

BoundedProcesses::BoundedProcesses(Work work) : work_(std::move(work)) {
  const std::lock_guard lock(mutex_);
  start_nursery();
}

BoundedProcesses::~BoundedProcesses() {
  for (const Child& child : idle_) ::close(child.socket);
  if (nursery_ >= 0) ::close(nursery_);
}

bool BoundedProcesses::start_nursery() {
  for (const Child& child : idle_) ::close(child.socket);
  idle_.clear();
  if (nursery_ >= 0) ::close(nursery_);
  nursery_ = -1;
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const pid_t process = ::fork();
  if (process == 0) {
    ::close(ends[0]);
    run_nursery(ends[1], work_);
  }
  ::close(ends[1]);
  if (process < 0) {
    ::close(ends[0]);
    return false;
  }
  nursery_ = ends[0];
  owner_ = ::getpid();
  return true;
}

bool BoundedProcesses::start(Child& child) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
  const bool sent = nursery_ >= 0 && send_descriptor(nursery_, ends[1]);
  ::close(ends[1]);
  child.socket = ends[0];
  if (sent && read_all(child.socket, &child.process, sizeof child.process, nullptr)) return true;
  ::close(ends[0]);
  return false;
}

bool BoundedProcesses::take(Child& child) {
  const std::lock_guard lock(mutex_);
  if (owner_ != ::getpid() && !start_nursery()) return false;
  if (!idle_.empty()) {
    child = idle_.back();
    idle_.pop_back();
    return true;
  }
  return start(child) || (start_nursery() && start(child));
}

void BoundedProcesses::keep(const Child& child) {
  const std::lock_guard lock(mutex_);
  if (idle_.size() < kMostIdle) return idle_.push_back(child);
  ::close(child.socket);  // it ends at the end of its tasks
}

void BoundedProcesses::end(const Child& child) {
  ::kill(child.process, SIGKILL);
  ::close(child.socket);
}

BoundedProcesses::Outcome BoundedProcesses::run(const std::string& task, const Limits& limits) {
  Patience patience(limits.seconds);
  for (;;) {
    Child child;
    if (!take(child)) return {};
    patience.watch(child.process);
    Outcome outcome;
    Head head;
    if (send_text(child.socket, task, limits.bytes, &patience) &&
        receive_text(child.socket, outcome.answer, head, &patience)) {
      child.has_worked = true;
      keep(child);
      outcome.end = End::answered;
      return outcome;
    }
    const bool over = patience.is_over();
    end(child);
    if (over) return {End::out_of_time, {}};
    // One that has worked before may have ended meanwhile: another takes the task.
    if (!child.has_worked) return {End::died, {}};
  }
}

}  // namespace warpscope
