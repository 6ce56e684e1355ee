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

// Until `deadline`; without one, for ever. False: the other side is gone, or it is too late.
bool wait_for(int socket, short event, const Clock::time_point* deadline) {
  for (;;) {
    int wait_ms = -1;
    if (deadline != nullptr) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now()).count();
      if (left < 0) return false;
      wait_ms = static_cast<int>(std::min<std::int64_t>(left + 1, 1000));
    }
    pollfd one{socket, event, 0};
    const int ready = ::poll(&one, 1, wait_ms);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool read_all(int socket, void* to, std::size_t bytes, const Clock::time_point* deadline) {
  for (auto* at = static_cast<char*>(to); bytes > 0;) {
    if (!wait_for(socket, POLLIN, deadline)) return false;
    const ssize_t step = ::recv(socket, at, bytes, 0);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) return false;
    at += step;
    bytes -= static_cast<std::size_t>(step);
  }
  return true;
}

bool write_all(int socket, const void* from, std::size_t bytes, const Clock::time_point* deadline) {
  for (const auto* at = static_cast<const char*>(from); bytes > 0;) {
    if (!wait_for(socket, POLLOUT, deadline)) return false;
    const ssize_t step = ::send(socket, at, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (step < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (step <= 0) return false;
    at += step;
    bytes -= static_cast<std::size_t>(step);
  }
  return true;
}

bool send_text(int socket, const std::string& text, std::int64_t limit_bytes,
               const Clock::time_point* deadline) {
  const Head head{text.size(), limit_bytes};
  return write_all(socket, &head, sizeof head, deadline) &&
         write_all(socket, text.data(), text.size(), deadline);
}

bool receive_text(int socket, std::string& text, Head& head, const Clock::time_point* deadline) {
  if (!read_all(socket, &head, sizeof head, deadline) || head.bytes > kLongestText) return false;
  text.resize(head.bytes);
  return read_all(socket, text.data(), text.size(), deadline);
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
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::max(limits.seconds, 0.0)));
  for (;;) {
    Child child;
    if (!take(child)) return {};
    Outcome outcome;
    Head head;
    if (send_text(child.socket, task, limits.bytes, &deadline) &&
        receive_text(child.socket, outcome.answer, head, &deadline)) {
      child.has_worked = true;
      keep(child);
      outcome.end = End::answered;
      return outcome;
    }
    end(child);
    if (Clock::now() >= deadline) return {End::out_of_time, {}};
    // One that has worked before may have ended meanwhile: another takes the task.
    if (!child.has_worked) return {End::died, {}};
  }
}

}  // namespace warpscope
