// tests/workbench/panels/diagram_panels_test.cpp: every diagram in every state, zoom and size,
// offscreen.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "profiling/agreement/trace_metrics.h"
#include "tests/profiling/access/synthetic_trace.h"
#include "tests/recorded_session.h"
#include "workbench/window/frame.h"
#include "workbench/window/offscreen.h"
#include "workbench/workspace/trace_state.h"

// With $WARPSCOPE_PICTURES set to a folder, the panels drawn here are kept in it as PNG files.

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kDiagrams[] = {"coalescing", "banks", "warp_map", "divergence"};

// A session of these messages, opened as a recorded one.
std::unique_ptr<Workspace> workspace_of(const std::vector<Message>& messages) {
  auto workspace = std::make_unique<Workspace>(std::vector<std::string>{});
  workspace->selection.variant = "float4_columns";
  const auto path = std::filesystem::temp_directory_path() /
                    ("warpscope-diagrams-" + std::to_string(::getpid()) + ".wsj");
  {
    std::ofstream file(path);
    file << to_line(Hello{}) << "\n";
    for (const Message& message : messages) file << to_line(message) << "\n";
  }
  const Result<void> opened = workspace->open(path);
  EXPECT_TRUE(opened) << sentence(opened.error());
  std::filesystem::remove(path);
  return workspace;
}

// The synthetic trace at the configuration that a new workspace shows.
Trace trace_here() {
  Trace trace = synthetic_trace();
  trace.key = Workspace({}).view().key();
  return trace;
}

Job trace_job(std::int64_t number) {
  Job job;
  job.job = number;
  job.work = TraceJob{};
  job.scene = "csrmm";
  job.variant = "float4_columns";
  return job;
}

struct Drawn {
  std::string words;
  int vertices = 0;
};

class DiagramPanels : public testing::Test {
 protected:
  void SetUp() override { make_screen(1280, 720, 1, Theme::dark); }

  void make_screen(int width, int height, float scale, Theme theme) {
    screen_.reset();
    Result<std::unique_ptr<Offscreen>> screen = Offscreen::create(width, height);
    if (!screen && screen.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(screen.error());
    ASSERT_TRUE(screen) << sentence(screen.error());
    screen_ = std::move(*screen);
    style_ = make_style(theme, scale);
    load_fonts(style_);
    apply_style(style_);
  }

  // A few frames of one panel alone in the right column's size, with the words of the last one.
  Drawn draw(Workspace& workspace, const std::string& panel, const std::string& picture = "") {
    Drawn drawn;
    const PanelRow* row = find_panel(panel);
    for (int i = 0; i < frames_; ++i) {
      screen_->frame(1.0 / 60, [&] {
        TraceSelection& t = workspace.selection.trace;
        if (!keep_hovered_) t.hovered = t.hovering;
        t.hovering = {};
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({static_cast<float>(screen_->width()) * 0.4f,
                                  static_cast<float>(screen_->height()) * 0.64f});
        ImGui::Begin("alone", nullptr, ImGuiWindowFlags_NoDecoration);
        ImGui::LogToClipboard();
        row->draw({workspace.view(), style_, workspace.requests}, workspace.selection, panels_);
        ImGui::LogFinish();
        ImGui::End();
      });
    }
    drawn.words = ImGui::GetClipboardText();
    drawn.vertices = ImGui::GetDrawData()->TotalVtxCount;
    const char* folder = std::getenv("WARPSCOPE_PICTURES");
    if (folder != nullptr && !picture.empty()) {
      EXPECT_TRUE(screen_->save_png(std::string(folder) + "/" + picture + ".png", 0, 0,
                                    screen_->width() * 2 / 5, screen_->height() * 16 / 25));
    }
    return drawn;
  }

  std::unique_ptr<Offscreen> screen_;
  Style style_;
  PanelStates panels_;
  bool keep_hovered_ = false;
  int frames_ = 3;
};

TEST_F(DiagramPanels, SayThatNothingIsSelected) {
  auto workspace = workspace_of({trace_here()});
  workspace->selection.variant = "";
  for (const char* panel : kDiagrams)
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("Nothing is selected")) << panel;
}

