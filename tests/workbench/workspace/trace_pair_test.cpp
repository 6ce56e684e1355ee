// tests/workbench/workspace/trace_pair_test.cpp: the selection goes from one trace to its place in
// another one.
#include <gtest/gtest.h>

#include "tests/profiling/access/synthetic_trace.h"
#include "workbench/workspace/selection/trace_steps.h"

namespace warpscope {
namespace {

using namespace traced_by_hand;

TEST(TracePair, TheSelectionGoesOverAndBack) {
  const Trace from = synthetic_trace();
  Trace to = without(synthetic_trace(), load_index);
  to.variant = "warp_row";
  TraceSelection t;
  settle(t, from);
  choose_request(t, from, nth(from, 4, gather_b, 3));
  turn_to(t, &from, to);
  EXPECT_EQ(t.request, nth(to, 4, gather_b, 3));
  EXPECT_EQ(t.warp, 4u);
  turn_to(t, &to, from);
  EXPECT_EQ(t.request, nth(from, 4, gather_b, 3));
  choose_site(t, from, gather_b);
  turn_to(t, &from, to);
  EXPECT_EQ(t.site, gather_b) << "steps still go through one instruction";
  // Without a counterpart it is the nearest in time.
  const Trace fewer = without(to, gather_b, 1);
  turn_to(t, &to, fewer);
  ASSERT_NE(chosen_request(t, fewer), nullptr);
  EXPECT_EQ(t.warp, 4u);
  EXPECT_EQ(t.site, -1);
}

TEST(TracePair, AllOfAnyTraceGoesOverIntoAnyOther) {
  const Trace full = synthetic_trace(), none = [] {
    Trace trace = synthetic_trace();
    trace.requests.clear();
    trace.variant = "warp_row";
    return trace;
  }();
  Trace bare;
  for (const Trace* from : {&full, &none, static_cast<const Trace*>(&bare)}) {
    for (const Trace* to : {&full, &none, static_cast<const Trace*>(&bare)}) {
      TraceSelection t;
      settle(t, *from);
      turn_to(t, from, *to);
      EXPECT_TRUE(chosen_request(t, *to) != nullptr || to->requests.empty());
    }
  }
}

TEST(TracePair, WhatThePointerIsOnIsTheSameBytesOfTheSameArray) {
  const Trace here = synthetic_trace();
  Trace there = here;
  for (TracedBuffer& buffer : there.buffers) buffer.address += 0x100000;
  Hovered h;
  h.pin = 'A';
  h.buffer = "b";
  h.sector = 7;
  h.element = 58;
  const HoveredBytes own = hovered_bytes(h, 'A', here, &there),
                     other = hovered_bytes(h, 'B', there, &here);
  EXPECT_EQ(own.sector, b_at + 7 * 32);
  EXPECT_EQ(own.first, b_at + 58 * 4);
  EXPECT_EQ(own.last, b_at + 58 * 4 + 3);
  EXPECT_EQ(other.sector, b_at + 0x100000 + 7 * 32);
  EXPECT_EQ(other.first, b_at + 0x100000 + 58 * 4);
  // An array of another shape has other elements there.
  there.buffers[0].shape = {rows, 2 * columns};
  EXPECT_FALSE(hovered_bytes(h, 'B', there, &here).sector);
  EXPECT_EQ(hovered_bytes(h, 'A', here, &there).sector, own.sector);
  // Bytes of no array have nothing to do with those of another launch.
  h = {};
  h.pin = 'A';
  h.sector = 7;
  EXPECT_EQ(hovered_bytes(h, 'A', here, &there).sector, 7u * 32);
  EXPECT_FALSE(hovered_bytes(h, 'B', there, &here).sector);
  EXPECT_FALSE(hovered_bytes({}, 'A', here, &there).sector);
}

}  // namespace
}  // namespace warpscope
