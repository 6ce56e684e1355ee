// tests/workbench/client/ssh_kill_test.cpp: the same over ssh: an sshd of the test's own on the
// loopback.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/folders.h"
#include "tests/workbench/client/kill_fixture.h"

// Dropbear (Debian: dropbear-bin, programs alone) with a host key, a port and an authorised key of
// this test's. The user's own home is not touched: nss_wrapper (libnss-wrapper) names another one.

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A port of the loopback that nobody listened at a moment ago.
int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  const bool bound = ::bind(socket, reinterpret_cast<sockaddr*>(&address), bytes) == 0 &&
                     ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) == 0;
  ::close(socket);
  return bound ? ntohs(address.sin_port) : 0;
}

bool listens(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool connected =
      ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  ::close(socket);
  return connected;
}

class KillOverSsh : public KillTest {
 protected:
  void SetUp() override {
    KillTest::SetUp();
    for (const char* program : {"dropbear", "dropbearkey", "ssh", "ssh-keygen"}) {
      if (std::system(("command -v " + std::string(program) + " >/dev/null 2>&1").c_str()) != 0)
        GTEST_SKIP() << program << " is not installed";
    }
    if (std::system("LD_PRELOAD=libnss_wrapper.so true 2>&1 | grep -q 'cannot be preloaded'") == 0)
      GTEST_SKIP() << "libnss-wrapper is not installed";
    const passwd* user = ::getpwuid(::getuid());
    if (user == nullptr) GTEST_SKIP() << "this user has no name";
    name_ = user->pw_name;
    port_ = free_port();
    make_server();
    ASSERT_TRUE(wait_until([&] { return listens(port_); }, 20)) << text("sshd.log");
  }
  void TearDown() override {
    if (server_ > 0) kill_hard(server_);
    KillTest::TearDown();
  }

  // Starts a command whose engine runs through ssh and has this mode there.
  pid_t start_there(std::vector<std::string> words, const std::string& mode) {
    write("engine",
          "#!/bin/sh\nexport FAKE_ENGINE_MODE=" + mode + " FAKE_ENGINE_LOG=" + path("engine.log") +
              "\nexec " + built_program("fake_engine") + " \"$@\"\n",
          true);
    words.insert(words.end(), {"--host", "there", "--engine", path("engine")});
    return start(words, mode, {"PATH=" + path("bin") + ":" + std::getenv("PATH")});
  }
  const std::set<pid_t>& besides() {
    server_alone_ = {server_};
    return server_alone_;
  }

 private:
  void write(const std::string& name, const std::string& words, bool executable = false) {
    std::ofstream(path(name)) << words;
    fs::permissions(path(name), executable ? fs::perms::owner_all
                                           : fs::perms::owner_read | fs::perms::owner_write);
  }
  void make_server() {
    for (const char* folder : {"bin", "home", "home/.ssh"}) {
      fs::create_directories(path(folder));
      fs::permissions(path(folder), fs::perms::owner_all);
    }
    const std::string keys = "dropbearkey -t ed25519 -f " + path("host-key") +
                             " >/dev/null 2>&1 && ssh-keygen -q -t ed25519 -N '' -f " +
                             path("key") + " >/dev/null && cp " + path("key.pub") + " " +
                             path("home/.ssh/authorized_keys");
    ASSERT_EQ(std::system(keys.c_str()), 0);
    fs::permissions(path("home/.ssh/authorized_keys"),
                    fs::perms::owner_read | fs::perms::owner_write);
    const std::string ids = std::to_string(::getuid()) + ":" + std::to_string(::getgid());
    write("passwd", name_ + ":x:" + ids + "::" + path("home") + ":/bin/sh\n");
    write("group", name_ + ":x:" + std::to_string(::getgid()) + ":\n");
    write("config", "Host there\n  HostName 127.0.0.1\n  Port " + std::to_string(port_) +
                        "\n  User " + name_ + "\n  IdentityFile " + path("key") +
                        "\n  IdentitiesOnly yes\n  StrictHostKeyChecking no\n"
                        "  UserKnownHostsFile " +
                        path("known-hosts") + "\n  LogLevel ERROR\n");
    write("bin/ssh", "#!/bin/sh\nPATH=${PATH#*:} exec ssh -F " + path("config") + " \"$@\"\n",
          true);
    server_ = ::fork();
    if (server_ != 0) return;
    ::setenv("LD_PRELOAD", "libnss_wrapper.so", 1);
    ::setenv("NSS_WRAPPER_PASSWD", path("passwd").c_str(), 1);
    ::setenv("NSS_WRAPPER_GROUP", path("group").c_str(), 1);
    static_cast<void>(std::freopen(path("sshd.log").c_str(), "w", stderr));
    const std::string port = "127.0.0.1:" + std::to_string(port_), key = path("host-key");
    // In the foreground, its words on standard error, keys alone.
    ::execlp("dropbear", "dropbear", "-F", "-E", "-s", "-r", key.c_str(), "-p", port.c_str(),
             nullptr);
    ::_exit(127);
  }