TEST_F(DiagramPanels, OfferToTraceWhatHasNoTrace) {
  auto workspace = workspace_of({LogLine{"info", "x", 0}});
  for (const char* panel : kDiagrams) {
    const Drawn drawn = draw(*workspace, panel, std::string("nothing-") + panel);
    EXPECT_THAT(drawn.words, HasSubstr("has no trace here yet")) << panel;
  }
}

TEST_F(DiagramPanels, SayWhyALibraryHasNoTrace) {
  auto workspace = workspace_of({trace_here()});
  for (const Variant& variant : workspace->scene().variants) {
    if (!variant.own_kernels) workspace->selection.variant = variant.name;
  }
  for (const char* panel : kDiagrams)
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("a library's own kernel")) << panel;
}

TEST_F(DiagramPanels, OfferToTraceABaselineThatRunsAKernelOfOurs) {
  auto workspace = workspace_of({trace_here()});
  ASSERT_TRUE(workspace->open(recorded_session("csrmm")));
  workspace->selection.variant = "gather_segment_add";
  for (const char* panel : kDiagrams)
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("has no trace here yet")) << panel;
  workspace->selection.variant = "cusparse_alg3";
  for (const char* panel : kDiagrams)
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("a library's own kernel")) << panel;
}

TEST_F(DiagramPanels, SayThatATraceIsOnItsWay) {
  auto workspace = workspace_of({trace_job(40), Progress{40, 0.5, "block 7 of 1250"}});
  for (const char* panel : kDiagrams) {
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("is being emulated")) << panel;
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("block 7 of 1250")) << panel;
  }
}

TEST_F(DiagramPanels, ShowTheOldTraceWhileANewerOneIsOnItsWay) {
  auto workspace = workspace_of({trace_here(), trace_job(40)});
  for (const char* panel : kDiagrams) {
    const Drawn drawn = draw(*workspace, panel, std::string("pending-") + panel);
    EXPECT_THAT(drawn.words, HasSubstr("a newer trace is on its way")) << panel;
    EXPECT_THAT(drawn.words, HasSubstr("warp 0 of 8")) << panel;
  }
}

TEST_F(DiagramPanels, SayWhyAnEmulationFailed) {
  Done failed{40, DoneStatus::failed,
              Error{ErrorKind::input, "the PTX has no entry warp_row", "trace", "press run"},
              false};
  auto workspace = workspace_of({trace_job(40), failed});
  for (const char* panel : kDiagrams)
    EXPECT_THAT(draw(*workspace, panel).words, HasSubstr("has no entry warp_row")) << panel;
  auto kept = workspace_of({trace_here(), trace_job(40), failed});
  for (const char* panel : kDiagrams) {
    const Drawn drawn = draw(*kept, panel);
    EXPECT_THAT(drawn.words, HasSubstr("the last emulation failed")) << panel;
    EXPECT_THAT(drawn.words, HasSubstr("warp 0 of 8")) << panel;
  }
}

TEST_F(DiagramPanels, ListFaultsAboveTheDiagram) {
  Trace trace = trace_here();
  Fault fault;
  fault.count = 14;
  fault.sentence =
      "float4_columns.cu:40 writes C[10000, 0], 512 B past the end of C, in block 1250, thread 0";
  trace.faults = {fault, fault, fault};
  auto workspace = workspace_of({trace});
  for (const char* panel : kDiagrams) {
    const Drawn drawn = draw(*workspace, panel, std::string("fault-") + panel);
    EXPECT_THAT(drawn.words, HasSubstr("out of bounds × 14")) << panel;
    EXPECT_THAT(drawn.words, HasSubstr("and 1 more kind of fault")) << panel;
  }
}

