// tests/workbench/panels/warps_panel_test.cpp: the panel of warps over time, with and without what
// it draws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A producer and a consumer of a block of 20 warps, of the sample's point.
WarpTimeline recorded_warps(const Measurement& point) {
  WarpTimeline t;
  t.scene = point.scene;
  t.variant = point.variant;
  t.key = point.key;
  t.conditions = point.conditions;
  t.step = t.entry = "ring";
  t.source = "ring.cu";
  for (const auto& [kind, line] :
       {std::pair(SpanKind::mbarrier, 20), std::pair(SpanKind::mbarrier, 30),
        std::pair(SpanKind::issue_copy, 22)}) {
    ProbedSpan span;
    span.kind = kind;
    span.position.line = line;
    t.spans.push_back(span);
  }
  t.blocks = 8;
  t.warps_per_block = 20;
  t.clock_hz = 1e9;
  t.plain_ns = 1000;
  t.probed_ns = 1030;
  t.rows = {{0, 0, 5, 0, 0, 900, 0, {{100, 0}, {300, 1}, {310, 4}}},
            {0, 1, 5, 1, 0, 1000, 0, {{50, 2}, {550, 3}}}};
  t.notes = {"The first 1 of 8 blocks are recorded."};
  return t;
}

TEST(WarpsPanels, DrawARowPerWarpWithItsRole) {
  const Measurement point = sample::correct(sample::focus, 64e3, 128);
  const auto workspace = sample::recorded({sample::hello(), point, recorded_warps(point)});
  NullWindow window(1280, 720);
  EXPECT_THAT(window.panel(*workspace, "warps"),
              AllOf(HasSubstr("multiprocessor 5"), HasSubstr("Probes make the kernel 3.0 % slower"),
                    HasSubstr("The first 1 of 8 blocks are recorded."),
                    HasSubstr("waits alone in line 20; waiting 22.2 % of their time")));
  std::string drawn;
  for (const DrawnText& text : drawn_texts()) drawn += text.words + "\n";
  std::erase(drawn, ' ');  // drawn letters do not tell where spaces are
  EXPECT_THAT(drawn,
              AllOf(HasSubstr("block0\n"), HasSubstr("0producer\n"), HasSubstr("1consumerA\n")));
}

TEST(WarpsPanels, SayWhyThereIsNothing) {
  const auto workspace =
      sample::recorded({sample::hello(), sample::correct(sample::focus, 64e3, 128)});
  NullWindow window(1600, 900);
  EXPECT_THAT(window.panel(*workspace, "warps"), HasSubstr("The recorded session has no warps of"));
}

}  // namespace
}  // namespace warpscope
