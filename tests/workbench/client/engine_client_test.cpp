// tests/workbench/client/engine_client_test.cpp: an engine that dies, hangs or babbles becomes a
// verdict.
#include "workbench/client/engine_client.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "scenes/host/paths.h"
#include "tests/folders.h"
#include "workbench/client/program_catalogue.h"

namespace warpscope {
namespace {

std::vector<std::string> fake(const std::string& mode) {
  return {built_program("fake_engine"), mode};
}

Job job_of(const std::string& variant, double hang_limit_s = 30) {
  Job job;
  job.scene = "csrmm";
  job.variant = variant;
  job.hang_limit_s = hang_limit_s;
  return job;
}

// Polls until `enough` or ten seconds are over.
Session listen(EngineClient& client, const std::function<bool(const Session&)>& enough) {
  Session session;
  const auto start = std::chrono::steady_clock::now();
  while (!enough(session) && std::chrono::steady_clock::now() - start < std::chrono::seconds(15)) {
    client.wait(0.02);
    for (const Message& message : client.poll()) session.apply(message);
  }
  return session;
}

bool logged(const Session& session, const std::string& words) {
  for (const LogLine& line : session.log()) {
    if (line.text.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(EngineClient, BringsAnswersOfAGoodEngine) {
  EngineClient client(fake("good"));
  const std::int64_t a = client.submit(job_of("warp_row_zero_test")),
                     b = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(a) && s.done(b); });
  EXPECT_TRUE(client.ready());
  EXPECT_TRUE(client.outstanding().empty());
  ASSERT_EQ(session.history().size(), 2u);
  EXPECT_EQ(session.history()[0].verdict.outcome, Outcome::correct);
}

TEST(EngineClient, TurnsADeathIntoAVerdictAndSendsTheOthersAgain) {
  EngineClient client(fake("dies"));
  const std::int64_t lost = client.submit(job_of("warp_row_zero_test")),
                     kept = client.submit(job_of("float4_columns"));
  const Session session =
      listen(client, [&](const Session& s) { return s.done(lost) && s.done(kept); });
  ASSERT_EQ(session.history().size(), 2u);
  EXPECT_EQ(session.history()[0].verdict.outcome, Outcome::engine_died);
  EXPECT_FALSE(session.history()[0].verdict.sentence.empty());
  EXPECT_EQ(session.history()[1].variant, "float4_columns");
  EXPECT_EQ(session.history()[1].verdict.outcome, Outcome::correct);
}

TEST(EngineClient, ComesBackWhenTheEngineIsKilledFromOutside) {
  EngineClient client(fake("hangs"));
  const std::int64_t job = client.submit(job_of("float4_columns"));
  listen(client, [&](const Session&) { return client.running() != nullptr; });
  const pid_t first = client.process();
  ::kill(first, SIGKILL);
  const Session session =
      listen(client, [&](const Session& s) { return s.done(job) && client.ready(); });
  ASSERT_TRUE(session.done(job));
  EXPECT_EQ(session.done(job)->status, DoneStatus::failed);
  EXPECT_EQ(session.history().at(0).verdict.outcome, Outcome::engine_died);
  EXPECT_TRUE(client.ready());
  EXPECT_NE(client.process(), first);
}

TEST(EngineClient, EndsAnEngineThatDoesNotAnswerWithinTheLimit) {
  EngineClient client(fake("hangs"));
  const std::int64_t job = client.submit(job_of("float4_columns", 0.1));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  ASSERT_TRUE(session.done(job));
  const Verdict& verdict = session.history().at(0).verdict;
  EXPECT_EQ(verdict.outcome, Outcome::timed_out);
  EXPECT_NE(verdict.sentence.find("within the limit of 0 s"), std::string::npos);
  EXPECT_NE(verdict.remedy.find("allow more with --limit"), std::string::npos);
}

TEST(EngineClient, PassesOverLinesThatAreNoMessages) {
  EngineClient client(fake("garbage"));
  const std::int64_t job = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  EXPECT_EQ(session.history().size(), 1u);
  EXPECT_TRUE(logged(session, "not a message"));
}

TEST(EngineClient, RefusesAnotherProtocolInWords) {
  EngineClient client(fake("future"));
  const std::int64_t job = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  EXPECT_TRUE(client.given_up());
  ASSERT_TRUE(session.done(job));
  EXPECT_EQ(session.done(job)->status, DoneStatus::failed);
  for (const Measurement& m : session.history()) EXPECT_NE(m.verdict.outcome, Outcome::correct);
  EXPECT_TRUE(logged(session, "protocol"));
}

TEST(EngineClient, GivesUpOnAProgramThatDoesNotStart) {
  EngineClient client({"/nonexistent/warpscope-engine"});
  const std::int64_t job = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  EXPECT_TRUE(client.given_up());
  ASSERT_TRUE(session.done(job));
  EXPECT_EQ(session.done(job)->error->kind, ErrorKind::environment);
  EXPECT_TRUE(logged(session, "does not start"));
}

// What the engines of one test were told.
class EngineLog {
 public:
  EngineLog()
      : path_(std::filesystem::temp_directory_path() /
              ("warpscope-engine-log-" + std::to_string(::getpid()))) {
    std::filesystem::remove(path_);
  }
  ~EngineLog() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  std::vector<std::string> fake(const std::string& mode) const {
    return {built_program("fake_engine"), mode, path_.string()};
  }
  int count(const std::string& line) const {
    std::ifstream file(path_);
    int found = 0;
    for (std::string read; std::getline(file, read);) found += read == line;
    return found;
  }

 private:
  std::filesystem::path path_;
};

constexpr RestartPacing kQuick{.first_wait_s = 0.02, .longest_wait_s = 0.05, .most_deaths = 4};

TEST(EngineClient, GivesUpOnAnEngineThatDiesRightAfterItsHelloAndTriesAgainWhenAsked) {
  const EngineLog log;
  EngineClient client(log.fake("crashes"), kQuick);
  const std::int64_t a = client.submit(job_of("float4_columns")),
                     b = client.submit(job_of("warp_row_zero_test"));
  Session session = listen(client, [&](const Session& s) { return s.done(a) && s.done(b); });
  EXPECT_EQ(log.count("start"), kQuick.most_deaths);
  ASSERT_TRUE(client.given_up());
  EXPECT_NE(client.trouble()->what.find("4 times in a row"), std::string::npos);
  EXPECT_NE(client.trouble()->remedy.find("start the engine anew"), std::string::npos);
  EXPECT_TRUE(logged(session, "4 times in a row"));
  ASSERT_TRUE(session.done(a));
  EXPECT_EQ(session.done(a)->error->kind, ErrorKind::environment);
  client.restart();
  EXPECT_FALSE(client.given_up());
  session = listen(client, [&](const Session&) { return client.given_up(); });
  EXPECT_TRUE(client.given_up());
  EXPECT_EQ(log.count("start"), 2 * kQuick.most_deaths);
}

TEST(EngineClient, GivesUpOnAnEngineThatDiesAfterAnswersToNoJobOfIts) {
  Done other;
  other.job = 77;
  const std::string lines = to_line(Message(Hello{})) + "\n" + to_line(Message(other)) + "\n";
  EngineClient client({"printf", "%s", lines}, kQuick);
  const std::int64_t job = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  ASSERT_TRUE(session.done(job));
  EXPECT_EQ(session.done(job)->status, DoneStatus::failed);
}

TEST(EngineClient, EndsALargeEngineThatRestsAndStartsItWithItsNextJob) {
  const EngineLog log;
  EngineClient client(log.fake("good"), kQuick);
  const std::int64_t a = client.submit(job_of("float4_columns"));
  client.end_large(1);
  EXPECT_GT(client.process(), 0) << "it has a job";
  listen(client, [&](const Session& s) { return s.done(a).has_value(); });
  client.end_large(std::int64_t{1} << 40);
  EXPECT_GT(client.process(), 0) << "it is small";
  client.end_large(1);
  static_cast<void>(client.poll());
  EXPECT_EQ(client.process(), -1);
  const std::int64_t b = client.submit(job_of("warp_row_zero_test"));
  const Session session = listen(client, [&](const Session& s) { return s.done(b).has_value(); });
  EXPECT_EQ(session.done(b)->status, DoneStatus::finished);
  EXPECT_EQ(log.count("start"), 2);
}

TEST(EngineClient, StartsAnEngineAnewThatGrewSinceItsFirstJob) {
  constexpr std::int64_t kJobBytes = 64 << 20;  // of the tests' engine
  EngineClient client(fake("grows"), kQuick);
  const auto run = [&] {
    const std::int64_t job = client.submit(job_of("float4_columns"));
    listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  };
  run();
  const pid_t first = client.process();
  client.end_grown(kJobBytes / 2);
  EXPECT_EQ(client.process(), first) << "the first job does not count";
  run();
  client.end_grown(2 * kJobBytes);
  EXPECT_EQ(client.process(), first) << "it grew less";
  client.end_grown(kJobBytes / 2);
  listen(client, [&](const Session&) { return client.ready(); });
  EXPECT_TRUE(client.ready());
  EXPECT_NE(client.process(), first);
}

TEST(EngineClient, WaitsLongerAfterEveryDeath) {
  const EngineLog log;
  const RestartPacing pacing{.first_wait_s = 0.1, .longest_wait_s = 0.3, .most_deaths = 4};
  EngineClient client(log.fake("crashes"), pacing);
  client.start();
  const auto start = std::chrono::steady_clock::now();
  listen(client, [&](const Session&) { return client.given_up(); });
  const double took_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ASSERT_TRUE(client.given_up());
  EXPECT_GE(took_s, 0.1 + 0.2 + 0.3);  // the fourth death is the last
}

TEST(EngineClient, CountsDeathsAnewAfterAnAnsweredJob) {
  const EngineLog log;
  EngineClient client(log.fake("dies"), kQuick);
  std::vector<std::int64_t> jobs;
  for (int i = 0; i < 2 * kQuick.most_deaths; ++i) {
    jobs.push_back(client.submit(job_of("warp_row_zero_test")));
    jobs.push_back(client.submit(job_of("float4_columns")));
  }
  const Session session =
      listen(client, [&](const Session& s) { return s.done(jobs.back()).has_value(); });
  EXPECT_FALSE(client.given_up());
  ASSERT_TRUE(session.done(jobs.back()));
  for (const std::int64_t job : jobs)
    EXPECT_EQ(log.count("job " + std::to_string(job)) > 0, true) << job;
  EXPECT_EQ(session.done(jobs.back())->status, DoneStatus::finished);
}

TEST(EngineClient, EndsAHangingEngineAtOnceWhenAskedAndDoesNotSendTheHangingJobAgain) {
  for (const char* mode : {"hangs", "stubborn"}) {
    const EngineLog log;
    EngineClient client(log.fake(mode), kQuick);
    const std::int64_t hanging = client.submit(job_of("float4_columns")),
                       waiting = client.submit(job_of("warp_row_zero_test"));
    listen(client, [&](const Session&) {
      return client.running() != nullptr && log.count("job " + std::to_string(waiting)) == 1;
    });
    ASSERT_NE(client.running(), nullptr);
    EXPECT_EQ(client.running()->job, hanging);
    const pid_t first = client.process();
    const auto start = std::chrono::steady_clock::now();
    client.restart();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100)) << mode;
    const Session session = listen(client, [&](const Session&) {
      return client.running() != nullptr && client.running()->job == waiting;
    });
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << mode;
    EXPECT_NE(::kill(first, 0), 0) << mode << ": the first engine lives";
    ASSERT_TRUE(session.done(hanging)) << mode;
    EXPECT_EQ(session.done(hanging)->status, DoneStatus::cancelled);
    EXPECT_EQ(log.count("job " + std::to_string(hanging)), 1) << mode;
    EXPECT_EQ(log.count("job " + std::to_string(waiting)), 2) << mode;
    EXPECT_TRUE(session.history().empty()) << mode << ": nobody asked for a verdict";
  }
}

TEST(EngineClient, DoesNotSendCancelledJobsAgain) {
  const EngineLog log;
  EngineClient client(log.fake("hangs"), kQuick);
  Job tagged = job_of("warp_row_zero_test");
  tagged.tag = "live/warp_row_zero_test";
  const std::int64_t first = client.submit(job_of("float4_columns")),
                     cancelled = client.submit(tagged),
                     kept = client.submit(job_of("warp_row_zero_test"));
  listen(client, [&](const Session&) {
    return client.running() != nullptr && log.count("job " + std::to_string(kept)) == 1;
  });
  client.cancel_tagged("live/");
  ::kill(client.process(), SIGKILL);
  const Session session = listen(client, [&](const Session&) {
    return client.running() != nullptr && client.running()->job == kept;
  });
  ASSERT_TRUE(session.done(first) && session.done(cancelled));
  EXPECT_EQ(session.done(first)->status, DoneStatus::failed);
  EXPECT_EQ(session.done(cancelled)->status, DoneStatus::cancelled);
  EXPECT_EQ(log.count("job " + std::to_string(cancelled)), 1);
  EXPECT_EQ(log.count("job " + std::to_string(kept)), 2);
}

TEST(EngineClient, AnswersForJobsThatAreReplacedOrCancelledWhileThereIsNoEngine) {
  const EngineLog log;
  const RestartPacing slow{.first_wait_s = 30, .longest_wait_s = 30};
  EngineClient client(log.fake("crashes"), slow);
  client.start();
  listen(client, [&](const Session&) { return log.count("start") > 0 && client.process() < 0; });
  Job tagged = job_of("float4_columns");
  tagged.tag = "live/float4_columns";
  const std::int64_t older = client.submit(tagged), newer = client.submit(tagged);
  ASSERT_EQ(client.outstanding().size(), 1u);
  client.cancel_all();
  const Session session =
      listen(client, [&](const Session& s) { return s.done(older) && s.done(newer); });
  ASSERT_TRUE(session.done(older) && session.done(newer));
  EXPECT_EQ(session.done(older)->status, DoneStatus::replaced);
  EXPECT_EQ(session.done(newer)->status, DoneStatus::cancelled);
  EXPECT_TRUE(client.outstanding().empty());
  EXPECT_EQ(log.count("start"), 1);
}

TEST(EngineClient, BlamesTheJobThatRanAlsoWhenItTookTheSlotOfAnother) {
  EngineClient client(fake("slow"), kQuick);
  const auto tagged = [](const std::string& variant, const std::string& tag) {
    Job job = job_of(variant);
    job.tag = tag;
    return job;
  };
  const std::int64_t a = client.submit(tagged("float4_columns", "a"));
  listen(client, [&](const Session&) { return client.running() != nullptr; });
  const std::int64_t b = client.submit(tagged("float4_columns", "b")),
                     c = client.submit(tagged("float4_columns", "c")),
                     newer = client.submit(tagged("warp_row_zero_test", "b"));
  // The newer job takes the waiting one's place, before c.
  Session session;
  std::vector<std::int64_t> order;
  const auto start = std::chrono::steady_clock::now();
  const auto over = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::seconds(15);
  };
  while (!(session.done(a) && session.done(b) && session.done(c) && session.done(newer)) &&
         !over()) {
    client.wait(0.02);
    for (const Message& message : client.poll()) session.apply(message);
    if (session.done(b) && order.empty())
      for (const Job& job : client.outstanding()) order.push_back(job.job);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{a, newer, c}));
  ASSERT_TRUE(session.done(a) && session.done(b) && session.done(c) && session.done(newer));
  EXPECT_EQ(session.done(a)->status, DoneStatus::finished);
  EXPECT_EQ(session.done(b)->status, DoneStatus::replaced);
  EXPECT_EQ(session.done(newer)->status, DoneStatus::failed);
  EXPECT_EQ(session.done(c)->status, DoneStatus::finished);
}

