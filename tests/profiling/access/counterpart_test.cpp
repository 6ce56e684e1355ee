// tests/profiling/access/counterpart_test.cpp: what stands in one trace where something stands in
// another one.
#include "profiling/access/counterpart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiling/access/trace_view.h"
#include "tests/profiling/access/synthetic_trace.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using namespace traced_by_hand;

TEST(Counterpart, OfEveryRequestInItsOwnTraceIsItself) {
  const Trace trace = synthetic_trace();
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    const Counterpart found = counterpart(trace, i, trace);
    EXPECT_EQ(found.request, i);
    EXPECT_EQ(found.note + found.missing, "");
  }
}

TEST(Counterpart, IsTheSamePlaceAmongTheRequestsToTheSameArray) {
  const Trace from = synthetic_trace(), to = without(synthetic_trace(), load_index);
  for (int n = 0; n < entries; ++n) {
    EXPECT_EQ(counterpart(from, nth(from, 2, gather_b, n), to).request, nth(to, 2, gather_b, n));
    EXPECT_EQ(counterpart(to, nth(to, 2, gather_b, n), from).request, nth(from, 2, gather_b, n));
  }
  // The writes of C are two instructions: one after the other to the same array.
  EXPECT_EQ(counterpart(from, nth(from, 2, add_c, 0), to).request, nth(to, 2, add_c, 0));
}

TEST(Counterpart, WhereTheArrayIsNotTouchedIsTheSamePlaceInThatMemory) {
  const Trace from = synthetic_trace(), to = without(synthetic_trace(), load_index);
  // From's requests to global memory go index, b, index, b, …; those of `to` b, b, ….
  const Counterpart found = counterpart(from, nth(from, 2, load_index, 1), to);
  EXPECT_EQ(found.request, nth(to, 2, gather_b, 2));
  EXPECT_THAT(found.note, HasSubstr("The arrays differ: warp 2 does not touch indices here"));
  EXPECT_THAT(found.note, HasSubstr("request 3 to global memory"));
  EXPECT_EQ(found.missing, "");
}

TEST(Counterpart, IsMissingWhereTheOtherHasFewer) {
  const Trace from = synthetic_trace(), to = without(synthetic_trace(), gather_b, 3);
  EXPECT_EQ(counterpart(from, nth(from, 5, gather_b, 2), to).request, nth(to, 5, gather_b, 2));
  const Counterpart found = counterpart(from, nth(from, 5, gather_b, 4), to);
  EXPECT_FALSE(found.request);
  EXPECT_EQ(found.missing, "Warp 5 has only 3 requests to b: there is no request 5.");
  Trace cut = without(to, gather_b, 1);
  cut.truncated = true;
  EXPECT_EQ(counterpart(from, nth(from, 5, gather_b, 1), cut).missing,
            "Warp 5 has only 1 request to b among those that were kept: there is no request 2.");
}

TEST(Counterpart, KeepsToItsMemory) {
  const Trace from = synthetic_trace(), to = without(synthetic_trace(), load_index);
  for (int n = 0; n < entries; ++n) {
    EXPECT_EQ(counterpart(from, nth(from, 0, stage, n), to).request, nth(to, 0, stage, n));
    EXPECT_EQ(counterpart(from, nth(from, 0, unstage, n), to).request, nth(to, 0, unstage, n));
  }
  const Trace no_shared = without(without(from, stage), unstage);
  const Counterpart none = counterpart(from, nth(from, 1, stage, 0), no_shared);
  EXPECT_FALSE(none.request);
  EXPECT_EQ(none.missing, "Warp 1 makes no request to shared memory.");
}

TEST(Counterpart, IsMissingWhereTheOtherBlocksHaveFewerWarps) {
  const Trace from = synthetic_trace();
  Trace to = from;
  std::erase_if(to.requests, [](const WarpRequest& r) { return r.warp >= 4; });
  to.launch.block = {32, 4, 1};
  EXPECT_TRUE(counterpart(from, nth(from, 3, store_c, 0), to).request);
  const Counterpart found = counterpart(from, nth(from, 6, store_c, 0), to);
  EXPECT_FALSE(found.request);
  EXPECT_EQ(found.missing, "Its blocks have 4 warps: there is no warp 6.");
}

TEST(Counterpart, SaysThatBlocksAndStepsDiffer) {
  const Trace from = synthetic_trace();
  Trace to = from;
  EXPECT_EQ(apart_text(from, to), "");
  to.scope.block = 0;
  EXPECT_EQ(apart_text(from, to), "This is block 0, not 3.");
  to.launch.grid = {2, 1, 1};
  EXPECT_EQ(apart_text(from, to), "This is block 0, not 3: the grid has only 2 blocks.");
  to = from;
  to.step = "gather";
  EXPECT_EQ(apart_text(from, to), "The steps differ: gather here, multiply there.");
  // What stands at the same place is still the counterpart.
  EXPECT_EQ(counterpart(from, nth(from, 2, gather_b, 3), to).request, nth(to, 2, gather_b, 3));
}

}  // namespace
}  // namespace warpscope
