// tests/workbench/panels/source_panel_test.cpp: where Source opens, what it finds, and that clicks
// elsewhere lead into it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <tuple>

#include "scenes/base/source.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/recorded_session.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/panels/source/source_listing.h"

namespace warpscope {
namespace {

using testing::AllOf;
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
  window.panels.source.open = {SourceColumn::ptx, SourceColumn::text};
  const std::string words = window.panel(*workspace, "source");
  EXPECT_THAT(words, HasSubstr("PTX of NVRTC 13.0"));
  EXPECT_THAT(words, HasSubstr("2 instructions"));
  EXPECT_THAT(words, HasSubstr("ld.global.nc.u32"));
  window.panels.source.chosen = 31;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("1 of line 31"));
  window.panels.source.chosen = 30;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("none of line 30"));
  window.panels.source.open = {SourceColumn::machine_code, SourceColumn::text};
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("there is no nvdisasm here"));
}

TEST(SourcePanel, SaysWhyThereIsNoListing) {
  NullWindow window;
  auto workspace = sample::recorded({sample::correct(sample::focus, 120e3)});
  window.panels.source.open = {SourceColumn::ptx, SourceColumn::text};
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("no engine here that compiles"));
  EXPECT_TRUE(workspace->requests.empty());
}

// SASS of the same kernel: two instructions of the load in PTX line 5, one of the return in line 7,
// and one that the compiler added.
Listing with_machine_code() {
  Listing l = listing();
  l.no_machine_code.clear();
  l.ptx_lines = true;
  const std::string file = "\t//## File \"/x/csrmm/float4_columns.cu\", line ";
  l.machine_code = "\t.section\t.text.float4_columns,\"ax\",@progbits\n.text.float4_columns:\n" +
                   file + "31\n\t//## File \".nv_debug_ptx_txt\", line 5\n" +
                   "        /*0000*/  IMAD.WIDE R2, R0, 0x4, R2 ;\n" +
                   "        /*0010*/  LDG.E R4, desc[UR4][R2.64] ;\n" +
                   "        /*0020*/  STL [R1+0x8], R4 ;\n" + file +
                   "32\n\t//## File \".nv_debug_ptx_txt\", line 7\n" + "        /*0030*/  EXIT ;\n";
  l.live = {{3, 2, 0, 0, "R0 R2-R3 UR4-UR5"},
            {3, 2, 0, 0, "R2-R4 UR4-UR5"},
            {2, 0, 0, 0, "R1 R4"},
            {0, 0, 0, 0, ""}};
  return l;
}

// The load was executed by 8 warps and asked for 32 sectors, the rest by 8 warps too.
Trace machine_trace() {
  Trace t = trace();
  t.step = "multiply";
  t.source = kFile;
  t.sites.clear();
  t.requests.clear();
  t.issued.clear();
  t.machine_code.emplace();
  t.machine_code->compute_capability = 90;
  for (const char* text :
       {"IMAD.WIDE R2, R0, 0x4, R2", "LDG.E R4, desc[UR4][R2.64]", "STL [R1+0x8], R4", "EXIT"}) {
    MachineRow row;
    row.text = text;
    row.executed = 8;
    row.threads = 255;
    t.machine_code->rows.push_back(row);
  }
  AccessSite load;
  load.instruction = 1;
  load.totals.requests = 8;
  load.totals.sectors = 32;
  t.sites = {load};
  return t;
}

std::unique_ptr<Workspace> with_sass() {
  Measurement point = sample::correct(sample::focus, 120e3);
  point.steps.front().text_hash = text_hash_of(*sources_on_disk()(kFile));
  auto workspace = sample::recorded({point, machine_trace(), with_machine_code()});
  workspace->selection.trace.machine_code = true;
  return workspace;
}

TEST(SourcePanel, HasThreeColumnsWhereThereIsRoomAndTwoOnASmallWindow) {
  auto workspace = with_sass();
  {
    NullWindow wide(1600, 900);
    const std::string all = wide.panel(*workspace, "source");
    EXPECT_THAT(all, HasSubstr("PTX of NVRTC 13.0"));
    EXPECT_THAT(all, HasSubstr("SASS of sm_90"));
  }
  NullWindow small(1280, 720);
  const std::string two = small.panel(*workspace, "source");
  EXPECT_THAT(two, Not(HasSubstr("PTX of NVRTC 13.0")));
  EXPECT_THAT(two, HasSubstr("SASS of sm_90"));
  // The columns that were opened last are shown.
  small.panels.source.open = {SourceColumn::text, SourceColumn::machine_code, SourceColumn::ptx};
  EXPECT_THAT(small.panel(*workspace, "source"), HasSubstr("PTX of NVRTC 13.0"));
}

