// tests/engine/device_lock_test.cpp: one process a device, whatever ends it.
#include "profiling/engine/process/device_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

namespace warpscope {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// No other test's, and no device's.
std::string uuid(const std::string& name) {
  return "test-" + std::to_string(::getpid()) + "-" + name;
}

const DeviceLock::Waiting kPatient = [](const std::string&, double) { return true; };

// A process that has the lock until it is killed.
class Holder {
 public:
  explicit Holder(const std::string& uuid) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) {
      DeviceLock lock(uuid);
      const char good = lock.take(0, kPatient) ? 'y' : 'n';
      [[maybe_unused]] const ssize_t written = ::write(ready[1], &good, 1);
      while (true) ::pause();
    }
    char good = 'n';
    EXPECT_EQ(::read(ready[0], &good, 1), 1);
    EXPECT_EQ(good, 'y');
    for (const int descriptor : ready) ::close(descriptor);
  }
  ~Holder() { kill(); }
  void kill() {
    if (process_ > 0) ::kill(process_, SIGKILL), ::waitpid(process_, nullptr, 0);
    process_ = -1;
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = -1;
};

TEST(DeviceLock, IsOfOneProcessAndNamesIt) {
  Holder holder(uuid("a"));
  DeviceLock lock(uuid("a"));
  std::string who;
  double waited_s = 0;
  int calls = 0;
  const Result<void> taken = lock.take(0.6, [&](const std::string& holder_words, double seconds) {
    who = holder_words;
    waited_s = seconds;
    ++calls;
    return true;
  });
  ASSERT_FALSE(taken);
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(taken.error().kind, ErrorKind::environment);
  EXPECT_EQ(exit_status(taken.error().kind), 3);
  const passwd* user = ::getpwuid(::getuid());
  const std::string name = user != nullptr ? user->pw_name : "user";
  EXPECT_THAT(who, HasSubstr("pid " + std::to_string(holder.process()) + " of " + name));
  EXPECT_THAT(who, HasSubstr("`engine_tests"));
  EXPECT_THAT(sentence(taken.error()), HasSubstr(who));
  EXPECT_THAT(taken.error().remedy, HasSubstr("--wait"));
  EXPECT_GE(calls, 2);
  EXPECT_GE(waited_s, 0.6);
}

TEST(DeviceLock, OfOneDeviceLeavesOthersAlone) {
  const Holder holder(uuid("a"));
  DeviceLock other(uuid("b"));
  EXPECT_TRUE(other.take(0, kPatient));
  EXPECT_TRUE(other.held());
}

TEST(DeviceLock, IsFreeAsSoonAsItsHolderIsKilledAHundredTimes) {
  for (int round = 0; round < 100; ++round) {
    Holder holder(uuid("a"));
    DeviceLock lock(uuid("a"));
    ASSERT_FALSE(lock.take(0, kPatient)) << round;
    holder.kill();
    ASSERT_TRUE(lock.take(0, kPatient)) << round << ": the lock outlived its holder";
  }
}

TEST(DeviceLock, ComesToOneThatWaitsWhenTheHolderIsKilled) {
  Holder holder(uuid("a"));
  DeviceLock lock(uuid("a"));
  const auto start = Clock::now();
  const Result<void> taken = lock.take(30, [&](const std::string&, double) {
    holder.kill();
    return true;
  });
  EXPECT_TRUE(taken);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
  lock.release();
  EXPECT_FALSE(lock.held());
  DeviceLock next(uuid("a"));
  EXPECT_TRUE(next.take(0, kPatient)) << "it was let go";
}

TEST(DeviceLock, CountsTheTimeThatWasWaitedBefore) {
  const Holder holder(uuid("a"));
  DeviceLock lock(uuid("a"));
  double waited_s = 0;
  const Result<void> taken = lock.take(
      30,
      [&](const std::string&, double seconds) {
        waited_s = seconds;
        return true;
      },
      40);
  ASSERT_FALSE(taken);
  EXPECT_GE(waited_s, 40);
}

TEST(DeviceLock, IsWaitedForNoLongerThanIsAsked) {
  const Holder holder(uuid("a"));
  DeviceLock lock(uuid("a"));
  const Result<void> taken = lock.take(30, [](const std::string&, double) { return false; });
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind, ErrorKind::resource);
}

TEST(DeviceLock, ShowsNoCharacterOfAHoldersCommandThatATerminalObeys) {
  // A process may write anything where its command line stands.
  const std::string device = uuid("a");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ready[1], STDOUT_FILENO);
    const std::string script =
        "import socket,sys,time\ns=socket.socket(socket.AF_UNIX)\ns.bind('\\0warpscope/device/" +
        device + "')\ns.listen()\nprint('y',flush=True)\ntime.sleep(60)";
    ::execlp("python3", "python3", "-c", script.c_str(), "\x1b[2Jgone", nullptr);
    ::_exit(127);
  }
  char good = 'n';
  ASSERT_EQ(::read(ready[0], &good, 1), 1);
  DeviceLock lock(device);
  std::string who;
  EXPECT_FALSE(lock.take(0, [&](const std::string& words, double) {
    who = words;
    return true;
  }));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (const int descriptor : ready) ::close(descriptor);
  EXPECT_THAT(who, HasSubstr("`python3 -c"));
  EXPECT_EQ(who.find('\x1b'), std::string::npos) << who;
  EXPECT_EQ(who.find('\n'), std::string::npos) << who;
  EXPECT_LT(who.size(), 200u);
}

TEST(DeviceLock, SaysThatItDoesNotKnowWhoHoldsItWhereNobodyListens) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "warpscope/device/" + uuid("a");
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), bytes), 0);
  DeviceLock lock(uuid("a"));
  const Result<void> taken = lock.take(0.2, kPatient);
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().what, HasSubstr("an unnamed process"));
  ::close(socket);
  EXPECT_TRUE(lock.take(0, kPatient));
}

}  // namespace
}  // namespace warpscope