TEST_F(DiagramPanels, SayThatAndWhyATraceIsStale) {
  Trace narrow = synthetic_trace();
  narrow.key = "m=10000,n=64";
  auto workspace = workspace_of({narrow});
  for (const char* panel : kDiagrams) {
    const Drawn drawn = draw(*workspace, panel, std::string("stale-") + panel);
    EXPECT_THAT(drawn.words, HasSubstr("stale: at m=10000")) << panel;
    EXPECT_THAT(drawn.words, HasSubstr("n=64")) << panel;
  }
  auto other = workspace_of({trace_here()});
  other->selection.trace.block = 77;
  EXPECT_THAT(draw(*other, "coalescing").words, HasSubstr("stale: of block 3, not 77"));
}

TEST_F(DiagramPanels, ExplainTheChosenRequestInWords) {
  auto workspace = workspace_of({trace_here()});
  TraceSelection& t = workspace->selection.trace;
  t.site = traced_by_hand::gather_b;
  Drawn drawn = draw(*workspace, "coalescing", "request-coalescing");
  EXPECT_THAT(drawn.words, HasSubstr("32 lanes × 16 B → 16 sectors in 4 lines: ideal"));
  EXPECT_THAT(drawn.words, HasSubstr("float4_columns.cu:31"));
  EXPECT_THAT(drawn.words, HasSubstr("B[8264, 32..63]"));
  EXPECT_THAT(drawn.words, HasSubstr("the whole grid · "));
  t.site = traced_by_hand::add_c;
  drawn = draw(*workspace, "coalescing", "scattered-coalescing");
  EXPECT_THAT(drawn.words, HasSubstr("32 sectors in 32 lines where 4 sectors would do"));
  t.site = traced_by_hand::unstage;
  drawn = draw(*workspace, "banks", "request-banks");
  EXPECT_THAT(drawn.words,
              HasSubstr("4 wavefronts where 1 would do (4-way conflict on banks 0, 4, 8, 12"));
  t.site = traced_by_hand::store_c;
  drawn = draw(*workspace, "warp_map", "request-warp_map");
  EXPECT_THAT(drawn.words, HasSubstr("writes"));
  EXPECT_THAT(drawn.words, HasSubstr("elements of C"));
  drawn = draw(*workspace, "divergence", "request-divergence");
  EXPECT_THAT(drawn.words, HasSubstr("of 32 lanes active on average"));
}

TEST_F(DiagramPanels, DrawEveryZoomAtEverySizeInBothThemes) {
  struct Look {
    int width, height;
    float scale;
    Theme theme;
    const char* name;
  };
  for (const Look look :
       {Look{1280, 720, 1, Theme::dark, "720"}, Look{1600, 900, 1, Theme::light, "900"},
        Look{3200, 1800, 2, Theme::dark, "2x"}}) {
    make_screen(look.width, look.height, look.scale, look.theme);
    if (screen_ == nullptr) return;
    auto workspace = workspace_of({trace_here()});
    for (const TraceZoom zoom :
         {TraceZoom::grid, TraceZoom::block, TraceZoom::warp, TraceZoom::request}) {
      workspace->selection.trace.zoom = zoom;
      for (const char* panel : kDiagrams) {
        const Drawn drawn =
            draw(*workspace, panel,
                 std::string("zoom-") + look.name + "-" + to_text(zoom) + "-" + panel);
        EXPECT_GT(drawn.vertices, 1000) << panel << " " << to_text(zoom);
        EXPECT_THAT(drawn.words, HasSubstr("grid of 1")) << panel;
      }
    }
  }
}

TEST_F(DiagramPanels, DrawTracesThatLackWhatTheyShow) {
  Trace bare;
  bare.scene = "csrmm";
  bare.variant = "float4_columns";
  bare.key = Workspace({}).view().key();
  Trace no_requests = trace_here(), no_issued = trace_here(), no_buffers = trace_here();
  no_requests.requests.clear();
  no_issued.issued.clear();
  no_buffers.buffers.clear();
  for (const Trace& trace : {bare, no_requests, no_issued, no_buffers}) {
    auto workspace = workspace_of({trace});
    for (int zoom = 0; zoom < 4; ++zoom) {
      workspace->selection.trace.zoom = static_cast<TraceZoom>(zoom);
      for (const char* panel : kDiagrams) EXPECT_GT(draw(*workspace, panel).vertices, 100) << panel;
    }
  }
}

