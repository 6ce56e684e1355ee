// tests/workbench/panels/pair_panels_test.cpp: Coalescing, Banks and Timing with A and B, whose
// cursors are one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

#include "tests/profiling/access/synthetic_trace.h"
#include "tests/workbench/window/drawn_text.h"
#include "tests/workbench/window/null_window.h"
#include "tests/workbench/workspace/sample_session.h"
#include "workbench/workspace/pinned_points.h"
#include "workbench/workspace/selection/trace_steps.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

using namespace traced_by_hand;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kWide = 1600, kHigh = 900;

// The focus's trace; and one of the baseline that reads no index and whose gathers begin a word
// late, which takes a sector more.
Trace trace_of_focus() {
  Trace trace = synthetic_trace();
  trace.variant = sample::focus;
  trace.key = sample::key_at_n(128);
  return trace;
}
Trace trace_of_baseline() {
  Trace trace = synthetic_trace();
  trace.variant = sample::baseline;
  trace.key = sample::key_of(sample::baseline, 128);
  std::erase_if(trace.requests, [](const WarpRequest& r) { return r.site == load_index; });
  for (TracedBuffer& buffer : trace.buffers) buffer.address += 0x100000;
  for (WarpRequest& r : trace.requests) {
    if (trace.sites[r.site].space != Space::global) continue;
    for (std::uint64_t& address : r.addresses) {
      if (address != 0) address += 0x100000 + (r.site == gather_b ? 16 : 0);
    }
  }
  return trace;
}

// A is the baseline, B the focus; the diagrams are at the focus's `which`.
std::unique_ptr<Workspace> pinned(const std::vector<Message>& messages) {
  auto workspace = sample::recorded(messages);
  pin_as_a(workspace->selection.pins, pin_here(workspace->view(), sample::baseline));
  pin_as_b(workspace->selection.pins, pin_here(workspace->view(), sample::focus));
  return workspace;
}
std::unique_ptr<Workspace> both_traced() { return pinned({trace_of_focus(), trace_of_baseline()}); }

// Vertices of the half's windows in the last frame.
int vertices_of(char letter) {
  const std::string part = std::string("/") + letter + "_";
  int count = 0;
  const ImDrawData* frame = ImGui::GetDrawData();
  for (int i = 0; i < frame->CmdLists.Size; ++i) {
    const ImDrawList* list = frame->CmdLists[i];
    if (std::strstr(list->_OwnerName, part.c_str()) != nullptr) count += list->VtxBuffer.Size;
  }
  return count;
}

// The whole window with a diagram in front.
std::string frames(NullWindow& window, Workspace& workspace, const char* panel) {
  window.state.right_tab = panel;
  return window.window(workspace);
}

// Clicks down the panel and across until it is done.
template <typename IsDone>
bool click_until(NullWindow& window, Workspace& workspace, const char* panel, const IsDone& done) {
  for (int y = 40; y < kHigh; y += 6) {
    for (int x = 30; x < kWide; x += 40) {
      window.move_mouse(static_cast<float>(x), static_cast<float>(y));
      window.panel(workspace, panel);
      window.hold_mouse(0, true);
      window.panel(workspace, panel);
      window.hold_mouse(0, false);
      window.panel(workspace, panel);
      if (done()) return true;
    }
  }
  return false;
}

std::string words_of(const Trace& trace, std::size_t request) {
  const WarpRequest& r = trace.requests[request];
  return describe(r, trace.sites[r.site]);
}

TEST(PairPanels, ShowARequestOfEachWithItsNameAndItsCost) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  const std::string words = window.panel(*workspace, "coalescing");
  EXPECT_THAT(words, AllOf(HasSubstr("warp-row zero test"), HasSubstr("float4 columns"),
                           HasSubstr("· here"), HasSubstr("A and B"), HasSubstr("hatched")));
  const Trace a = trace_of_baseline(), b = trace_of_focus();
  const std::size_t at = workspace->selection.trace.request;
  const Counterpart there = counterpart(b, at, a);
  ASSERT_TRUE(there.request);
  EXPECT_THAT(words, AllOf(HasSubstr(words_of(a, *there.request)), HasSubstr(words_of(b, at))));
  EXPECT_GT(vertices_of('A'), 200);
  EXPECT_GT(vertices_of('B'), 200);
  EXPECT_THAT(window.panel(*workspace, "banks"),
              AllOf(HasSubstr("wavefront"), HasSubstr("warp-row zero test"), HasSubstr("A and B")));
  EXPECT_GT(vertices_of('A'), 200);
  EXPECT_GT(vertices_of('B'), 200);
}

