// tests/workbench/serve/serve_ends_test.cpp: what is asked to end ends, with its engines, and what
// is too long is not waited for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "scenes/host/input_file.h"
#include "tests/workbench/serve/served.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

constexpr const char* kLong =
    "{\"id\": \"long\", \"request\": \"verify\", \"variant\": \"csrmm/row_split\"}";

// An engine that begins its first job and never answers it; its own limits are far away.
class ServeEnds : public Serve {
 protected:
  static std::vector<std::pair<std::string, std::string>> engine(const std::string& mode) {
    return {{"WARPSCOPE_ENGINE", built_program("fake_engine")}, {"FAKE_ENGINE_MODE", mode}};
  }
  static std::vector<std::string> patient() { return {"--limit", "600"}; }
};

// The processes that this one started and that have not ended.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string pid, name, state, whose;
    if (!(file >> pid >> name >> state >> whose) || state == "Z") continue;
    if (whose == std::to_string(parent)) found.push_back(std::stoi(pid));
  }
  return found;
}

// Waits until an engine runs.
std::vector<pid_t> engines_of(const Served& served) {
  std::vector<pid_t> found;
  for (int tries = 0; tries < 3000 && found.empty(); ++tries) {
    found = children_of(served.process());
    ::usleep(10'000);
  }
  ::usleep(200'000);  // and has begun its job
  return found;
}

// Also where whoever inherits it does not take its status.
bool is_gone(pid_t process) {
  for (int tries = 0; tries < 3000; ++tries) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string pid, name, state;
    if (!(file >> pid >> name >> state) || state == "Z") return true;
    ::usleep(10'000);
  }
  return false;
}

TEST_F(ServeEnds, CancelIsAnsweredThoughTheEngineIsStopped) {
  for (const char* mode : {"hangs", "stubborn"}) {
    Served served(patient(), engine(mode));
    served.send(kLong);
    served.send(R"({"id": "behind", "request": "list"})");
    const std::vector<pid_t> engines = engines_of(served);
    ASSERT_FALSE(engines.empty());
    for (const pid_t each : engines) ::kill(each, SIGSTOP);
    served.send(R"({"id": "stop", "request": "cancel"})");
    const json stopped = served.answer(), behind = served.answer(), ran = served.answer();
    EXPECT_EQ(stopped["id"], "stop");
    EXPECT_EQ(stopped["result"]["cancelled"], true);
    EXPECT_EQ(behind["id"], "behind");
    EXPECT_EQ(behind["error"]["kind"], "resource");
    EXPECT_EQ(ran["id"], "long");
    EXPECT_EQ(ran["error"]["kind"], "resource") << ran;
    for (const pid_t each : engines) EXPECT_TRUE(is_gone(each));
    EXPECT_EQ(served.ask({{"request", "list"}, {"scene", "csrmm"}})["ok"], true);
  }
}

TEST_F(ServeEnds, QuitBehindAJobIsAnsweredAndEndsTheEngines) {
  for (const bool stopped : {false, true}) {
    Served served(patient(), engine("hangs"));
    served.send(kLong);
    const std::vector<pid_t> engines = engines_of(served);
    ASSERT_FALSE(engines.empty());
    for (const pid_t each : engines) {
      if (stopped) ::kill(each, SIGSTOP);
    }
    served.send(R"({"id": "listed", "request": "list", "scene": "csrmm"})");
    served.send(R"({"id": "last", "request": "quit"})");
    EXPECT_EQ(served.answer()["error"]["kind"], "resource") << "what ran";
    const json listed = served.answer();
    EXPECT_EQ(listed["id"], "listed");
    EXPECT_EQ(listed["ok"], true) << "it needs no engine";
    const json last = served.answer();
    EXPECT_EQ(last["id"], "last");
    EXPECT_EQ(last["result"]["answered"], 3);
    EXPECT_EQ(served.ended(), 0);
    for (const pid_t each : engines) EXPECT_TRUE(is_gone(each));
  }
}

// All in one write: none of it had begun when the cancel was read.
TEST_F(ServeEnds, CancelInOneWriteWithAJobCancelsIt) {
  Served served(patient(), engine("hangs"));
  served.send(std::string(kLong) + "\n" + R"({"id": "stop", "request": "cancel"})");
  std::set<std::string> refused;
  for (int i = 0; i < 2; ++i) {
    const json said = served.answer();
    if (said["ok"] == true) {
      EXPECT_EQ(said["result"]["cancelled"], true);
    } else {
      refused.insert(said["id"].get<std::string>());
    }
  }
  EXPECT_EQ(refused, std::set<std::string>{"long"});
}

TEST_F(ServeEnds, AReaderThatWentAwayEndsItAndItsEngines) {
  for (const bool stopped : {false, true}) {
    Served served(patient(), engine("hangs"));
    served.send(kLong);
    const std::vector<pid_t> engines = engines_of(served);
    ASSERT_FALSE(engines.empty());
    for (const pid_t each : engines) {
      if (stopped) ::kill(each, SIGSTOP);
    }
    served.close_output();  // its input stays open
    const int status = served.ended();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
    for (const pid_t each : engines) EXPECT_TRUE(is_gone(each));
  }
  Served idle;
  idle.close_output();
  const int status = idle.ended();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 3) << status;
}

TEST_F(ServeEnds, InputThatEndsIsAnsweredFirst) {
  Served served({}, engine("good"));
  ASSERT_TRUE(served.send_bytes(std::string(kLong) + "\n" + R"({"id": 2, "request": "list"})"));
  served.close_input();
  EXPECT_EQ(served.answer()["id"], "long");
  EXPECT_EQ(served.answer()["ok"], true) << "a last line without its end is one, too";
  EXPECT_EQ(served.ended(), 0);
}

TEST_F(ServeEnds, ALineThatIsTooLongIsRefusedBeforeItEndsAndTakesNoMemory) {
  Served served;
  const std::string piece(1 << 20, 'a');
  ASSERT_TRUE(served.send_bytes("{\"id\": 1, \"request\": \"list\", \"scene\": \""));
  for (int i = 0; i < 17; ++i) ASSERT_TRUE(served.send_bytes(piece));
  const json refused = served.answer();  // its end was never sent
  EXPECT_EQ(refused["error"]["kind"], "input");
  EXPECT_EQ(refused["error"]["what"], "the line is over 16 MiB");
  for (int i = 0; i < 240; ++i) ASSERT_TRUE(served.send_bytes(piece));
  ASSERT_TRUE(served.send_bytes("\"}\n"));
  EXPECT_EQ(served.ask({{"request", "list"}, {"scene", "csrmm"}})["ok"], true);
  std::ifstream status("/proc/" + std::to_string(served.process()) + "/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  std::int64_t most_kib = 0;
  status >> most_kib;
  EXPECT_GT(most_kib, 0);
  EXPECT_LT(most_kib, 200 << 10) << "of a line of 257 MiB";
}

TEST_F(ServeEnds, ALineOfTheLongestLengthIsARequest) {
  Served served;
  const std::string begin = R"({"id": 1, "request": "list", "scene": "csrmm", "reason": ")";
  const std::string end = "\"}";
  const std::string line =
      begin + std::string(kMostRequestBytes - begin.size() - end.size(), 'a') + end;
  ASSERT_TRUE(served.send_bytes(line + "\n"));
  EXPECT_EQ(served.answer()["ok"], true);
  ASSERT_TRUE(served.send_bytes(line + " \n"));
  EXPECT_EQ(served.answer()["error"]["what"], "the line is over 16 MiB");
}

TEST_F(ServeEnds, KernelsThatAreNotThereAreAReason) {
  std::vector<std::pair<std::string, std::string>> variables = engine("good");
  variables.emplace_back("WARPSCOPE_HOME", "/nowhere");
  Served served({}, variables);
  for (const char* request : {"verify", "trace", "measure"}) {
    const json said = served.ask({{"request", request}, {"variant", "csrmm/row_split"}});
    EXPECT_EQ(said["error"]["kind"], "environment") << said;
    EXPECT_THAT(said["error"]["what"].get<std::string>(), HasSubstr("not contain kernels/"))
        << said;
  }
}

}  // namespace
}  // namespace warpscope