TEST_F(DiagramPanels, StandModelledBesideMeasured) {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "float4_columns";
  point.key = Workspace({}).view().key();
  point.verdict.outcome = Outcome::correct;
  point.axes = Workspace({}).selection.axes;
  for (const auto& [id, value] :
       {std::pair("l1.sectors_store", 1600.0), std::pair("l1.requests_store", 100.0),
        std::pair("l1.sectors_load", 900.0), std::pair("l1.requests_load", 100.0)})
    point.metrics.push_back({id, value, Origin::measured, "", ""});
  auto workspace = workspace_of({trace_here(), point});
  draw(*workspace, "coalescing");  // looks at the heaviest instruction first
  workspace->selection.trace.site = traced_by_hand::store_c;
  const Drawn drawn = draw(*workspace, "coalescing", "measured-coalescing");
  EXPECT_THAT(drawn.words, HasSubstr("modelled 16.00 · measured 16.00 sectors per request"));
  workspace->selection.trace.site = traced_by_hand::gather_b;  // one of two loads
  EXPECT_THAT(draw(*workspace, "coalescing").words, HasSubstr("per request (counted by line)"));
}

// Every point of every panel: what is under it lights up in all the others, and nothing breaks.
TEST_F(DiagramPanels, LightUpWhatThePointerIsOnInEveryPanel) {
  auto workspace = workspace_of({trace_here()});
  TraceSelection& t = workspace->selection.trace;
  t.site = traced_by_hand::gather_b;
  std::map<std::string, Hovered> found;
  const auto sweep = [&](const std::string& panel, bool (*enough)(const Hovered&)) {
    frames_ = 2;
    for (float y = 20; y < 450; y += 17) {
      for (float x = 20; x < 500; x += 41) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        draw(*workspace, panel);
        Hovered& seen = found[panel];
        if (t.hovering.lane >= 0) seen.lane = t.hovering.lane;
        if (t.hovering.sector >= 0) seen.sector = t.hovering.sector;
        if (t.hovering.word >= 0) seen.word = t.hovering.word;
        if (t.hovering.element >= 0) seen.element = t.hovering.element;
        if (t.hovering.warp >= 0) seen.warp = t.hovering.warp;
        if (t.hovering.line > 0) seen.line = t.hovering.line;
        if (enough(seen)) return;
      }
    }
  };
  sweep("coalescing", [](const Hovered& h) {
    return h.lane >= 0 && h.sector >= 0 && h.element >= 0 && h.line > 0;
  });
  sweep("banks", [](const Hovered& h) { return h.lane >= 0 && h.word >= 0; });
  sweep("warp_map", [](const Hovered& h) { return h.element >= 0 && h.warp >= 0; });
  sweep("divergence", [](const Hovered& h) { return h.lane >= 0 && h.line > 0; });
  EXPECT_GE(found["coalescing"].lane, 0);
  EXPECT_GE(found["coalescing"].sector, 0);
  EXPECT_GE(found["coalescing"].element, 0);
  EXPECT_GT(found["coalescing"].line, 0);
  EXPECT_GE(found["banks"].lane, 0);
  EXPECT_GE(found["banks"].word, 0);
  EXPECT_GE(found["warp_map"].element, 0);
  EXPECT_GE(found["warp_map"].warp, 0);
  EXPECT_GE(found["divergence"].lane, 0);
  EXPECT_GT(found["divergence"].line, 0);
  frames_ = 3;
  ImGui::GetIO().AddMousePosEvent(-1, -1);
  for (const char* panel : kDiagrams) {
    t.zoom = TraceZoom::request;
    keep_hovered_ = true;
    t.hovered = {};
    const int dark = draw(*workspace, panel).vertices;
    t.hovered.lane = 5;
    const int lit = draw(*workspace, panel).vertices;
    if (std::string(panel) != "warp_map") {
      EXPECT_NE(dark, lit) << panel << " does not light up a lane";
    }
    t.hovered = {};
    keep_hovered_ = false;
  }
}