// A point with samples at the use of a load, its emulated run and its listing.
std::unique_ptr<Workspace> with_samples() {
  Measurement point = sample::correct(sample::focus, 120e3);
  StepRecord& step = point.steps.front();
  step.text_hash = text_hash_of(*sources_on_disk()(kFile));
  step.kind = "kernel";
  step.samples.runs = 1;
  step.samples.compute_capability = 90;
  step.samples.period_log2 = 12;
  step.samples.reasons = {"long_scoreboard", "selected"};
  step.samples.instructions = {{16, {{1, 10, 0}}}, {32, {{0, 80, 0}, {1, 10, 0}}}};
  Trace run = machine_trace();
  for (MachineRow& row : run.machine_code->rows) row.issue_cycles = 1;
  run.machine_code->rows[2].needs = {{1, NeedKind::value, 0}};
  auto workspace = sample::recorded({point, run, with_machine_code()});
  workspace->selection.trace.machine_code = true;
  return workspace;
}

TEST(SourcePanel, HasTheSamplesOfEachInstructionBesideIt) {
  NullWindow window(700, 260);
  window.panels.source.open = {SourceColumn::machine_code};
  auto workspace = with_samples();
  EXPECT_THAT(window.panel_under(*workspace, "source", "90.0 % of all samples:"),
              AllOf(HasSubstr("STL [R1+0x8], R4"), HasSubstr("80.0 %  global memory")));
  EXPECT_THAT(window.panel_under(*workspace, "source", "10.0 % of all samples:"),
              AllOf(HasSubstr("LDG.E R4"), HasSubstr("10.0 %  issued")));
  std::string drawn;
  for (const DrawnText& text : drawn_texts()) drawn += text.words + "\n";
  std::erase(drawn, ' ');  // drawn letters do not tell where spaces are
  EXPECT_THAT(drawn, AllOf(HasSubstr("samples"), HasSubstr("90.0%\n"), HasSubstr("10.0%\n")));
  auto without = with_sass();
  EXPECT_THAT(window.panel_under(*without, "source", "of all samples:"),
              Not(HasSubstr("of all samples:")));
}

TEST(SourcePanel, LightsWhatAnInstructionOfSassCameFrom) {
  NullWindow window(1600, 900);
  auto workspace = with_sass();
  window.panel(*workspace, "source");
  SourcePanel& source = window.panels.source;
  ASSERT_EQ(source.machine.instructions, 4U);
  choose_row(source, source.machine, source.machine.rows.size() - 1);
  const std::string words = window.panel(*workspace, "source");
  EXPECT_EQ(source.chosen, 32) << "the line of the text";
  EXPECT_THAT(words, HasSubstr("PTX of NVRTC 13.0 for sm_90 · 2 instructions · 1 of PTX line 7"));
  EXPECT_THAT(words, HasSubstr("4 instructions · 1 of PTX line 7"));
  // A line of the text lights all that was made from it.
  window.panels.source.chosen = 31;
  forget_rows(source);
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("4 instructions · 3 of line 31"));
}

TEST(SourcePanel, ListsTheRegistersInUseAtAnInstruction) {
  NullWindow window(1600, 900);
  auto workspace = with_sass();
  const std::string before = window.panel(*workspace, "source");
  EXPECT_THAT(before, HasSubstr("most live: 3"));
  EXPECT_THAT(before, HasSubstr("◂ most live registers"));
  EXPECT_THAT(before, HasSubstr("◂ stack: spilled register or local array"));
  SourcePanel& source = window.panels.source;
  ASSERT_TRUE(source.machine.most_live);
  choose_row(source, source.machine, *source.machine.most_live);
  EXPECT_THAT(window.panel(*workspace, "source"),
              HasSubstr("3 general, 2 uniform, 0 predicate registers in use: R0 R2-R3 UR4-UR5"));
}

TEST(SourcePanel, GoesToTheHottestInstructionAndOn) {
  NullWindow window(1600, 900);
  auto workspace = with_sass();
  window.panel(*workspace, "source");
  SourcePanel& source = window.panels.source;
  ASSERT_EQ(source.machine.hot.size(), 1U) << "one has sectors";
  source.go_hot = 1;
  window.panel(*workspace, "source");
  EXPECT_THAT(source.machine.rows.at(static_cast<std::size_t>(source.machine.chosen)).text,
              HasSubstr("LDG.E"));
  EXPECT_EQ(source.chosen, 31);
  EXPECT_EQ(source.chosen_ptx, 5);
  // The PTX load has the sectors of its two instructions.
  const auto load = std::find_if(source.ptx.rows.begin(), source.ptx.rows.end(),
                                 [](const ListedRow& row) { return row.ptx_line == 5; });
  ASSERT_NE(load, source.ptx.rows.end());
  const RowFigures& of =
      source.ptx.figures.rows.at(static_cast<std::size_t>(load - source.ptx.rows.begin()));
  EXPECT_EQ(of.modelled.global.sectors, 32);
  EXPECT_EQ(of.modelled.instructions, 24) << "three instructions by 8 warps";
}