TEST(PairPanels, ShowTheFocusAloneWhereThatIsChosen) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  workspace->selection.pair = false;
  EXPECT_THAT(window.panel(*workspace, "coalescing"),
              AllOf(HasSubstr("A and B"), HasSubstr("the whole grid · sectors per request")));
  EXPECT_EQ(vertices_of('A'), 0);
  workspace->selection.pair = true;
  workspace->selection.trace.zoom = TraceZoom::warp;
  window.panel(*workspace, "coalescing");
  EXPECT_EQ(vertices_of('A'), 0) << "only requests are shown in pairs";
  workspace->selection.trace.zoom = TraceZoom::request;
  workspace->selection.pins.b.reset();
  EXPECT_THAT(window.panel(*workspace, "coalescing"), Not(HasSubstr("A and B")));
}

TEST(PairPanels, StayWhenTheFocusMovesOn) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  window.panel(*workspace, "coalescing");
  const Trace a = trace_of_baseline(), b = trace_of_focus();
  choose_request(workspace->selection.trace, b, requests_of_warp(b, 3).first + 9);
  const Counterpart there = counterpart(b, workspace->selection.trace.request, a);
  ASSERT_TRUE(there.request);
  window.panel(*workspace, "coalescing");
  // To the other one: the cursor is of its trace, and where it was.
  workspace->selection.variant = sample::baseline;
  window.panel(*workspace, "coalescing");
  EXPECT_EQ(workspace->selection.trace.request, *there.request);
  // To one that is neither, without a trace.
  for (const Variant& variant : workspace->scene().variants) {
    if (variant.name != sample::baseline && variant.name != sample::focus)
      workspace->selection.variant = variant.name;
  }
  window.panel(*workspace, "coalescing");
  EXPECT_GT(vertices_of('A'), 200);
  EXPECT_GT(vertices_of('B'), 200);
  ASSERT_NE(stepped_trace(workspace->view()), nullptr);
  EXPECT_EQ(stepped_trace(workspace->view())->variant, sample::baseline) << "A leads";
  EXPECT_EQ(workspace->selection.trace.request, *there.request);
}

TEST(PairPanels, StepTogether) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  const Trace a = trace_of_baseline(), b = trace_of_focus();
  frames(window, *workspace, "coalescing");
  TraceSelection& t = workspace->selection.trace;
  choose_request(t, b, requests_of_warp(b, 1).first + 1);  // the first gather
  int moved = 0;
  for (int i = 0; i < 9; ++i) {
    const std::string words = frames(window, *workspace, "coalescing");
    const std::size_t shown = *shown_request(t, b, RequestFamily::global).request;
    const Counterpart there = counterpart(b, shown, a);
    ASSERT_TRUE(there.request);
    EXPECT_THAT(words,
                AllOf(HasSubstr(words_of(b, shown)), HasSubstr(words_of(a, *there.request))));
    moved += there.request != counterpart(b, requests_of_warp(b, 1).first + 1, a).request;
    window.hold('E', true);
    window.step(*workspace);
    window.hold('E', false);
    window.step(*workspace);
    EXPECT_EQ(t.request, requests_of_warp(b, 1).first + 2 + static_cast<std::size_t>(i));
  }
  EXPECT_GT(moved, 2);
}

TEST(PairPanels, KeysStepThroughThePairWhereTheFocusIsNeither) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  for (const Variant& variant : workspace->scene().variants) {
    if (variant.name != sample::baseline && variant.name != sample::focus)
      workspace->selection.variant = variant.name;
  }
  frames(window, *workspace, "coalescing");
  const std::size_t before = workspace->selection.trace.request;
  window.hold('E', true);
  window.step(*workspace);
  window.hold('E', false);
  window.step(*workspace);
  EXPECT_EQ(workspace->selection.trace.request, before + 1);
}

