// tests/workbench/panels/diagram_choice_test.cpp: what diagrams show where warps make no requests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

Trace here(Trace trace) {
  trace.variant = sample::focus;
  trace.key = sample::key_at_n(128);
  return trace;
}

TEST(DiagramChoice, BanksOfAKernelWithAProducerShowAWarpThatUsesSharedMemory) {
  NullWindow window;
  auto workspace = sample::recorded({here(with_a_producer())});
  EXPECT_THAT(
      window.panel(*workspace, "banks"),
      AllOf(HasSubstr("warp 0 of 8"), HasSubstr("wavefront"), Not(HasSubstr("no request"))));
}

TEST(DiagramChoice, BanksOfAWarpWithoutSharedMemoryShowTheRequestOfAnother) {
  NullWindow window;
  const Trace trace = here(with_a_producer());
  auto workspace = sample::recorded({trace});
  workspace->selection.trace.warp = traced_by_hand::producer;
  workspace->selection.trace.request = requests_of_warp(trace, traced_by_hand::producer).first;
  EXPECT_THAT(
      window.panel(*workspace, "banks"),
      HasSubstr("Warp 7 uses no shared memory: this is a request of warp 0, nearest in time."));
  Trace none = trace;
  std::erase_if(none.requests,
                [&](const WarpRequest& r) { return none.sites[r.site].space == Space::shared; });
  workspace = sample::recorded({none});
  EXPECT_THAT(window.panel(*workspace, "banks"),
              HasSubstr("No warp of this block uses shared memory."));
}

TEST(DiagramChoice, TablesLeaveOutInstructionsWithoutARequestAndSayHowMany) {
  NullWindow window;
  Trace trace = here(synthetic_trace());
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "banks"),
              AllOf(HasSubstr("store shared 4 B"), Not(HasSubstr("made no request"))));
  trace.sites[traced_by_hand::stage].totals = {};
  std::erase_if(trace.requests,
                [](const WarpRequest& r) { return r.site == traced_by_hand::stage; });
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "banks"),
              AllOf(Not(HasSubstr("store shared 4 B")), HasSubstr("1 made no request")));
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "coalescing"),
              Not(HasSubstr("made no request")));
  trace.sites[traced_by_hand::unstage].totals = {};
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "banks"),
              HasSubstr("No instruction for shared memory made a request."));
}

// A number that the column would cut has a prefix, and is whole on hover.
TEST(DiagramChoice, TablesCutNoNumber) {
  NullWindow window(1280, 720);
  Trace trace = here(synthetic_trace());
  trace.scope.grid = true;
  for (AccessSite& site : trace.sites) {
    if (site.space != Space::shared) continue;
    site.totals.requests = 9240576;
    site.totals.wavefronts = 369623040;
  }
  const std::string words = window.panel(*sample::recorded({trace}), "banks");
  EXPECT_THAT(words,
              AllOf(HasSubstr("9.24 M"), HasSubstr("wavefronts in all"), Not(HasSubstr(" total"))));
  trace.sites[traced_by_hand::stage].totals.requests = 134217728;
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "banks"),
              AllOf(HasSubstr("134.2 M"), Not(HasSubstr(format_value(134217728, "1")))));
}

}  // namespace
}  // namespace warpscope
