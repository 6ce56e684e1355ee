// profiling/engine/compile/fenced_program.cpp: a program that is given somebody's text, run with
// limits of time, memory, files and network.
#include "profiling/engine/compile/fenced_program.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <iterator>

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// source: linux/landlock.h. The rights of its first version, of 5.13.
constexpr std::uint64_t kReadFile =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE;  // also of a single file
constexpr std::uint64_t kRead = kReadFile | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kAll = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

// A path that is not there is left out.
bool allow(int ruleset, const fs::path& path, std::uint64_t rights) {
  const Descriptor at(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (at.number() < 0) return true;
  struct stat kind {};
  if (::fstat(at.number(), &kind) != 0) return false;
  if (!S_ISDIR(kind.st_mode)) rights &= kReadFile | kWriteFile;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = at.number();
  return ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

// −1: there is none; −2: it could not be made.
int ruleset_of(const FencedProgram& program) {
  if (!program.fenced || !fences_files()) return -1;
  landlock_ruleset_attr handled{};
  handled.handled_access_fs = kAll;
  const int ruleset = static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, &handled, sizeof handled.handled_access_fs, 0));
  if (ruleset < 0) return -2;
  bool all =
      allow(ruleset, program.folder, kAll) && allow(ruleset, "/dev/null", kRead | kWriteFile);
  for (const fs::path& path : program.readable) all = all && allow(ruleset, path, kRead);
  if (all) return ruleset;
  ::close(ruleset);
  return -2;
}

// No socket is made, of whatever architecture the call is.
std::array<sock_filter, 7> no_sockets() {
#if defined(__x86_64__)
  constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
  constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif
  constexpr std::uint32_t kOtherTable = 0x40000000;  // x32's numbers
  const auto statement = [](std::uint16_t code, std::uint32_t value) {
    return sock_filter{code, 0, 0, value};
  };
  return {statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
          sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 3, kArchitecture},
          statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
          sock_filter{BPF_JMP | BPF_JGE | BPF_K, 1, 0, kOtherTable},
          sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_socket},
          statement(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
          statement(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
}

void limit(decltype(RLIMIT_AS) what, std::int64_t most) {
  const rlimit value{static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
  ::setrlimit(what, &value);
}

// What the new process needs, made before it: it may call nothing that takes memory or a lock.
struct Prepared {
  std::vector<char*> words, environment;
  std::array<sock_filter, 7> filter = no_sockets();
  int ruleset = -1, output = -1;
};

[[noreturn]] void become(const FencedProgram& program, const Prepared& prepared) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0 ||
      ::dup2(prepared.output, STDOUT_FILENO) < 0 || ::dup2(prepared.output, STDERR_FILENO) < 0 ||
      ::chdir(program.folder.c_str()) != 0)
    ::_exit(127);
  limit(RLIMIT_AS, program.bytes);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 1ll << 30);
  // What outlives its group ends all the same.
  limit(RLIMIT_CPU, static_cast<std::int64_t>(std::ceil(program.seconds)) + 1);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) ::_exit(127);
  if (prepared.ruleset >= 0 && ::syscall(SYS_landlock_restrict_self, prepared.ruleset, 0) != 0)
    ::_exit(127);
  const sock_fprog filter{static_cast<unsigned short>(prepared.filter.size()),
                          const_cast<sock_filter*>(prepared.filter.data())};
  // A kernel without it has limits enough: a compiler makes no socket by itself.
  ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
  ::close_range(3, ~0u, 0);
  ::execve(prepared.words.front(), prepared.words.data(), prepared.environment.data());
  ::_exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Its own folder's first: the toolkit's programs call each other by name.
std::vector<std::string> environment_of(const FencedProgram& program) {
  const fs::path own = fs::path(program.words.front()).parent_path();
  return {"PATH=" + own.string() + ":/usr/local/bin:/usr/bin:/bin", "TMPDIR=.", "LC_ALL=C"};
}

// False: `deadline` came before the other end was closed.
bool read_to_end(int pipe, Clock::time_point deadline, std::string& output) {
  constexpr std::size_t kMostBytes = 1 << 20;
  std::array<char, 1 << 14> part{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left < 0) return false;
    pollfd one{pipe, POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::min<std::int64_t>(left + 1, 1000)));
    if (ready < 0 && errno != EINTR) return true;
    if (ready <= 0) continue;
    const ssize_t got = ::read(pipe, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    const std::size_t room = kMostBytes - std::min(kMostBytes, output.size());
    output.append(part.data(), std::min(room, static_cast<std::size_t>(got)));
  }
}

}  // namespace

bool fences_files() {
  static const bool fences =
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
  return fences;
}

FencedOutcome run_fenced(const FencedProgram& program) {
  std::vector<std::string> words = program.words, environment = environment_of(program);
  Prepared prepared;
  prepared.words = pointers_to(words);
  prepared.environment = pointers_to(environment);
  prepared.ruleset = ruleset_of(program);
  const Descriptor ruleset(prepared.ruleset);
  std::array<int, 2> ends{};
  if (prepared.ruleset == -2 || ::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const Descriptor reading(ends[0]);
  prepared.output = ends[1];
  const Clock::time_point deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::max(program.seconds, 0.0)));
  const pid_t process = ::fork();
  if (process == 0) become(program, prepared);
  ::close(ends[1]);
  if (process < 0) return {};
  ::setpgid(process, process);  // in either process, whichever is first
  FencedOutcome outcome;
  const bool in_time = read_to_end(reading.number(), deadline, outcome.output);
  if (!in_time) ::kill(-process, SIGKILL);
  int status = -1;
  pid_t ended = -1;
  do {
    ended = ::waitpid(process, &status, 0);
  } while (ended < 0 && errno == EINTR);
  ::kill(-process, SIGKILL);  // what it left
  if (ended == process && WIFEXITED(status)) outcome.status = WEXITSTATUS(status);
  constexpr int kNotRun = 127;
  outcome.end = !in_time                    ? FencedOutcome::End::out_of_time
                : outcome.status == kNotRun ? FencedOutcome::End::not_started
                                            : FencedOutcome::End::ended;
  return outcome;
}

}  // namespace warpscope