TEST_F(DiagramPanels, AClickOnTheGridAsksForThatBlocksTrace) {
  auto workspace = workspace_of({trace_here()});
  TraceSelection& t = workspace->selection.trace;
  t.zoom = TraceZoom::grid;
  bool asked = false;
  for (float y = 60; y < 250 && !asked; y += 5) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddMousePosEvent(200, y);
    draw(*workspace, "coalescing");
    io.AddMouseButtonEvent(0, true);
    draw(*workspace, "coalescing");
    io.AddMouseButtonEvent(0, false);
    draw(*workspace, "coalescing");
    for (const Request& request : workspace->requests.waiting())
      asked |= std::holds_alternative<request::Trace>(request) && t.block >= 0 && t.block != 3;
    if (!asked) t.zoom = TraceZoom::grid;
  }
  EXPECT_TRUE(asked);
}

// A whole frame shows the right column beside the centre, and its buttons write files.
TEST_F(DiagramPanels, StandInTheRightColumnOfTheWindow) {
  auto workspace = workspace_of({trace_here()});
  FrameState state;
  for (const char* panel : kDiagrams) {
    for (int i = 0; i < 4; ++i) {
      state.wanted_tab = panel;
      screen_->frame(1.0 / 60, [&] { draw_workbench(*workspace, panels_, style_, state); });
    }
    ASSERT_EQ(state.boxes.count(panel), 1u);
    ASSERT_EQ(state.boxes.count("overview"), 1u);
    EXPECT_GT(state.boxes[panel].x0, state.boxes["overview"].x1);
    workspace->selection.wish = {ExportWish::Kind::picture, panel};
    screen_->frame(1.0 / 60, [&] { draw_workbench(*workspace, panels_, style_, state); });
    EXPECT_EQ(state.slide_wish.value_or(SlideOptions{}).panel, panel);
  }
}

TEST_F(DiagramPanels, TheSourceCarriesTheHeatOfItsLines) {
  Trace hot = trace_here(), cold = hot;
  // Lines at the top of the text, where they are in view.
  for (std::size_t i = 0; i < hot.lines.size(); ++i)
    hot.lines[i].position.line = static_cast<int>(2 + 2 * i);
  cold.lines.clear();
  const Drawn drawn = draw(*workspace_of({hot}), "source", "heat-source");
  EXPECT_THAT(drawn.words, HasSubstr("heat: sectors"));
  EXPECT_GE(drawn.vertices, draw(*workspace_of({cold}), "source").vertices +
                                4 * static_cast<int>(hot.lines.size()));
}

TEST_F(DiagramPanels, TheTableByInstructionShowsWhatPassesItsFilter) {
  auto workspace = workspace_of({trace_here()});
  const auto rows = [&](const char* panel) {
    const std::string words = draw(*workspace, panel).words;
    return std::pair(words.find("load indices 4 B") != std::string::npos,
                     words.find("load b 16 B") != std::string::npos);
  };
  EXPECT_EQ(rows("coalescing"), std::pair(true, true));
  std::strcpy(panels_.coalescing.filter.text, "indices");
  EXPECT_EQ(rows("coalescing"), std::pair(true, false));
  std::strcpy(panels_.coalescing.filter.text, "> 10");
  EXPECT_EQ(rows("coalescing"), std::pair(false, true));
  std::strcpy(panels_.coalescing.filter.text, "nothing of the kind");
  EXPECT_THAT(draw(*workspace, "coalescing").words, HasSubstr("No instruction passes the filter"));
  EXPECT_THAT(draw(*workspace, "banks").words, Not(HasSubstr("No instruction passes")));
}

