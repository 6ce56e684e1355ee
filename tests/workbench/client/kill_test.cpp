// tests/workbench/client/kill_test.cpp: after kill -9 of window, command or engine nothing runs on
// and no line is lost.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/workbench/client/kill_fixture.h"

namespace warpscope {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

constexpr int kManyPoints = 400;  // four seconds of work
constexpr const char* kGood = "float4_columns";
constexpr const char* kEndless = "warp_row_zero_test";  // of the fake engine

class Kill : public KillTest {
 protected:
  // Answers of the round at hand: the log goes on over all of them.
  std::vector<std::string> sent_since(std::size_t before) const {
    std::vector<std::string> sent = logged("sent");
    sent.erase(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(before));
    return sent;
  }
  // What the next start must find: it measures two points, says nothing but of torn lines, and both
  // are in the file.
  void expect_clean_start(const std::string& session, int torn) {
    const std::size_t before = text(session).size();
    std::vector<std::string> words = sweep_words(kGood, 2);
    words.insert(words.end(), {"--session", path(session)});
    ASSERT_EQ(wait_for(start(words, "busy"), 30), 0) << text("err");
    EXPECT_EQ(text("err").find("torn") != std::string::npos, torn > 0) << text("err");
    EXPECT_EQ(kept_in(session, before).answered.size(), 2u);
  }
};

TEST_F(Kill, OfACommandEndsItsEngineAndLosesNoLine) {
  for (int round = 0; round < kill_rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t before = text("run.wsj").size(), sent = logged("sent").size();
    std::vector<std::string> words = sweep_words(kGood, kManyPoints);
    words.insert(words.end(), {"--session", path("run.wsj")});
    const pid_t command = start(words, "busy");
    ASSERT_TRUE(wait_until([&] { return logged("sent").size() > sent; })) << text("err");
    pause_up_to(300);
    kill_hard(command);
    ASSERT_TRUE(all_gone());
    const std::vector<std::string> answers = sent_since(sent);
    EXPECT_LT(answers.size(), static_cast<std::size_t>(kManyPoints)) << "it was not interrupted";
    const std::string file = text("run.wsj");
    const bool torn = !file.empty() && file.back() != '\n';
    const Kept kept = kept_in("run.wsj", before);
    EXPECT_EQ(kept.torn, torn ? 1 : 0) << "a line within the file is torn";
    EXPECT_TRUE(is_beginning(kept.answered, answers));
    expect_clean_start("run.wsj", torn ? 1 : 0);
    if (HasFailure()) return;
  }
  EXPECT_TRUE(read_session(path("run.wsj")));
}

TEST_F(Kill, WithinALineLeavesAFileThatTheNextStartContinues) {
  std::vector<std::string> words = sweep_words(kGood, 3);
  words.insert(words.end(), {"--session", path("run.wsj")});
  ASSERT_EQ(wait_for(start(words, "busy"), 30), 0) << text("err");
  const std::string whole = text("run.wsj");
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t cut : {last + 1, last + (whole.size() - last) / 2, whole.size() - 2}) {
    std::ofstream(path("run.wsj"), std::ios::binary) << whole.substr(0, cut);
    expect_clean_start("run.wsj", 1);
    const Kept kept = kept_in("run.wsj");
    EXPECT_EQ(kept.torn, 1);
    EXPECT_EQ(kept.answered.size(), 5u);
  }
}

TEST_F(Kill, OfACommandEndsAnEngineThatHangs) {
  for (int round = 0; round < kill_rounds() / 4; ++round) {
    const std::size_t begun = logged("begin").size();
    const pid_t command = start(sweep_words(kEndless, 3), "endless");
    ASSERT_TRUE(wait_until([&] { return logged("begin").size() > begun; })) << text("err");
    kill_hard(command);
    ASSERT_TRUE(all_gone());
    EXPECT_EQ(logged("begin").size(), begun + 1) << "the queue ran on";
  }
}

// One that neither reads its input nor obeys SIGTERM.
TEST_F(Kill, OfACommandEndsAnEngineThatDoesNotListen) {
  const pid_t command = start(sweep_words(kGood, 3), "stubborn");
  ASSERT_TRUE(wait_until([&] { return living({command}).size() == 1; })) << text("err");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ASSERT_EQ(living({command}).size(), 1u) << text("err");
  kill_hard(command);
  ASSERT_TRUE(all_gone());
}

