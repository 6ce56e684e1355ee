// tests/workbench/workspace/trace_steps_test.cpp: steps, zoom and play stay inside a trace.
#include "workbench/workspace/selection/trace_steps.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/profiling/access/synthetic_trace.h"
#include "workbench/workspace/selection/code_change.h"

namespace warpscope {
namespace {

TEST(TraceSteps, GoThroughAWarpsRequestsAndStopAtItsEnds) {
  const Trace trace = synthetic_trace();
  TraceSelection t;
  t.warp = 2;
  settle(t, trace);
  const auto [first, last] = requests_of_warp(trace, 2);
  EXPECT_EQ(t.request, first);
  EXPECT_FALSE(step_request(t, trace, -1));
  int steps = 0;
  while (step_request(t, trace, 1)) ++steps;
  EXPECT_EQ(steps, static_cast<int>(last - first) - 1);
  EXPECT_EQ(t.request, last - 1);
  EXPECT_EQ(step_position(t, trace).at, static_cast<std::int64_t>(last - first));
  EXPECT_EQ(step_position(t, trace).of, static_cast<std::int64_t>(last - first));
}

TEST(TraceSteps, GoThroughOneInstructionWhenOneIsChosen) {
  const Trace trace = synthetic_trace();
  TraceSelection t;
  settle(t, trace);
  choose_site(t, trace, traced_by_hand::gather_b);
  EXPECT_EQ(step_position(t, trace).of, traced_by_hand::entries);
  do {
    EXPECT_EQ(trace.requests[t.request].site, traced_by_hand::gather_b);
  } while (step_request(t, trace, 1));
  choose_site(t, trace, traced_by_hand::gather_b);  // again: all
  EXPECT_EQ(t.site, -1);
  choose_site(t, trace, traced_by_hand::gather_b);
  choose_request(t, trace, 0);  // of another instruction
  EXPECT_EQ(t.site, -1);
  EXPECT_EQ(t.request, 0u);
}

TEST(TraceSteps, AnotherWarpIsShownAtTheSameTime) {
  const Trace trace = synthetic_trace();
  TraceSelection t;
  settle(t, trace);
  for (int i = 0; i < 9; ++i) step_request(t, trace, 1);
  const WarpRequest before = trace.requests[t.request];
  step_warp(t, trace, 1);
  EXPECT_EQ(t.warp, 1u);
  EXPECT_EQ(trace.requests[t.request].warp, 1u);
  EXPECT_EQ(trace.requests[t.request].order, before.order);
  for (int i = 0; i < 20; ++i) step_warp(t, trace, 1);
  EXPECT_EQ(t.warp, 7u);
}

TEST(TraceSteps, PlayStepsAtItsSpeedAndStopsAtTheEnd) {
  const Trace trace = synthetic_trace();
  TraceSelection t;
  t.speed = 10;
  settle(t, trace);
  t.request = 0;
  play(t, trace, 1);
  EXPECT_EQ(t.request, 0u);  // not playing
  t.playing = true;
  for (int i = 0; i < 6; ++i) play(t, trace, 0.05);
  EXPECT_EQ(t.request, 3u);
  play(t, trace, 1000);
  EXPECT_FALSE(t.playing);
  EXPECT_EQ(t.request, requests_of_warp(trace, 0).second - 1);
}

TEST(TraceSteps, ChooseARequestByItsLineOrTheWorst) {
  const Trace trace = synthetic_trace();
  TraceSelection t;
  t.zoom = TraceZoom::grid;
  ASSERT_TRUE(choose_line(t, trace, "csrmm/float4_columns.cu", 40, RequestFamily::global));
  EXPECT_EQ(trace.requests[t.request].site, traced_by_hand::store_c);
  EXPECT_EQ(t.zoom, TraceZoom::request);
  EXPECT_FALSE(choose_line(t, trace, "csrmm/float4_columns.cu", 40, RequestFamily::shared));
  EXPECT_FALSE(choose_line(t, trace, "csrmm/float4_columns.cu", 9999, RequestFamily::any));
  // 4 wavefronts where 1 would do; 32 sectors where 4 would.
  ASSERT_TRUE(choose_worst(t, trace, RequestFamily::shared));
  EXPECT_EQ(trace.requests[t.request].site, traced_by_hand::unstage);
  ASSERT_TRUE(choose_worst(t, trace, RequestFamily::global));
  EXPECT_EQ(trace.requests[t.request].site, traced_by_hand::add_c);
  // What was chosen stays: the diagrams settle in the next frame.
  const std::size_t chosen = t.request;
  settle(t, trace);
  EXPECT_EQ(t.request, chosen);
}

TEST(TraceSteps, ZoomHasTwoEnds) {
  TraceSelection t;
  zoom(t, 1);
  EXPECT_EQ(t.zoom, TraceZoom::request);
  for (int i = 0; i < 5; ++i) zoom(t, -1);
  EXPECT_EQ(t.zoom, TraceZoom::grid);
}

TEST(TraceSteps, AnythingIsSettledInsideTheTrace) {
  std::mt19937 random(4);
  Trace full = synthetic_trace(), one_warp = full, none = full, bare;
  std::erase_if(one_warp.requests, [](const WarpRequest& r) { return r.warp != 5; });
  none.requests.clear();
  for (const Trace& trace : {full, one_warp, none, bare}) {
    for (int i = 0; i < 300; ++i) {
      TraceSelection t;
      t.warp = static_cast<std::uint32_t>(random() % 12);
      t.request = random() % 400;
      t.site = static_cast<std::int64_t>(random() % 9) - 1;
      t.buffer = random() % 2 == 0 ? "b" : "of another trace";
      settle(t, trace);
      EXPECT_TRUE(t.site < static_cast<std::int64_t>(trace.sites.size()));
      EXPECT_LT(t.warp, 8u);
      if (const WarpRequest* r = chosen_request(t, trace)) {
        EXPECT_EQ(r->warp, t.warp);
      } else {
        EXPECT_TRUE(trace.requests.empty());
      }
      EXPECT_TRUE(trace.buffers.empty() || find_buffer(trace, t.buffer) != nullptr);
      step_request(t, trace, 1);
      step_warp(t, trace, -1);
    }
  }
}

TEST(TraceSteps, BeginWithTheWarpThatMakesMostRequests) {
  // The last warp copies tiles for the others, which is what moves most.
  const Trace trace = with_a_producer();
  EXPECT_EQ(busiest_warp(trace, RequestFamily::any), 0u);
  EXPECT_EQ(busiest_warp(trace, RequestFamily::shared), 0u);
  TraceSelection t;
  settle(t, trace);
  EXPECT_EQ(t.warp, 0u);
  Trace alone = trace;
  std::erase_if(alone.requests,
                [](const WarpRequest& r) { return r.warp != traced_by_hand::producer; });
  settle(t = {}, alone);
  EXPECT_EQ(t.warp, static_cast<std::uint32_t>(traced_by_hand::producer));
  EXPECT_FALSE(busiest_warp(alone, RequestFamily::shared));
  EXPECT_FALSE(busiest_warp(Trace{}, RequestFamily::any));
}

TEST(TraceSteps, TheMapStartsWithTheArrayWrittenMost) {
  EXPECT_EQ(most_written(synthetic_trace()), "c");
  EXPECT_EQ(most_written(Trace{}), "");
}

// As machine code with one more instruction at the beginning, so that all others move.
Trace as_machine_code(const Trace& ptx) {
  Trace machine = ptx;
  machine.machine_code.emplace();
  machine.sites.insert(machine.sites.begin(), ptx.sites.front());
  for (WarpRequest& request : machine.requests) ++request.site;
  return machine;
}

TEST(CodeChange, KeepsTheChosenInstructionAndItsRequest) {
  const Trace ptx = synthetic_trace(), machine = as_machine_code(ptx);
  TraceSelection selection;
  settle(selection, ptx);
  choose_site(selection, ptx, traced_by_hand::gather_b);
  const TraceSelection before = selection;
  follow_code(selection, &ptx, machine);
  EXPECT_EQ(selection.site, traced_by_hand::gather_b + 1);
  EXPECT_EQ(selection.request, before.request) << "the requests themselves are the same";
  EXPECT_EQ(selection.warp, before.warp);
  follow_code(selection, &machine, ptx);
  EXPECT_EQ(selection.site, traced_by_hand::gather_b);
}

// Four loads in a row that became one: the last of eight is the last of two.
TEST(CodeChange, GoesToTheJoinedLoadOfTheSameLine) {
  Trace ptx = synthetic_trace();
  const WarpRequest one = ptx.requests.front();
  ptx.requests.assign(8, one);
  Trace machine = ptx;
  machine.machine_code.emplace();
  machine.requests.resize(2);
  for (std::size_t chosen = 0; chosen < 8; ++chosen) {
    TraceSelection selection;
    settle(selection, ptx);
    selection.warp = one.warp;
    selection.request = chosen;
    follow_code(selection, &ptx, machine);
    EXPECT_EQ(selection.request, chosen / 4) << chosen;
  }
}

TEST(CodeChange, LeavesAnotherLaunchAlone) {
  const Trace ptx = synthetic_trace();
  Trace machine = as_machine_code(ptx);
  machine.key = "another";
  TraceSelection selection;
  settle(selection, ptx);
  choose_site(selection, ptx, traced_by_hand::gather_b);
  follow_code(selection, &ptx, machine);
  follow_code(selection, nullptr, machine);
  EXPECT_EQ(selection.site, traced_by_hand::gather_b);
}

}  // namespace
}  // namespace warpscope
