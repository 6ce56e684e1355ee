// tests/workbench/panels/findings_panel_test.cpp: the ranked table of findings in each of its
// states, and where a click leads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Trace trace_here() {
  Trace trace = synthetic_trace();
  trace.key = Workspace({}).view().key();
  return trace;
}

Fault race() {
  Fault fault;
  fault.kind = FaultKind::shared_race;
  fault.position = {"csrmm/float4_columns.cu", 33, 1};
  fault.sentence = "two threads use the same word";
  return fault;
}

// Puts the pointer on a finding by its title's tooltip, and presses.
void click(NullWindow& window, Workspace& workspace, FindingKind kind) {
  const std::string help = std::string(rule_of(kind).help).substr(0, 30);
  ASSERT_THAT(window.panel_under(workspace, "findings", help), HasSubstr(help));
  window.hold_mouse(0, true);
  static_cast<void>(window.panel(workspace, "findings"));
  window.hold_mouse(0, false);
  static_cast<void>(window.panel(workspace, "findings"));
}

TEST(FindingsPanel, SaysWhyThereIsNothingToShow) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  EXPECT_THAT(window.panel(*workspace, "findings"),
              AllOf(HasSubstr("has no trace here yet"), HasSubstr("trace")));
  workspace->selection.variant = "";
  EXPECT_THAT(window.panel(*workspace, "findings"), HasSubstr("Nothing is selected"));
}

TEST(FindingsPanel, SaysWhyAnEmulationFailed) {
  NullWindow window;
  Job job = sample::job(40, JobKind::trace, sample::focus);
  const Done failed{40, DoneStatus::failed,
                    Error{ErrorKind::input, "the PTX has no entry warp_row", "trace", "press run"},
                    false};
  EXPECT_THAT(window.panel(*sample::recorded({job, failed}), "findings"),
              HasSubstr("has no entry warp_row"));
  EXPECT_THAT(window.panel(*sample::recorded({trace_here(), job, failed}), "findings"),
              AllOf(HasSubstr("the last emulation failed"), HasSubstr("finding")));
  EXPECT_THAT(window.panel(*sample::recorded({trace_here(), job}), "findings"),
              HasSubstr("a newer trace is on its way"));
}

TEST(FindingsPanel, SaysThatAndWhyItIsStale) {
  NullWindow window;
  auto workspace = sample::recorded({trace_here()});
  EXPECT_THAT(window.panel(*workspace, "findings"), Not(HasSubstr("stale")));
  workspace->selection.trace.block = 77;
  EXPECT_THAT(window.panel(*workspace, "findings"), HasSubstr("stale: of block 3, not 77"));
}

TEST(FindingsPanel, SaysThatThereAreNone) {
  NullWindow window;
  Trace trace = trace_here();
  trace.sites.clear();
  trace.requests.clear();
  trace.issued.clear();
  EXPECT_THAT(window.panel(*sample::recorded({trace}), "findings"),
              AllOf(HasSubstr("no findings in"), HasSubstr("No fault was found")));
}

// In the synthetic trace one reduction goes to 32 rows, its loads of B begin a word late in one of
// three requests, and half of the lanes leave after two entries.
TEST(FindingsPanel, ListsThemWithLineCauseFigureAndWhatIsBetter) {
  NullWindow window;
  Trace trace = trace_here();
  trace.faults = {race()};
  auto workspace = sample::recorded({trace});
  EXPECT_THAT(window.panel(*workspace, "findings"),
              AllOf(HasSubstr("✕ race"), HasSubstr("two threads use the same word"),
                    HasSubstr("shared race, once"), HasSubstr("⚠ uncoalesced access"),
                    HasSubstr("38"), HasSubstr("Neighbouring lanes update addresses"),
                    HasSubstr("sectors per request, where"), HasSubstr("at most")));
}

TEST(FindingsPanel, AClickLeadsToSourceAndToTheDiagramOfTheAccess) {
  NullWindow window;
  auto workspace = sample::recorded({trace_here()});
  click(window, *workspace, FindingKind::uncoalesced_access);
  EXPECT_EQ(workspace->selection.show_source.line, 38);
  EXPECT_EQ(workspace->selection.show_source.file, "csrmm/float4_columns.cu");
  EXPECT_EQ(workspace->selection.wanted_panel, "coalescing");
  EXPECT_EQ(workspace->selection.trace.site, traced_by_hand::add_c);
  EXPECT_EQ(workspace->selection.trace.zoom, TraceZoom::request);
  click(window, *workspace, FindingKind::divergence);
  EXPECT_EQ(workspace->selection.wanted_panel, "divergence");
}

// The first block is traced first; a sample of the grid follows, with the same job.
TEST(FindingsPanel, FollowsTheSampleThatTakesThePlaceOfOneBlock) {
  NullWindow window;
  Trace block = trace_here();
  block.scope.grid = false;
  EXPECT_THAT(window.panel(*sample::recorded({block}), "findings"),
              AllOf(HasSubstr("Figures: block 3 of"), HasSubstr("of the traced block's")));
  Trace sampled = block;
  sampled.sample = TraceSample{40, 1, {}, ""};
  EXPECT_THAT(window.panel(*sample::recorded({sampled}), "findings"),
              AllOf(HasSubstr("Figures: from 40 of"), HasSubstr("of the launch's")));
}

TEST(FindingsPanel, FiltersAndWritesTheRowsThatPass) {
  NullWindow window;
  Trace trace = trace_here();
  trace.faults = {race()};
  auto workspace = sample::recorded({trace});
  std::strcpy(window.panels.findings.filter.text, "race");
  const std::string words = window.panel(*workspace, "findings");
  EXPECT_THAT(words, AllOf(HasSubstr("✕ race"), Not(HasSubstr("uncoalesced access"))));
  workspace->selection.wish = {ExportWish::Kind::rows, "findings"};
  static_cast<void>(window.panel(*workspace, "findings"));
  EXPECT_THAT(workspace->selection.wish.text,
              AllOf(HasSubstr("rank"), HasSubstr("csrmm/float4_columns.cu"),
                    HasSubstr("two threads use the same word"), Not(HasSubstr("uncoalesced"))));
  std::strcpy(window.panels.findings.filter.text, "no such word");
  EXPECT_THAT(window.panel(*workspace, "findings"), HasSubstr("No finding passes the filter"));
}

}  // namespace
}  // namespace warpscope