TEST_F(Kill, OfTheEngineBecomesAVerdictAndNoAnswerIsLost) {
  const int rounds = kill_rounds(), points = std::max(kManyPoints, 20 * rounds);
  std::vector<std::string> words = sweep_words(kGood, points);
  words.insert(words.end(), {"--session", path("run.wsj")});
  const pid_t command = start(words, "busy");
  for (int killed = 0; killed < rounds; ++killed) {
    const std::size_t sent = logged("sent").size(), starts = logged("start").size();
    // In the middle of a job, and of an engine that has answered one.
    ASSERT_TRUE(wait_until([&] { return logged("sent").size() > sent; })) << text("err");
    pause_up_to(15);
    ::kill(std::stoi(logged("start").back()), SIGKILL);
    ASSERT_TRUE(wait_until([&] { return logged("start").size() > starts; })) << text("err");
  }
  EXPECT_NE(wait_for(command, 120), -1) << text("err");
  ASSERT_TRUE(all_gone());
  const Kept kept = kept_in("run.wsj");
  EXPECT_EQ(kept.torn, 0);
  // Every job has one answer, a figure or a verdict, and every answer sent is there.
  std::multiset<std::int64_t> answers(kept.answered.begin(), kept.answered.end());
  for (const std::string& job : logged("sent"))
    EXPECT_EQ(answers.count(std::stoll(job)), 1u) << "job " << job;
  for (const auto& [job, count] : kept.verdicts_of_death) EXPECT_EQ(count, 1) << job;
  EXPECT_LE(kept.verdicts_of_death.size(), static_cast<std::size_t>(rounds));
  for (std::int64_t job = 1; job <= points; ++job) {
    EXPECT_EQ(answers.count(job) + kept.verdicts_of_death.count(job), 1u)
        << "job " << job << " has no answer, or two";
  }
}

// To the command alone, as a service does, and to all of its group, as a terminal does.
TEST_F(Kill, BySignalsThatAskKeepsWhatWasMeasuredAndEndsTheEngine) {
  const auto expect_end = [this](int signal, const std::string& mode, bool group) {
    SCOPED_TRACE(mode + ", signal " + std::to_string(signal) + (group ? " to the group" : ""));
    const std::size_t before = text("run.wsj").size(), begun = logged("begin").size();
    std::vector<std::string> words = sweep_words(mode == "busy" ? kGood : kEndless, kManyPoints);
    words.insert(words.end(), {"--session", path("run.wsj")});
    const pid_t command = start(words, mode);
    ASSERT_TRUE(wait_until([&] { return logged("begin").size() > begun; })) << text("err");
    pause_up_to(100);
    ::kill(group ? -command : command, signal);
    EXPECT_EQ(wait_for(command, 10), 3) << text("err");
    EXPECT_TRUE(all_gone());
    EXPECT_THAT(text("err"), AnyOf(HasSubstr("cancelled: what was done before is kept"),
                                   HasSubstr("cancelled before there was anything to keep")));
    const Kept kept = kept_in("run.wsj", before);
    EXPECT_EQ(kept.torn, 0);
    EXPECT_TRUE(kept.verdicts_of_death.empty()) << "the engine's end was taken for a finding";
    EXPECT_EQ(text("run.wsj").back(), '\n');
  };
  for (const int signal : {SIGTERM, SIGHUP, SIGINT}) {
    for (const bool group : {false, true}) {
      expect_end(signal, "busy", group);
      expect_end(signal, "endless", group);
    }
  }
}

TEST_F(Kill, OfAWindowEndsItsEngineAndLosesNoLine) {
  if (std::getenv("DISPLAY") == nullptr) GTEST_SKIP() << "there is no display";
  const std::vector<std::string> words = {"--record", path("window.wsj")};
  std::size_t all_answers = 0;
  for (int round = 0; round < kill_rounds() / 4; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::size_t before = text("window.wsj").size(), sent = logged("sent").size();
    const pid_t window = start(words, "busy");
    ASSERT_TRUE(wait_until([&] { return logged("sent").size() > sent; })) << text("err");
    pause_up_to(200);
    kill_hard(window);
    ASSERT_TRUE(all_gone());
    const Kept kept = kept_in("window.wsj", before);
    std::vector<std::string> answers = sent_since(sent);
    std::erase_if(answers, [&](const std::string& job) { return kept.roofs.count(job) != 0; });
    const std::string file = text("window.wsj");
    EXPECT_EQ(kept.torn, !file.empty() && file.back() != '\n' ? 1 : 0);
    all_answers += kept.answered.size();
    // In the engine's order: there a slider's newer job takes the place of its older one.
    EXPECT_TRUE(is_beginning(kept.answered, answers));
    if (HasFailure()) return;
  }
  EXPECT_GT(all_answers, 0u);
  // SIGTERM closes it as by hand.
  const pid_t window = start(words, "busy");
  const std::size_t starts = logged("start").size();
  ASSERT_TRUE(wait_until([&] { return logged("start").size() > starts; })) << text("err");
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  ::kill(window, SIGTERM);
  EXPECT_EQ(wait_for(window, 20), 0) << text("err");
  EXPECT_TRUE(all_gone());
  EXPECT_EQ(text("window.wsj").back(), '\n');
}

}  // namespace
}  // namespace warpscope