TEST_F(DiagramPanels, TheMapIsColouredByTheBlocksThatWrote) {
  Trace trace = trace_here();
  auto alone = workspace_of({trace});
  panels_.warp_map.colour_by = 3;
  EXPECT_THAT(draw(*alone, "warp_map").words, HasSubstr("the traced block alone"));
  // Each block of eight warps writes eight rows.
  WriterMap writers{"c", traced_by_hand::columns, {}};
  for (std::int64_t row = 0; row < traced_by_hand::rows; ++row)
    writers.blocks.push_back(row / traced_by_hand::warps);
  trace.writers = {writers};
  auto workspace = workspace_of({trace});
  workspace->selection.trace.zoom = TraceZoom::grid;
  const Drawn drawn = draw(*workspace, "warp_map", "blocks-warp_map");
  EXPECT_THAT(drawn.words, HasSubstr("all blocks"));
  ASSERT_FALSE(panels_.warp_map.runs.empty());
  for (const WriterRun& run : panels_.warp_map.runs)
    EXPECT_EQ(run.block, run.row * panels_.warp_map.in_view.last()->detail.rows_a_tile /
                             traced_by_hand::warps);
  workspace->selection.trace.reads = true;
  EXPECT_THAT(draw(*workspace, "warp_map").words, HasSubstr("who reads is kept of it"));
  // A click on another block's element asks for its trace.
  workspace->selection.trace.reads = false;
  ImGuiIO& io = ImGui::GetIO();
  io.AddMousePosEvent(120, 200);
  draw(*workspace, "warp_map");
  io.AddMouseButtonEvent(0, true);
  draw(*workspace, "warp_map");
  io.AddMouseButtonEvent(0, false);
  io.AddMousePosEvent(-1, -1);
  EXPECT_GE(workspace->selection.trace.block, 0);
  bool asked = false;
  for (const Request& request : workspace->requests.waiting())
    asked = asked || std::holds_alternative<request::Trace>(request);
  EXPECT_TRUE(asked);
}

TEST_F(DiagramPanels, ZShowsTheChosenRequestInTheMap) {
  const Trace trace = trace_here();
  auto workspace = workspace_of({trace});
  TraceSelection& t = workspace->selection.trace;
  t.zoom = TraceZoom::grid;
  draw(*workspace, "warp_map");
  const MapView whole = panels_.warp_map.view;
  ImGui::GetIO().AddMousePosEvent(120, 150);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Z, true);
  draw(*workspace, "warp_map");
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Z, false);
  const MapView chosen = panels_.warp_map.view;
  EXPECT_LT(chosen.height(), whole.height() / 100);
  // The row of the write that stands for the chosen request is in it.
  const TracedBuffer* c = find_buffer(trace, "c");
  ASSERT_NE(c, nullptr);
  const auto write = request_on(trace, *c, true, t.request);
  ASSERT_TRUE(write);
  const double row =
      static_cast<double>((trace.requests[*write].addresses[0] - traced_by_hand::c_at) / 4) /
      static_cast<double>(traced_by_hand::columns);
  EXPECT_LE(chosen.top, row);
  EXPECT_GE(chosen.bottom, row);
  ImGui::GetIO().AddMousePosEvent(-1, -1);
}

// A point of the variant whose step has these counters by line.
Measurement point_with(const LineCounters& lines, const std::string& step = "multiply") {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "float4_columns";
  point.key = Workspace({}).view().key();
  point.axes = Workspace({}).selection.axes;
  point.verdict.outcome = Outcome::correct;
  point.steps.resize(1);
  point.steps[0].name = step;
  point.steps[0].kind = "kernel";
  point.steps[0].source = "csrmm/float4_columns.cu";
  point.steps[0].entry = "float4_columns";
  point.steps[0].lines = lines;
  return point;
}

// The trace with its first line near the top of the text, where it is in view.
Trace trace_at_the_top() {
  Trace trace = trace_here();
  for (std::size_t i = 0; i < trace.lines.size(); ++i)
    trace.lines[i].position = {"csrmm/float4_columns.cu", static_cast<int>(2 + 2 * i), 0};
  return trace;
}

LineCount counted_line(int line, std::int64_t sectors) {
  LineCount row;
  row.position = {"csrmm/float4_columns.cu", line, 0};
  row.machine_instructions = 1;
  row.figures[LineMetric::sectors] = sectors;
  return row;
}

TEST_F(DiagramPanels, TheSourceSaysThatNoLineWasCountedYet) {
  const Drawn drawn = draw(*workspace_of({trace_at_the_top()}), "source", "lines-none");
  EXPECT_THAT(drawn.words, HasSubstr("modelled"));
  EXPECT_THAT(drawn.words, HasSubstr("measured –"));
}