TEST(PairPanels, ALaneUnderThePointerLightsUpInBoth) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  TraceSelection& t = workspace->selection.trace;
  const Trace b = trace_of_focus();
  frames(window, *workspace, "coalescing");
  choose_request(t, b, requests_of_warp(b, 1).first + 1);
  for (const char letter : {'A', 'B'}) {
    window.move_mouse(-1, -1);
    frames(window, *workspace, "coalescing");
    const int dark_a = vertices_of('A'), dark_b = vertices_of('B');
    const Box box = window.state.boxes["coalescing"];
    bool found = false;
    for (float y = box.y0; y < box.y1 && !found; y += 6) {
      window.move_mouse((box.x0 + box.x1) / 2, y);
      frames(window, *workspace, "coalescing");
      found = t.hovered.lane >= 0 && t.hovered.pin == letter && t.hovered.sector < 0;
    }
    ASSERT_TRUE(found) << letter;
    EXPECT_NE(vertices_of('A'), dark_a) << letter;
    EXPECT_NE(vertices_of('B'), dark_b) << letter;
  }
}

TEST(PairPanels, ASectorUnderThePointerIsTheSameBytesInTheOther) {
  NullWindow window(kWide, kHigh);
  const Trace b = trace_of_focus();
  Trace wider = trace_of_baseline();
  wider.buffers[0].shape = {rows / 2, 2 * columns};
  const auto lit = [&](Workspace& workspace) {
    TraceSelection& t = workspace.selection.trace;
    const auto draw = [&](const Hovered& hovered) {
      t.hovered = hovered;
      window.panel(workspace, "coalescing");
      return std::pair(vertices_of('A'), vertices_of('B'));
    };
    draw({});
    choose_request(t, b, requests_of_warp(b, 1).first + 1);
    const auto dark = draw({});
    Hovered h;
    h.pin = 'B';
    h.buffer = "b";
    const std::uint64_t offset = b.requests[t.request].addresses[4] - b_at;
    h.sector = static_cast<std::int64_t>(offset / 32);
    h.element = static_cast<std::int64_t>(offset / 4);
    const auto bright = draw(h);
    return std::pair(bright.first != dark.first, bright.second != dark.second);
  };
  auto alike = both_traced();
  EXPECT_EQ(lit(*alike), std::pair(true, true));
  auto of_other_shape = pinned({b, wider});
  EXPECT_EQ(lit(*of_other_shape), std::pair(false, true));
}

TEST(PairPanels, WordsOfSharedMemoryAreOfOneKernelAlone) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_traced();
  TraceSelection& t = workspace->selection.trace;
  const Trace b = trace_of_focus();
  window.panel(*workspace, "banks");
  choose_request(t, b, requests_of_warp(b, 0).first + 3);
  const std::size_t at = *shown_request(t, b, RequestFamily::shared).request;
  const auto draw = [&](const Hovered& hovered) {
    t.hovered = hovered;
    window.panel(*workspace, "banks");
    return std::pair(vertices_of('A'), vertices_of('B'));
  };
  const auto dark = draw({});
  Hovered h;
  h.pin = 'B';
  h.word = static_cast<std::int64_t>(b.requests[at].addresses[5] / 4);
  const auto word = draw(h);
  EXPECT_EQ(word.first, dark.first);
  EXPECT_NE(word.second, dark.second);
  h.lane = 5;
  const auto lane = draw(h);
  EXPECT_NE(lane.first, dark.first);
  EXPECT_NE(lane.second, dark.second);
}

TEST(PairPanels, AHalfWithoutATraceSaysSoAndAsksForOne) {
  NullWindow window(kWide, kHigh);
  auto workspace = pinned({trace_of_focus()});
  const std::string words = window.panel(*workspace, "coalescing");
  EXPECT_THAT(words, AllOf(HasSubstr("warp-row zero test has no trace yet"), HasSubstr("trace")));
  EXPECT_GT(vertices_of('B'), 200);
  const bool asked =
      click_until(window, *workspace, "coalescing", [&] { return !workspace->requests.empty(); });
  ASSERT_TRUE(asked);
  const Request request = workspace->requests.waiting().front();
  const auto* trace = std::get_if<request::Trace>(&request);
  ASSERT_NE(trace, nullptr);
  EXPECT_EQ(trace->variant, sample::baseline);
  ASSERT_TRUE(trace->elsewhere);
  EXPECT_EQ(trace->elsewhere->axes, workspace->selection.pins.a->axes);
}

