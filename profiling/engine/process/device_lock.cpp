// profiling/engine/process/device_lock.cpp: one engine a device, so that two never time beside each
// other.
#include "profiling/engine/process/device_lock.h"

#include <poll.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "profiling/figures/metric.h"
#include "scenes/host/build_stamp.h"
#include "scenes/host/clock.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct Address {
  sockaddr_un name{};
  socklen_t bytes = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&name); }
};

// A name that begins with a null byte is not a path.
Address address_of(const std::string& name) {
  Address address;
  address.name.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof address.name.sun_path - 1);
  std::memcpy(address.name.sun_path + 1, name.data(), length);
  address.bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  return address;
}

std::vector<std::string> words_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(std::move(word));
  return words;
}

// The fourth field of stat; the second, in parentheses, may have any character.
pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  int parent = 0;
  char state = 0;
  if (name_end != std::string::npos)
    static_cast<void>(std::sscanf(text.c_str() + name_end + 1, " %c %d", &state, &parent));
  return parent;
}

std::string program_of(const std::vector<std::string>& words) {
  return words.empty() ? "" : std::filesystem::path(words.front()).filename().string();
}

// A command line as a person would type it, short, and without characters that mean something to
// a terminal: any process may write what it likes there.
std::string command_text(const std::vector<std::string>& words) {
  constexpr std::size_t kLongest = 100;
  std::string text = program_of(words);
  for (std::size_t i = 1; i < words.size(); ++i) text += " " + words[i];
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < ' ' || static_cast<unsigned char>(c) >= 127) c = '?';
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest) + " …";
  return text;
}

std::string user_text(uid_t user) {
  passwd entry{}, *found = nullptr;
  char buffer[4096];
  if (::getpwuid_r(user, &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr)
    return entry.pw_name;
  return "user " + std::to_string(user);
}

// "pid 1234 of alice, `warpscope sweep csrmm n=32,64`": the workbench that the engine works for
// where that runs on this machine, else the engine.
std::string holder_text(int connection) {
  ucred who{};
  socklen_t bytes = sizeof who;
  if (::getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &who, &bytes) != 0)
    return "an unnamed process";
  if (who.pid <= 0) return "a process of " + user_text(who.uid) + " in another container";
  pid_t process = who.pid;
  std::vector<std::string> words = words_of(process);
  const pid_t parent = parent_of(process);
  if (std::vector<std::string> above = words_of(parent); program_of(above) == product_name()) {
    process = parent;
    words = std::move(above);
  }
  std::string text = "pid " + std::to_string(process) + " of " + user_text(who.uid);
  if (!words.empty()) text += ", `" + command_text(words) + "`";
  return text;
}

tl::unexpected<Error> no_socket() {
  return failure(ErrorKind::environment,
                 std::string("the device cannot be reserved: ") + std::strerror(errno), "socket",
                 "allow Unix sockets to this process");
}

}  // namespace

DeviceLock::DeviceLock(std::string uuid) : name_("warpscope/device/" + std::move(uuid)) {}

Result<void> DeviceLock::take(double wait_s, const Waiting& waiting, double before_s) {
  constexpr double kReportS = 0.5;
  if (held()) return {};
  const Address address = address_of(name_);
  const Clock::time_point start = Clock::now();
  while (true) {
    Descriptor own(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (own.number() < 0) return no_socket();
    if (::bind(own.number(), address.get(), address.bytes) == 0) {
      if (::listen(own.number(), SOMAXCONN) != 0) return no_socket();
      descriptor_ = own.release();
      return {};
    }
    if (errno != EADDRINUSE) return no_socket();
    // The connection is never accepted: it tells who listens, and ends when the listener does.
    const Descriptor holder(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (holder.number() < 0) return no_socket();
    const bool connected = ::connect(holder.number(), address.get(), address.bytes) == 0;
    const std::string who = connected ? holder_text(holder.number()) : "an unnamed process";
    while (true) {
      const double waited_s = before_s + seconds_since(start);
      if (!waiting(who, waited_s))
        return failure(ErrorKind::resource, "nobody is waiting for the device any more", "device");
      if (waited_s >= wait_s) {
        return failure(
            ErrorKind::environment,
            "the device is held by " + who +
                (wait_s > 0 ? " and did not become free within " + format_value(wait_s * 1e9, "ns")
                            : ""),
            "", "wait until that ends, or wait longer with --wait");
      }
      pollfd ends{holder.number(), POLLIN, 0};
      const double rest_s = std::min(kReportS, wait_s - waited_s);
      const int changed =
          ::poll(&ends, connected ? 1 : 0, static_cast<int>(std::max(1.0, rest_s * 1000)));
      if (changed != 0 || !connected) break;  // it let go, or could not be asked
    }
  }
}

void DeviceLock::release() {
  if (held()) ::close(std::exchange(descriptor_, -1));
}

}  // namespace warpscope
