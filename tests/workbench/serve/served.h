// tests/workbench/serve/served.h: the real `warpscope serve` with pipes at both ends.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/folders.h"
#include "workbench/serve/serve_protocol.h"

namespace warpscope {

//   Served served;
//   const auto said = served.ask({{"request", "list"}});
class Served {
 public:
  using json = nlohmann::json;
  // `variables`: of its environment, besides those of the tests.
  explicit Served(const std::vector<std::string>& arguments = {},
                  const std::vector<std::pair<std::string, std::string>>& variables = {}) {
    int to[2], from[2];
    if (::pipe(to) != 0 || ::pipe(from) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      for (const int end : {to[0], to[1], from[0], from[1]}) ::close(end);
      for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
      const std::string program = built_program("warpscope");
      std::vector<std::string> words = {program, "serve"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      std::vector<char*> pointers;
      for (std::string& word : words) pointers.push_back(word.data());
      pointers.push_back(nullptr);
      ::execv(program.c_str(), pointers.data());
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
    hello = answer();
  }
  ~Served() {
    close_input();
    if (process_ > 0) {
      const int status = ended();
      EXPECT_TRUE(killed_ || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) << status;
    }
    close_output();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  // As it is, without an end of the line. False: nobody takes it within a minute.
  bool send_bytes(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready{to_, POLLOUT, 0};
      if (::poll(&ready, 1, kPatienceMs) <= 0 || (ready.revents & POLLOUT) == 0) return false;
      // No more than a pipe takes at once: the other end may have ended its reading.
      const ssize_t step = ::write(to_, bytes.data(), std::min<std::size_t>(bytes.size(), 4096));
      if (step <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(step));
    }
    return true;
  }
  void send(const std::string& line) { EXPECT_TRUE(send_bytes(line + "\n")); }
  // The next answer, checked for what every answer must have. It is a failure if it does not come
  // within a minute: an answer here takes a second at most, or for ever.
  json answer() {
    while (incoming_.find('\n') == std::string::npos) {
      pollfd ready{from_, POLLIN, 0};
      char chunk[65536];
      const ssize_t count =
          ::poll(&ready, 1, kPatienceMs) > 0 ? ::read(from_, chunk, sizeof chunk) : 0;
      if (count <= 0) break;
      incoming_.append(chunk, static_cast<std::size_t>(count));
    }
    const std::string line = incoming_.substr(0, incoming_.find('\n'));
    incoming_.erase(0, line.size() + 1);
    json said = json::parse(line, nullptr, false);
    if (!said.is_object()) {
      ADD_FAILURE() << "no answer: " << line;
      return {{"ok", false}, {"error", {{"kind", "none"}, {"what", ""}}}};
    }
    EXPECT_EQ(said["version"], kServeVersion);
    EXPECT_TRUE(said.contains("id"));
    EXPECT_NE(said.contains("result"), said.contains("error"));
    return said;
  }
  json ask(json request) {
    const json id = ++count_;
    request["id"] = id;
    send(request.dump());
    json said = answer();
    EXPECT_EQ(said["id"], id);
    // What is sent and what is taken are what the rows say, and so what the schema says.
    for (const ServeRow& row : serve_rows()) {
      if (request["request"] != row.name || said["ok"] != true) continue;
      EXPECT_EQ(against_rows(row.takes, request), "") << request;
      EXPECT_EQ(against_rows(row.gives, said["result"]), "") << said;
      std::set<std::string> known;
      for (const FieldRow& field : row.gives) known.insert(field.name);
      for (const auto& [name, value] : said["result"].items())
        EXPECT_EQ(known.count(name), 1u) << row.name << " gives “" << name << "” unsaid";
    }
    return said;
  }
  void kill() {
    killed_ = true;
    ::kill(process_, SIGKILL);
  }
  void close_input() {
    if (to_ >= 0) ::close(std::exchange(to_, -1));
  }
  void close_output() {
    if (from_ >= 0) ::close(std::exchange(from_, -1));
  }
  // Its status once it has ended by itself; -1 where it does not within a minute.
  int ended() {
    int status = -1;
    for (int tries = 0; tries < kPatienceMs / 10; ++tries) {
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return status;
      }
      ::usleep(10'000);
    }
    ADD_FAILURE() << "it goes on";
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
    return -1;
  }
  pid_t process() const { return process_; }
  json hello;

 private:
  static constexpr int kPatienceMs = 60'000;
  bool killed_ = false;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::string incoming_;
  int count_ = 0;
};

class Serve : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(built_program("warpscope-engine")))
      GTEST_SKIP() << "the engine is not built";
  }
};

}  // namespace warpscope