  std::string name_;
  int port_ = 0;
  pid_t server_ = -1;
  std::set<pid_t> server_alone_;
};

TEST_F(KillOverSsh, OfACommandEndsTheEngineThereAndLosesNoLine) {
  constexpr int kManyPoints = 400;
  for (int round = 0; round < (kill_rounds() + 3) / 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t before = text("run.wsj").size(), sent = logged("sent").size();
    std::vector<std::string> words = sweep_words("float4_columns", kManyPoints);
    words.insert(words.end(), {"--session", path("run.wsj")});
    const pid_t command = start_there(words, "busy");
    ASSERT_TRUE(wait_until([&] { return logged("sent").size() > sent; }))
        << text("err") << text("sshd.log");
    pause_up_to(300);
    kill_hard(command);
    ASSERT_TRUE(all_gone(besides()));
    std::vector<std::string> answers = logged("sent");
    answers.erase(answers.begin(), answers.begin() + static_cast<std::ptrdiff_t>(sent));
    EXPECT_LT(answers.size(), static_cast<std::size_t>(kManyPoints)) << "the queue ran on";
    const std::string file = text("run.wsj");
    const Kept kept = kept_in("run.wsj", before);
    EXPECT_EQ(kept.torn, !file.empty() && file.back() != '\n' ? 1 : 0);
    EXPECT_TRUE(is_beginning(kept.answered, answers));
    if (HasFailure()) return;
  }
}

TEST_F(KillOverSsh, OfACommandEndsAnEngineThereThatHangs) {
  for (int round = 0; round < (kill_rounds() + 3) / 4; ++round) {
    const std::size_t begun = logged("begin").size();
    const pid_t command = start_there(sweep_words("warp_row_zero_test", 3), "endless");
    ASSERT_TRUE(wait_until([&] { return logged("begin").size() > begun; })) << text("err");
    kill_hard(command);
    ASSERT_TRUE(all_gone(besides()));
    EXPECT_EQ(logged("begin").size(), begun + 1) << "the queue ran on";
    if (HasFailure()) return;
  }
}

TEST_F(KillOverSsh, OfTheEngineThereBecomesAVerdictAndTheRestIsMeasured) {
  std::vector<std::string> words = sweep_words("float4_columns", 40);
  words.insert(words.end(), {"--session", path("run.wsj")});
  const pid_t command = start_there(words, "busy");
  ASSERT_TRUE(wait_until([&] { return logged("sent").size() > 5; })) << text("err");
  ::kill(std::stoi(logged("start").back()), SIGKILL);
  EXPECT_NE(wait_for(command, 60), -1) << text("err");
  EXPECT_TRUE(all_gone(besides()));
  EXPECT_EQ(logged("start").size(), 2u);
  const Kept kept = kept_in("run.wsj");
  EXPECT_EQ(kept.torn, 0);
  EXPECT_EQ(kept.answered.size() + kept.verdicts_of_death.size(), 40u);
}

// Neither side is told when a cable is pulled.
TEST_F(KillTest, OfAConnectionIsNoticedByAnEngineThatHearsNothing) {
  const std::string engine = "FAKE_ENGINE_MODE=busy WARPSCOPE_KILL_TEST=" + path("") + " " +
                             built_program("fake_engine") + " --silence 1 >/dev/null";
  const auto took_s = [](const std::string& command) {
    const auto start = std::chrono::steady_clock::now();
    static_cast<void>(std::system(command.c_str()));
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  // The input stays open for 20 s, silent, and then for 4 s with an empty line from time to time.
  EXPECT_LT(took_s("mkfifo " + path("a") + "; sleep 20 >" + path("a") + " & " + engine + " <" +
                   path("a") + "; kill $!"),
            15);
  EXPECT_GE(took_s("for i in 1 2 3 4 5 6 7 8; do echo; sleep 0.5; done | " + engine), 3.9);
}

}  // namespace
}  // namespace warpscope