TEST(PairPanels, AreOnePanelWithoutAnyTrace) {
  NullWindow window(kWide, kHigh);
  auto workspace = pinned({LogLine{"info", "x", 0}});
  for (const char* panel : {"coalescing", "banks"}) {
    EXPECT_THAT(window.panel(*workspace, panel),
                AllOf(HasSubstr("warp-row zero test has no trace yet"),
                      HasSubstr("float4 columns has no trace yet")));
  }
}

TEST(PairPanels, SayWhatTheOtherLacks) {
  NullWindow window(kWide, kHigh);
  Trace a = trace_of_baseline();
  a.scope.block = 0;
  std::erase_if(a.requests,
                [&](const WarpRequest& r) { return a.sites[r.site].space == Space::shared; });
  auto workspace = pinned({trace_of_focus(), a});
  EXPECT_THAT(window.panel(*workspace, "banks"),
              AllOf(HasSubstr("makes no request to shared memory"),
                    HasSubstr("This is block 0, not 3"), HasSubstr("trace block 3")));
  // The other way round it is the one that has some that leads.
  workspace->selection.variant = sample::baseline;
  EXPECT_THAT(window.panel(*workspace, "banks"),
              AllOf(HasSubstr("makes no request to shared memory"), HasSubstr("wavefront")));
  EXPECT_GT(vertices_of('B'), 200);
}

TEST(PairPanels, LeadToAWarpThatBothHave) {
  NullWindow window(kWide, kHigh);
  Trace a = trace_of_baseline();
  std::erase_if(a.requests, [](const WarpRequest& r) { return r.warp >= 4; });
  a.launch.block = {32, 4, 1};
  a.issued.resize(4);
  const Trace b = trace_of_focus();
  auto workspace = pinned({b, a});
  TraceSelection& t = workspace->selection.trace;
  window.panel(*workspace, "coalescing");
  choose_request(t, b, requests_of_warp(b, 6).first + 1);
  EXPECT_THAT(
      window.panel(*workspace, "coalescing"),
      AllOf(HasSubstr("Its blocks have 4 warps: there is no warp 6."), HasSubstr("to warp 3")));
  EXPECT_TRUE(click_until(window, *workspace, "coalescing", [&] { return t.warp == 3; }));
  EXPECT_THAT(window.panel(*workspace, "coalescing"), Not(HasSubstr("there is no warp")));
}

TEST(PairPanels, AreSideBySideWhereThereIsRoom) {
  auto workspace = both_traced();
  const auto first_of = [](char letter) {
    const std::string part = std::string("/") + letter + "_";
    const ImDrawData* frame = ImGui::GetDrawData();
    for (int i = 0; i < frame->CmdLists.Size; ++i) {
      const ImDrawList* list = frame->CmdLists[i];
      if (std::strstr(list->_OwnerName, part.c_str()) != nullptr && list->CmdBuffer.Size > 0)
        return list->CmdBuffer[0].ClipRect;
    }
    return ImVec4{};
  };
  {
    NullWindow window(kWide, kHigh);
    window.panel(*workspace, "coalescing");
    EXPECT_GE(first_of('B').x, first_of('A').z);
  }
  NullWindow window(600, kHigh);
  window.panel(*workspace, "coalescing");
  EXPECT_GE(first_of('B').y, first_of('A').w);
}

// Timing.

std::unique_ptr<Workspace> both_measured() {
  return sample::recorded({sample::correct(sample::focus, 120e3),
                           sample::correct(sample::baseline, 240e3),
                           sample::correct(sample::focus, 300e3, 256)});
}