TEST_F(DiagramPanels, TheSourceStandsModelledBesideMeasured) {
  const Trace trace = trace_at_the_top();
  const LineTotals& first = trace.lines.front();
  ASSERT_GT(first.global.sectors, 0);
  LineCounters lines;
  lines.passes = 1;
  lines.rows = {counted_line(2, first.global.sectors), counted_line(3, 77)};
  auto workspace = workspace_of({point_with(lines), trace});
  const Drawn drawn = draw(*workspace, "source", "lines-measured");
  EXPECT_THAT(drawn.words, HasSubstr("= same"));
  EXPECT_THAT(drawn.words, HasSubstr("77"));
  EXPECT_THAT(drawn.words, Not(HasSubstr("measured –")));
  panels_.source.heat = 0;
  EXPECT_THAT(draw(*workspace, "source").words, Not(HasSubstr("= same")));
  panels_.source.heat = 1;
  // The counters of another step are not this one's.
  EXPECT_THAT(draw(*workspace_of({point_with(lines, "other"), trace}), "source").words,
              Not(HasSubstr("= same")));
}

TEST_F(DiagramPanels, TheSourceShowsCountedLinesWithoutATrace) {
  LineCounters lines;
  lines.rows = {counted_line(2, 77)};
  EXPECT_THAT(draw(*workspace_of({point_with(lines)}), "source").words, HasSubstr("77"));
  LineCounters refused;
  refused.missing = {{"lines", std::nullopt, Origin::measured, "counters need permission", ""}};
  EXPECT_THAT(draw(*workspace_of({point_with(refused)}), "source").words, HasSubstr("measured –"));
}

TEST_F(DiagramPanels, TheMetricsStandModelledBesideMeasured) {
  Measurement point = point_with({});
  point.metrics = {{"l1.sectors_load", 48.0, Origin::measured, "", ""}};
  panels_.metrics.open = {"memory"};  // it is a detail
  const std::string words = draw(*workspace_of({point, trace_here()}), "metrics").words;
  EXPECT_THAT(words, testing::AllOf(HasSubstr("global load sectors, em"), HasSubstr("modelled")));
  EXPECT_THAT(draw(*workspace_of({point}), "metrics").words, Not(HasSubstr("modelled")));
}

TEST(TraceStates, CountersOfSeveralKernelsAreNotGivenToOne) {
  Measurement point;
  point.scene = "csrmm";
  point.variant = "float4_columns";
  point.key = "m=10000,n=128";
  point.verdict.outcome = Outcome::correct;
  point.metrics = {{"l1.sectors_load", 1.0, Origin::measured, "", ""}};
  point.steps.resize(2);
  for (StepRecord& step : point.steps) step.kind = "kernel";
  const auto beside = [&] { return counters_beside(&point, synthetic_trace()); };
  EXPECT_TRUE(beside().empty());
  point.steps[1].name = "multiply";
  point.steps[1].metrics = {{"l1.sectors_load", 2.0, Origin::measured, "", ""}};
  EXPECT_EQ(value_of(beside(), "l1.sectors_load"), 2.0);
  point.steps.resize(1);
  point.steps[0].metrics.clear();
  EXPECT_EQ(value_of(beside(), "l1.sectors_load"), 1.0);
}

TEST(LaneColours, RiseInLightnessSoThatTheOrderShowsWithoutHues) {
  for (const Theme theme : {Theme::dark, Theme::light}) {
    const Style style = make_style(theme, 1);
    const ImU32 black = IM_COL32(0, 0, 0, 255);
    for (int lane = 1; lane < kWarpLanes; ++lane)
      EXPECT_GT(contrast_ratio(lane_colour(style, lane), black),
                contrast_ratio(lane_colour(style, lane - 1), black));
    for (int lane = 0; lane < kWarpLanes; ++lane)
      EXPECT_GE(contrast_ratio(ink_on(lane_colour(style, lane)), lane_colour(style, lane)), 4.5);
  }
}

}  // namespace
}  // namespace warpscope
