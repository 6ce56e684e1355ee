// tests/workbench/client/memory_test.cpp: what a window keeps in memory stays within its limits.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "profiling/session/kept_bytes.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/trace_state.h"
#include "workbench/workspace/workspace.h"

namespace warpscope {
namespace {

using Clock = std::chrono::steady_clock;

Session::Limits limits(std::int64_t traces, std::int64_t points) {
  return {.trace_bytes = traces,
          .point_bytes = points,
          .history_bytes = points,
          .timeline_bytes = 1 << 20,
          .jobs = 100};
}

Trace trace_at(std::int64_t n) {
  Trace trace = synthetic_trace();
  trace.key = sample::key_at_n(n);
  return trace;
}

// What a session keeps of one: a copy, without room to grow.
std::int64_t bytes_of_one_trace() {
  Session session;
  session.apply(trace_at(1000));
  return session.memory().traces.bytes;
}

TEST(KeptBytes, GrowByWhatIsInATrace) {
  Trace trace = synthetic_trace();
  trace.requests.shrink_to_fit();
  const std::int64_t before = kept_bytes(trace);
  EXPECT_GT(before, static_cast<std::int64_t>(trace.requests.size() * sizeof(WarpRequest)));
  const auto more = static_cast<std::int64_t>(1000 * sizeof(WarpRequest));
  trace.requests.resize(trace.requests.size() + 1000);
  trace.requests.shrink_to_fit();
  EXPECT_EQ(kept_bytes(trace), before + more);
  trace.printed = std::string(5000, 'x');
  trace.printed.shrink_to_fit();
  EXPECT_EQ(kept_bytes(trace), before + more + 5001);
}

TEST(SessionMemory, LetsGoOfTheTracesUsedLongestAgoAndKeepsTheNewestAndTheNeeded) {
  Session session;
  const std::int64_t each = bytes_of_one_trace();
  for (std::int64_t n = 1; n <= 20; ++n) session.apply(trace_at(n));
  EXPECT_EQ(session.memory().traces.count, 20u);
  EXPECT_NEAR(static_cast<double>(session.memory().traces.bytes), 20.0 * static_cast<double>(each),
              20.0 * 100);
  session.use_traces({"csrmm", "float4_columns", sample::key_at_n(2), "", ""});
  const Session::LetGo gone = session.let_go(
      limits(5 * each, 1 << 20), {[](const Trace& t) { return t.key == sample::key_at_n(1); }, {}});
  EXPECT_LE(session.memory().traces.bytes, 5 * each);
  EXPECT_EQ(gone.traces + session.memory().traces.count, 20u);
  const auto has = [&](std::int64_t n) {
    return session.trace({"csrmm", "float4_columns", sample::key_at_n(n), "", ""}) != nullptr;
  };
  EXPECT_TRUE(has(1)) << "it was needed";
  EXPECT_TRUE(has(2)) << "it was used last";
  EXPECT_TRUE(has(20)) << "it is the newest";
  EXPECT_FALSE(has(3));
  // One that alone is over the limit stays while it is the newest.
  session.let_go(limits(1, 1 << 20), {});
  EXPECT_EQ(session.memory().traces.count, 1u);
}

TEST(SessionMemory, LetsGoOfThePointsThatCameLongestAgoAndFindsTheOthersWhereTheyWere) {
  Session session;
  const std::int64_t each = kept_bytes(sample::correct("float4_columns", 1000, 1000));
  for (std::int64_t n = 1; n <= 50; ++n)
    session.apply(sample::correct("float4_columns", 1000.0 * static_cast<double>(n), n));
  session.apply(sample::correct("float4_columns", 777, 3));  // measured again
  const Session::LetGo gone =
      session.let_go(limits(1 << 20, 10 * each),
                     {{}, [](const Measurement& m) { return m.key == sample::key_at_n(1); }});
  EXPECT_LE(session.memory().points.bytes, 10 * each);
  EXPECT_LE(session.memory().history.bytes, 10 * each);
  EXPECT_EQ(gone.points + session.memory().points.count, 50u);
  EXPECT_EQ(session.all_points().size(), session.memory().points.count);
  EXPECT_EQ(session.points("csrmm", "float4_columns").size(), session.memory().points.count);
  const auto time = [&](std::int64_t n) {
    const Measurement* m = session.latest(id_of(sample::correct("float4_columns", 1, n)));
    return m == nullptr ? -1 : m->warm->median_ns;
  };
  EXPECT_NEAR(time(1), 1000, 1) << "it was needed";
  EXPECT_NEAR(time(3), 777, 1) << "it came again";
  EXPECT_NEAR(time(50), 50000, 50);
  EXPECT_EQ(time(2), -1);
  // What comes now finds its place, and what went comes back.
  session.apply(sample::correct("float4_columns", 2222, 2));
  session.apply(sample::correct("float4_columns", 3333, 50));
  EXPECT_NEAR(time(2), 2222, 2);
  EXPECT_NEAR(time(50), 3333, 3);
}

TEST(SessionMemory, KeepsAllOfAFile) {
  Session session;
  for (std::int64_t n = 1; n <= 20; ++n) {
    session.apply(sample::correct("float4_columns", 1000, n));
    session.apply(trace_at(n));
  }
  session.opened_all();
  EXPECT_EQ(session.memory().opened.count, 40u);
  EXPECT_EQ(session.memory().points.bytes, 0);
  for (std::int64_t n = 101; n <= 120; ++n) {
    session.apply(sample::correct("float4_columns", 1000, n));
    session.apply(trace_at(n));
  }
  session.let_go(limits(1, 1), {});
  EXPECT_EQ(session.memory().opened.count, 40u);
  EXPECT_EQ(session.memory().points.count, 1u);
  EXPECT_EQ(session.memory().traces.count, 1u);
  EXPECT_NE(session.trace({"csrmm", "float4_columns", sample::key_at_n(7), "", ""}), nullptr);
}

TEST(SessionMemory, KeepsTheNewestJobsWithTheirAnswers) {
  Session session;
  for (std::int64_t number = 1; number <= 1000; ++number) {
    session.apply(sample::job(number, JobKind::measure, "float4_columns"));
    session.apply(Done{number});
    session.let_go(limits(1 << 20, 1 << 20), {});
  }
  EXPECT_LE(session.jobs().size(), 100u);
  EXPECT_EQ(session.jobs().back().first, 1000);
  EXPECT_TRUE(session.done(1000));
  EXPECT_FALSE(session.done(1));
}

// Turns to a configuration, and waits for its trace.
void visit(Workspace& workspace, std::int64_t n, std::int64_t most_bytes) {
  const auto trace = [&] {
    return workspace.session().trace(workspace.view().point_id("float4_columns"));
  };
  workspace.selection.axes.set("n", n);
  const auto start = Clock::now();
  workspace.update();
  while (trace() == nullptr && Clock::now() - start < std::chrono::seconds(20)) {
    workspace.wait(0.01);
    workspace.update();
  }
  workspace.update();
  EXPECT_NE(trace(), nullptr) << n;
  EXPECT_LE(workspace.session().memory().traces.bytes, most_bytes) << n;
}

TEST(WorkspaceMemory, StaysWithinItsLimitOverManyConfigurationsAndEmulatesAgainWhatWent) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = "float4_columns";
  const std::int64_t each = bytes_of_one_trace();
  workspace.limit_memory(limits(6 * each, 1 << 20));
  for (std::int64_t n = 1; n <= 60; ++n) visit(workspace, n, 6 * each);
  EXPECT_GE(workspace.view().opened.let_go().traces, 50u);
  workspace.selection.axes.set("n", std::int64_t{1});
  workspace.update();
  EXPECT_EQ(workspace.session().trace(workspace.view().point_id("float4_columns")), nullptr)
      << "it was let go of";
  const TraceState state = trace_state(workspace.view(), "float4_columns");
  EXPECT_EQ(state.freshness, Freshness::pending);
  EXPECT_NE(state.trace, nullptr) << "another one of the variant stands there meanwhile";
  visit(workspace, 1, 6 * each);
}

TEST(WorkspaceMemory, KeepsTheTracesOfAAndB) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = "float4_columns";
  const std::int64_t each = bytes_of_one_trace();
  workspace.limit_memory(limits(6 * each, 1 << 20));
  for (std::int64_t n = 1; n <= 20; ++n) {
    visit(workspace, n, 6 * each);
    if (n == 1) pin_as_a(workspace.selection.pins, pin_here(workspace.view(), "float4_columns"));
    if (n == 2) pin_as_b(workspace.selection.pins, pin_here(workspace.view(), "float4_columns"));
  }
  EXPECT_GE(workspace.view().opened.let_go().traces, 10u);
  EXPECT_NE(trace_of(workspace.view(), *workspace.selection.pins.a), nullptr);
  EXPECT_NE(trace_of(workspace.view(), *workspace.selection.pins.b), nullptr);
}

