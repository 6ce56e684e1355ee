// tests/workbench/engine_client_test.cpp: an engine that dies, hangs or babbles becomes a verdict.
#include "workbench/engine_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <functional>

#include "workbench/workspace.h"

namespace warpscope {
namespace {

std::vector<std::string> fake(const std::string& mode) {
  return {WARPSCOPE_BINARY_FOLDER "/fake_engine", mode};
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
  listen(client, [&](const Session&) { return client.ready(); });
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
  EXPECT_EQ(session.history().at(0).verdict.outcome, Outcome::timed_out);
}

TEST(EngineClient, PassesOverLinesThatAreNoMessages) {
  EngineClient client(fake("garbage"));
  const std::int64_t job = client.submit(job_of("float4_columns"));
  const Session session = listen(client, [&](const Session& s) { return s.done(job).has_value(); });
  EXPECT_EQ(session.history().size(), 1u);
  EXPECT_TRUE(logged(session, "no message"));
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

TEST(Workspace, ShowsTheNearestRecordedPointWhereThereIsNoEngine) {
  Workspace workspace({});
  const auto sessions = recorded_sessions();
  ASSERT_FALSE(sessions.empty());
  ASSERT_TRUE(workspace.open(sessions.back()));
  EXPECT_TRUE(workspace.recorded());
  const std::string at_default = workspace.key();
  ASSERT_NE(workspace.state("float4_columns").point, nullptr);
  EXPECT_EQ(workspace.state("float4_columns").freshness, Freshness::fresh);
  workspace.selection.axes.set("n", std::int64_t{130});
  workspace.update();
  EXPECT_EQ(workspace.key(), at_default);
}

TEST(Workspace, TakesAChoiceBackAndMakesItAgain) {
  Workspace workspace({});
  workspace.selection.variant = "float4_columns";
  workspace.update();
  workspace.selection.axes.set("n", std::int64_t{64});
  workspace.update();
  workspace.undo();
  EXPECT_EQ(workspace.selection.axes.integer("n"), 128);
  EXPECT_EQ(workspace.selection.variant, "float4_columns");
  workspace.undo();
  EXPECT_EQ(workspace.selection.variant, "warp_row_zero_test");
  workspace.redo();
  workspace.redo();
  EXPECT_EQ(workspace.selection.axes.integer("n"), 64);
}

TEST(Workspace, MeasuresTheVariantInFocusFirstWhenASliderMoves) {
  Workspace workspace(fake("good"));
  const auto until = [&](const std::function<bool()>& enough) {
    const auto start = std::chrono::steady_clock::now();
    while (!enough() && std::chrono::steady_clock::now() - start < std::chrono::seconds(10)) {
      workspace.wait(0.02);
      workspace.update();
    }
  };
  until([&] {
    return workspace.has_device() && !workspace.recorded() && !workspace.progress().busy;
  });
  ASSERT_FALSE(workspace.recorded());
  const std::size_t before = workspace.session().jobs().size();
  workspace.selection.variant = "float4_columns";
  workspace.selection.axes.set("n", std::int64_t{256});
  workspace.update();
  ASSERT_GT(workspace.session().jobs().size(), before);
  EXPECT_EQ(workspace.session().jobs()[before].second.variant, "float4_columns");
  EXPECT_EQ(workspace.session().jobs()[before].second.tag, "live/float4_columns");
  EXPECT_TRUE(workspace.session().jobs()[before].second.live);
}

}  // namespace
}  // namespace warpscope