// A signal whose handler sleeps makes packing last as long as on a slow machine.
std::atomic<bool> packing{false}, has_slept{false};
constexpr double kLimitS = 2, kPackingS = 8;  // the client allows 5 s beyond the limit

void sleep_while_packing(int) {
  if (!packing) return;
  has_slept = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(kPackingS));
}

TEST(EngineClient, DoesNotTakeItsOwnPackingForSilenceOfTheEngine) {
  const Result<std::filesystem::path> home = home_folder();
  ASSERT_TRUE(home);
  const std::shared_ptr<Catalogue> catalogue = program_catalogue();
  const auto scene = catalogue->open_folder(*home / "assets/examples/captured_norm");
  ASSERT_TRUE(scene) << sentence(scene.error());
  EngineClient client(fake("good"), {}, nullptr, catalogue);
  client.start();
  listen(client, [&](const Session&) { return client.ready(); });
  ASSERT_TRUE(client.ready());

  struct sigaction action {
  }, before{};
  action.sa_handler = sleep_while_packing;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  Job job = job_of("as_captured_fork", kLimitS);
  job.scene = (*scene)->name;
  std::thread other([self = ::pthread_self()] {
    while (!packing) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::pthread_kill(self, SIGUSR1);
  });
  packing = true;
  const std::int64_t number = client.submit(job);
  packing = false;
  other.join();
  ::sigaction(SIGUSR1, &before, nullptr);
  if (!has_slept) GTEST_SKIP() << "the data was packed before the signal came";

  const Session session =
      listen(client, [&](const Session& s) { return s.done(number).has_value(); });
  ASSERT_EQ(session.history().size(), 1u);
  EXPECT_EQ(session.history().front().verdict.outcome, Outcome::correct)
      << session.history().front().verdict.sentence;
}

TEST(EngineClient, QuotesThePathOfAnEngineForTheOtherMachinesShell) {
  EXPECT_EQ(engine_command({.host = "a@b", .path = "it's here/warpscope-engine"}).at(12),
            "'it'\\''s here/warpscope-engine'");
  EXPECT_EQ(engine_command({.host = "a@b", .path = "~/bin/warpscope-engine"}).at(12),
            "~/bin/warpscope-engine");
  EXPECT_EQ(engine_command({.path = "it's here"}).front(), "it's here");
}

}  // namespace
}  // namespace warpscope
