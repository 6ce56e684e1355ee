// tests/profiling/overview/costly_trace_test.cpp: which step of several a diagram opens with.
#include "profiling/overview/costly_trace.h"

#include <gtest/gtest.h>

#include "profiling/points/point.h"

namespace warpscope {
namespace {

Trace traced(const std::string& step, std::int64_t instructions, std::int64_t job = 1) {
  Trace trace;
  trace.job = job;
  trace.scene = "csrmm";
  trace.variant = "two_steps";
  trace.key = "m=1";
  trace.step = step;
  trace.warp_instructions = instructions;
  return trace;
}

const PointId kPoint{"csrmm", "two_steps", "m=1", "", ""};

Measurement timed(double clear_ns, double multiply_ns) {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "two_steps";
  point.key = "m=1";
  point.verdict.outcome = Outcome::correct;
  for (const auto& [name, time] :
       {std::pair("clear", clear_ns), std::pair("multiply", multiply_ns)}) {
    StepRecord step;
    step.name = name;
    step.kind = "kernel";
    step.time_ns = time;
    point.steps.push_back(step);
  }
  return point;
}

TEST(CostlyTrace, IsOfTheStepWithMostInstructionsNotOfTheLastOne) {
  Session session;
  EXPECT_EQ(costly_trace(session, kPoint), nullptr);
  session.apply(traced("multiply", 5000));
  session.apply(traced("clear", 40));
  ASSERT_EQ(session.traces(kPoint).size(), 2u);
  EXPECT_EQ(session.trace(kPoint)->step, "clear") << "which came last";
  EXPECT_EQ(costly_trace(session, kPoint)->step, "multiply");
  session.apply(traced("multiply", 30, 2));
  EXPECT_EQ(costly_trace(session, kPoint)->step, "clear") << "of each step the newest counts";
}

TEST(CostlyTrace, IsOfTheStepThatTakesLongestWhereThatWasMeasured) {
  Session session;
  session.apply(traced("multiply", 5000));
  session.apply(traced("clear", 40));
  session.apply(timed(900, 100));
  EXPECT_EQ(costly_trace(session, kPoint)->step, "clear");
  session.apply(timed(100, 900));
  EXPECT_EQ(costly_trace(session, kPoint)->step, "multiply");
}

TEST(CostlyTrace, IsOfAnotherStepWhereTheLongestHasNone) {
  Session session;
  session.apply(traced("clear", 40));
  session.apply(timed(100, 900));
  EXPECT_EQ(costly_trace(session, kPoint)->step, "clear");
}

TEST(CostlyTrace, IsOfThisPointAlone) {
  Session session;
  Trace other = traced("multiply", 5000);
  other.key = "m=2";
  session.apply(other);
  session.apply(traced("clear", 40));
  EXPECT_EQ(costly_trace(session, kPoint)->step, "clear");
}

}  // namespace
}  // namespace warpscope