TEST(SourcePanel, ComparesSassWithTheBaseline) {
  NullWindow window(1600, 900);
  Listing other = with_machine_code();
  const std::string load = "LDG.E R4";
  other.machine_code.replace(other.machine_code.find(load), load.size(), "LDG.E.128 R4");
  other.point.variant = sample::baseline;
  other.point.key = sample::correct(sample::baseline, 130e3).key;
  auto workspace =
      sample::recorded({sample::correct(sample::focus, 120e3),
                        sample::correct(sample::baseline, 130e3), with_machine_code(), other});
  window.panels.source.view = SourceView::comparison;
  const PointId there = workspace->view().point_id(sample::baseline);
  ASSERT_EQ(there.key, other.point.key);
  const std::string words = window.panel(*workspace, "source");
  EXPECT_THAT(words, HasSubstr("A is the baseline " + std::string(sample::baseline)));
  EXPECT_THAT(words, testing::ContainsRegex("LDG\\.E +0 +1 "));
  EXPECT_THAT(words, testing::ContainsRegex("LDG\\.E\\.128 +1 +0 "));
  workspace->selection.variant = sample::baseline;
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr("There is nothing to compare"));
}

// A short step before the one that takes longest, both kernels.
Measurement with_a_brief_step() {
  Measurement point = sample::correct(sample::focus, 120e3);
  StepRecord longest = point.steps.front();
  longest.kind = "kernel";
  longest.time_ns = 100e3;
  longest.text_hash = text_hash_of(*sources_on_disk()(kFile));
  StepRecord brief = longest;
  brief.name = "clear";
  brief.entry = "clear_rows";
  brief.time_ns = 2e3;
  point.steps = {brief, longest};
  return point;
}

TEST(SourcePanel, OpensAtTheLongestStepAsOtherPanelsDo) {
  NullWindow window(1600, 900);
  auto workspace = sample::recorded({with_a_brief_step()});
  EXPECT_THAT(window.panel(*workspace, "source"),
              AllOf(HasSubstr(std::string(kFile) + " · float4_columns"),
                    Not(HasSubstr(std::string(kFile) + " · clear_rows"))));
  workspace->selection.step = "clear";
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr(std::string(kFile) + " · clear_rows"));
}

// How many lines of code a child window of Source shows: the last one needs no space below it.
float lines_in(const char* child) {
  constexpr float kBetween = 2;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    const std::string_view name = window->Name;
    if (window->WasActive && name.find(child) != std::string_view::npos)
      return (window->InnerRect.GetHeight() + kBetween) / (ImGui::GetTextLineHeight() + kBetween);
  }
  return 0;
}

// As the panel is in the layout that is shipped, in a window of 1280 × 720.
TEST(SourcePanel, LeavesALowPanelToItsLines) {
  Measurement point = with_a_brief_step();
  auto workspace = sample::recorded({point, machine_trace(), with_machine_code()});
  workspace->selection.trace.machine_code = true;
  {
    NullWindow window(880, 190);
    const std::string words = window.panel(*workspace, "source");
    EXPECT_GE(lines_in("/text_"), 6);
    EXPECT_GE(lines_in("/listing_"), 4);
    EXPECT_THAT(words, AllOf(HasSubstr("multiply"), HasSubstr("most live: 3"),
                             HasSubstr("SASS of sm_90 · 4 instructions")));
    EXPECT_THAT(window.panel_under(*workspace, "source", "in your own editor"),
                HasSubstr("kernels/csrmm/float4_columns.cu"));
  }
  // Where there is room, all steps are seen at once, and the sentence where to change the text.
  NullWindow high(880, 600);
  EXPECT_THAT(high.panel(*workspace, "source"),
              AllOf(HasSubstr("clear"), HasSubstr("in your own editor")));
}

// A long name gives way, first by its end, then as a whole.
TEST(SourcePanel, HasTheRegistersAndTheOccupancyAtEverySize) {
  Workspace workspace(std::vector<std::string>{});
  ASSERT_TRUE(workspace.open(recorded_session("deform")));
  workspace.update();
  for (const auto& [width, height, scale] :
       {std::tuple(880, 190, 1.0f), std::tuple(1100, 260, 1.0f), std::tuple(1050, 560, 2.0f)}) {
    NullWindow window(width, height, scale);
    EXPECT_THAT(window.panel(workspace, "source"),
                HasSubstr("50 registers · 2 blocks per SM · 50.00 % occupancy"))
        << width << " × " << height;
  }
}

TEST(SourcePanel, CountsOneBlockAsOne) {
  NullWindow window(1600, 900);
  Measurement point = sample::correct(sample::focus, 120e3);
  point.steps.front().resources.emplace();
  point.steps.front().resources->blocks_per_multiprocessor = 1;
  auto workspace = sample::recorded({point});
  EXPECT_THAT(window.panel(*workspace, "source"), HasSubstr(" · 1 block per SM · "));
}

}  // namespace
}  // namespace warpscope
