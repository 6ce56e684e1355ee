// tests/profiling/stalls/sample_messages_test.cpp: samples and dependencies as lines of a session
// and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/messages/protocol.h"
#include "profiling/session/session.h"
#include "tests/profiling/stalls/stalled_kernel.h"

namespace warpscope {
namespace {

Measurement sampled_point() {
  StalledKernel kernel;
  kernel.sample(3, "long_scoreboard", 40);
  kernel.sample(3, "selected", 5);
  kernel.sample(7, "long_scoreboard", 2);
  Measurement m = kernel.point;
  m.scene = "patterns";
  m.variant = "copy";
  m.key = "n=32";
  m.counters = "samples";
  StallSamples& s = kernel.step.samples;
  s.instructions.front().counts.front().not_issued = 30;
  s.code_bytes = 128;
  s.multiprocessors = 132;
  s.runs = 20;
  s.dropped = 3;
  s.elsewhere = 4;
  m.steps = {kernel.step};
  return m;
}

TEST(SampleMessages, AreReadAsTheyWereWritten) {
  const Measurement m = sampled_point();
  const Result<Message> read = parse_line(to_line(m));
  ASSERT_TRUE(read) << sentence(read.error());
  const StallSamples &a = m.steps[0].samples, &b = std::get<Measurement>(*read).steps.at(0).samples;
  EXPECT_EQ(a.reasons, b.reasons);
  EXPECT_EQ(a.instructions, b.instructions);
  EXPECT_EQ(std::tuple(a.runs, a.code_bytes, a.multiprocessors, a.compute_capability, a.period_log2,
                       a.dropped, a.elsewhere),
            std::tuple(b.runs, b.code_bytes, b.multiprocessors, b.compute_capability, b.period_log2,
                       b.dropped, b.elsewhere));
}

TEST(SampleMessages, CarryWhyThereAreNone) {
  Measurement m = sampled_point();
  m.steps[0].samples = {};
  m.steps[0].samples.missing = {{"samples", std::nullopt, Origin::measured, "why", "what to do"}};
  const Result<Message> read = parse_line(to_line(m));
  ASSERT_TRUE(read);
  const StallSamples& samples = std::get<Measurement>(*read).steps.at(0).samples;
  ASSERT_EQ(samples.missing.size(), 1u);
  EXPECT_EQ(samples.missing[0].reason, "why");
  EXPECT_EQ(samples.missing[0].remedy, "what to do");
}

TEST(SampleMessages, OfBrokenLinesAreRefusedOrLeftOut) {
  const auto step = [](const std::string& samples) {
    return parse_line(
        R"({"type":"measurement","job":1,"scene":"s","variant":"v","key":"","axes":{},"verdict":{},)"
        R"("conditions":{},"steps":[{"name":"x","kind":"kernel","source":"","samples":)" +
        samples + "}]}");
  };
  const Result<Message> unknown =
      step(R"({"runs":1,"reasons":["wait"],"instructions":[[16,9,1,0,0,2,1]]})");
  ASSERT_TRUE(unknown) << sentence(unknown.error());
  const StallSamples& samples = std::get<Measurement>(*unknown).steps.at(0).samples;
  EXPECT_EQ(samples.instructions.at(0).counts, (std::vector<StallCount>{{0, 2, 1}}));
  EXPECT_FALSE(step(R"({"runs":1,"instructions":[["x"]]})"));
  EXPECT_FALSE(step(R"({"runs":1,"instructions":[[]]})"));
}

TEST(SampleMessages, StayAtThePointWhenItIsMeasuredAgainWithout) {
  Session session;
  Measurement m = sampled_point();
  m.conditions.code_id = "c";
  m.steps[0].text_hash = "h";
  session.apply(m);
  m.steps[0].samples = {};
  m.counters = "none";
  session.apply(m);
  const auto points = session.points_at("patterns", "copy", "n=32");
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points.front()->steps.at(0).samples.runs, 20);
  // Another text has other instructions.
  m.steps[0].text_hash = "other";
  session.apply(m);
  EXPECT_EQ(session.points_at("patterns", "copy", "n=32").front()->steps.at(0).samples.runs, 0);
}

TEST(SampleMessages, DependenciesOfATraceAreReadAsTheyWereWritten) {
  StalledKernel kernel;
  kernel.add("LDG.E R5, desc[UR4][R2.64]", 6, {}, 4);
  kernel.add("FADD R6, R5, R6", 7, {{0, NeedKind::value, 2}, {0, NeedKind::asynchronous, -1}}, 5);
  kernel.add("@P0 BRA `(.L_x_0)", 8, {{1, NeedKind::fixed, -1}}, 5);
  kernel.row(2).next = {0, 2};
  const Result<Message> read = parse_line(to_line(kernel.trace));
  ASSERT_TRUE(read) << sentence(read.error());
  EXPECT_EQ(std::get<Trace>(*read).machine_code->rows, kernel.trace.machine_code->rows);
  std::string broken = to_line(kernel.trace);
  broken.replace(broken.find("\"next\":[[2,0,2]]"), 16, "\"next\":[[2,0,9]]");
  EXPECT_FALSE(parse_line(broken));
}

}  // namespace
}  // namespace warpscope
