// tests/workbench/panels/source_panel_test.cpp: where Source opens, what it finds, and that clicks
// elsewhere lead into it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "scenes/base/source.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kFile = "csrmm/float4_columns.cu";

Trace trace() {
  Trace t = synthetic_trace();
  t.key = sample::key_at_n(128);
  return t;
}

// The synthetic line with most sectors.
int hottest_of(const Trace& t) {
  const auto found = std::max_element(
      t.lines.begin(), t.lines.end(),
      [](const LineTotals& a, const LineTotals& b) { return a.global.sectors < b.global.sectors; });
  return found->position.line;
}

TEST(SourcePanel, OpensAtTheHotLine) {
  NullWindow window;
  Measurement point = sample::correct(sample::focus, 120e3);
  point.steps.front().text_hash = text_hash_of(*sources_on_disk()(kFile));
  auto workspace = sample::recorded({point, trace()});
  window.panel(*workspace, "source");
  EXPECT_EQ(window.panels.source.chosen, hottest_of(trace()));
  // Who has gone elsewhere is left there.
  window.panels.source.chosen = 3;
  window.panel(*workspace, "source");
  EXPECT_EQ(window.panels.source.chosen, 3);
}

TEST(SourcePanel, OpensAtTheKernelWhereNoLineIsHot) {
  NullWindow window(1280, 300);
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.panel(*workspace, "source");
  EXPECT_EQ(window.panels.source.chosen, 0);
  const int first = first_line_of(window.panels.source.lines, "float4_columns");
  EXPECT_GT(first, 5) << "a header comes before it";
  EXPECT_FALSE(window.panels.source.led) << "the hot line is still awaited";
}

TEST(SourcePanel, ShowsTheLineThatAClickAskedFor) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3), trace()});
  workspace->selection.show_source = {kFile, 12};
  window.window(*workspace);
  EXPECT_EQ(window.state.bottom_tab, "source") << "it comes to the front";
  EXPECT_EQ(window.panels.source.chosen, 12);
  EXPECT_EQ(workspace->selection.show_source.line, 0) << "it was taken";
  // A header of the kernel is shown in place of it, and a button leads back.
  const std::vector<std::string> headers = quoted_includes(read_kernel(kFile)->text);
  ASSERT_FALSE(headers.empty());
  workspace->selection.show_source = {headers.front(), 7};
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("back to " + std::string(kFile)));
  EXPECT_EQ(window.panels.source.path, headers.front());
  EXPECT_EQ(window.panels.source.chosen, 7);
  // What is nowhere is said.
  workspace->selection.show_source = {"csrmm/nowhere.cu", 7};
  window.panel(*workspace, "source");
  ASSERT_FALSE(workspace->selection.notices.empty());
  EXPECT_THAT(workspace->selection.notices.back(), HasSubstr("csrmm/nowhere.cu:7"));
}

TEST(SourcePanel, FindsWordsAndStepsThroughThem) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.panel(*workspace, "source");
  SourcePanel& source = window.panels.source;
  std::strcpy(source.filter.text, "FLOAT4");
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("1 of "));
  ASSERT_GT(source.matches.size(), 1U);
  EXPECT_EQ(source.chosen, static_cast<int>(source.matches.front().line) + 1);
  std::strcpy(source.filter.text, "no such word");
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("not found"));
  source.filter.text[0] = '\0';
  EXPECT_THAT(window.panel(*workspace, "source"), Not(HasSubstr("not found")));
}

TEST(SourcePanel, StepsThroughMatchesWithEnter) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.panel(*workspace, "source");
  SourcePanel& source = window.panels.source;
  std::strcpy(source.filter.text, "row");
  source.filter.focus = true;
  window.panel(*workspace, "source");
  const auto enter = [&] {
    window.hold_named(ImGuiKey_Enter, true);
    window.panel(*workspace, "source");
    window.hold_named(ImGuiKey_Enter, false);
    window.panel(*workspace, "source");
  };
  enter();
  EXPECT_EQ(source.match, 1U);
  enter();
  EXPECT_EQ(source.match, 2U) << "the box keeps the keyboard";
  window.hold_shift(true);
  enter();
  window.hold_shift(false);
  EXPECT_EQ(source.match, 1U);
}

TEST(SourcePanel, SaysThatTheTextMayBeChangedAndWhere) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  const std::string words = window.panel(*workspace, "source");
  EXPECT_THAT(words, HasSubstr("in your own editor"));
  EXPECT_THAT(words, HasSubstr("kernels/csrmm/float4_columns.cu"));
}

Listing listing() {
  Listing l;
  l.point = {"csrmm", sample::focus, sample::key_at_n(128), "", ""};
  l.step = "multiply";
  l.source = kFile;
  l.entry = "float4_columns";
  l.files = {kFile};
  l.text_hash = text_hash_of(*sources_on_disk()(kFile));
  l.toolkit = "13.0";
  l.ptx =
      ".visible .entry float4_columns(\n)\n{\n\t.loc\t1 31 3\n\tld.global.nc.u32 \t%r1, [%rd1];\n"
      "\t.loc\t1 32 3\n\tret;\n}\n\t.file\t1 \"/x/csrmm/float4_columns.cu\"\n";
  l.no_machine_code = "there is no nvdisasm here";
  l.compute_capability = 90;
  return l;
}

TEST(SourcePanel, StandsPtxBesideTheTextJoinedByLine) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3), listing()});
  window.panels.source.view = SourceView::ptx;
  const std::string words = window.panel(*workspace, "source");
  EXPECT_THAT(words, HasSubstr("PTX of NVRTC 13.0"));
  EXPECT_THAT(words, HasSubstr("2 instructions"));
  EXPECT_THAT(words, HasSubstr("ld.global.nc.u32"));
  window.panels.source.chosen = 31;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("1 of line 31"));
  window.panels.source.chosen = 30;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("none of line 30"));
  window.panels.source.view = SourceView::machine_code;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("there is no nvdisasm here"));
}

TEST(SourcePanel, SaysWhyThereIsNoListing) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.panels.source.view = SourceView::ptx;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("no engine here that compiles"));
  EXPECT_TRUE(workspace->requests.empty());
}

}  // namespace
}  // namespace warpscope