TEST(PairPanels, TimingOverlaysThePairInPlaceOfTheFocusAndItsBaseline) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_measured();
  EXPECT_THAT(window.panel(*workspace, "timing"),
              AllOf(HasSubstr("120.0 µs"), HasSubstr("240.0 µs"), Not(HasSubstr("300.0 µs"))));
  Pins& pins = workspace->selection.pins;
  pin_as_a(pins, pin_here(workspace->view(), sample::focus));
  pin_as_b(pins, pin_at(workspace->view(), sample::focus, sample::at_n(256)));
  EXPECT_THAT(window.panel(*workspace, "timing"),
              AllOf(HasSubstr("A  float4 columns · here: 120.0 µs"),
                    HasSubstr("B  float4 columns · n=256: 300.0 µs"), Not(HasSubstr("240.0 µs")),
                    HasSubstr("A and B")));
  workspace->selection.pair = false;
  EXPECT_THAT(window.panel(*workspace, "timing"),
              AllOf(HasSubstr("240.0 µs"), Not(HasSubstr("300.0 µs")), HasSubstr("A and B")));
  workspace->selection.pair = true;
  pin_as_b(pins, pin_at(workspace->view(), sample::baseline, sample::at_n(512)));
  EXPECT_THAT(
      window.panel(*workspace, "timing"),
      AllOf(HasSubstr("A  float4 columns"), HasSubstr("n=512: not in the recorded session")));
}

TEST(PairPanels, PlotsHaveTheLettersOfAAndB) {
  NullWindow window(kWide, kHigh);
  auto workspace = sample::recorded({sample::roofs(), sample::correct(sample::focus, 120e3),
                                     sample::correct(sample::baseline, 240e3),
                                     sample::correct(sample::focus, 300e3, 256)});
  workspace->selection.sweep_axis = "n";
  const auto count_of = [&](const char* panel, const std::string& words) {
    window.panel(*workspace, panel);
    const std::vector<DrawnText> texts = drawn_texts();
    return std::count_if(texts.begin(), texts.end(),
                         [&](const DrawnText& text) { return text.words == words; });
  };
  EXPECT_EQ(count_of("sweep", "A") + count_of("sweep", "B") + count_of("timing", "A"), 0);
  Pins& pins = workspace->selection.pins;
  pin_as_a(pins, pin_here(workspace->view(), sample::baseline));
  pin_as_b(pins, pin_at(workspace->view(), sample::focus, sample::at_n(256)));
  EXPECT_EQ(count_of("sweep", "A"), 1);
  EXPECT_EQ(count_of("sweep", "B"), 1);
  EXPECT_EQ(count_of("timing", "A"), 2) << "beside both plots";
  EXPECT_EQ(count_of("timing", "B"), 2);
  EXPECT_EQ(count_of("roofline", "A warp-row zero test"), 1);
  EXPECT_EQ(count_of("roofline", "B float4 columns"), 0) << "it is not at this configuration";
}

TEST(PairPanels, ARightClickInTimingPins) {
  NullWindow window(kWide, kHigh);
  auto workspace = both_measured();
  const auto click = [&](float x, float y, int button) {
    window.move_mouse(x, y);
    window.panel(*workspace, "timing");
    window.hold_mouse(button, true);
    window.panel(*workspace, "timing");
    window.hold_mouse(button, false);
    return window.panel(*workspace, "timing");
  };
  std::set<std::string> offered;
  for (float y = 60; y < kHigh - 60; y += 5) {
    if (click(kWide * 0.2f, y, 1).find("pin as A") == std::string::npos) continue;
    offered.insert(window.panels.timing.pin.variant);
    if (offered.size() == 2 && !workspace->selection.pins.a) {
      const std::string wanted = window.panels.timing.pin.variant;
      click(kWide * 0.2f + 20, y + 12, 0);
      ASSERT_TRUE(workspace->selection.pins.a);
      EXPECT_EQ(workspace->selection.pins.a->variant, wanted);
      break;
    }
    click(5, kHigh - 5, 0);  // closes the menu
  }
  EXPECT_EQ(offered, (std::set<std::string>{sample::focus, sample::baseline}));
  EXPECT_TRUE(workspace->selection.pins.a);
}

}  // namespace
}  // namespace warpscope