TEST(WorkspaceMemory, ReleasesTheTracesThatNobodyLooksAtAndEmulatesThemAgain) {
  Workspace workspace({}, {built_program("fake_engine"), "traces"});
  workspace.selection.variant = "float4_columns";
  constexpr std::int64_t kRoom = 1 << 30;
  for (std::int64_t n = 1; n <= 10; ++n) {
    visit(workspace, n, kRoom);
    if (n == 2) pin_as_a(workspace.selection.pins, pin_here(workspace.view(), "float4_columns"));
  }
  // This one was asked for by hand, as "trace" does.
  workspace.selection.axes.set("n", std::int64_t{3});
  workspace.update();
  const std::int64_t before =
      workspace.session().trace(workspace.view().point_id("float4_columns"))->job;
  workspace.requests.ask(request::Trace{"float4_columns", {}});
  const auto start = Clock::now();
  while (workspace.session().trace(workspace.view().point_id("float4_columns"))->job == before &&
         Clock::now() - start < std::chrono::seconds(20)) {
    workspace.update();
    workspace.wait(0.01);
  }
  visit(workspace, 10, kRoom);
  ASSERT_EQ(workspace.session().memory().traces.count, 10u);
  workspace.requests.ask(request::Release{});
  workspace.update();
  const auto is_there = [&](std::int64_t n) {
    return workspace.session().trace({"csrmm", "float4_columns", sample::key_at_n(n), "", ""}) !=
           nullptr;
  };
  for (std::int64_t n = 1; n <= 10; ++n) EXPECT_EQ(is_there(n), n == 2 || n == 3 || n == 10) << n;
  workspace.selection.axes.set("n", std::int64_t{5});
  workspace.update();
  EXPECT_EQ(trace_state(workspace.view(), "float4_columns").freshness, Freshness::pending);
  visit(workspace, 5, kRoom);
}

}  // namespace
}  // namespace warpscope
