// workbench/panels/requests/request_pair.cpp: a request of A and its counterpart of B, beside each
// other.
#include "workbench/panels/requests/request_pair.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/outcome.h"
#include "workbench/workspace/pinned_points.h"

namespace warpscope {
namespace {

// From here on the lanes of each half are 7 pixels wide at scale 1. unit: style units.
constexpr float kSideBySide = 104;
constexpr float kLeastHeight = 17;

// What one half shows.
struct Half {
  char letter;
  const PinnedPoint& pin;
  TraceState state;
  std::optional<std::size_t> request;  // into the trace's; no value: `notes` say why
  std::string notes;                   // sentences
  std::int64_t wanted_block = -1;      // that its trace is not of and could be
  std::optional<std::uint32_t> warp;   // the last one it has, where the chosen one is further on
  std::string more;                    // after its name
};

void add_note(Half& half, const std::string& sentence) {
  if (!sentence.empty()) half.notes += (half.notes.empty() ? "" : " ") + sentence;
}

// A and B, each with the request to draw: the chosen one of the trace that leads, and its
// counterpart.
std::array<Half, 2> halves(const PanelContext& context, const Selection& selection,
                           const Trace* lead, RequestFamily family) {
  const Pins& pins = selection.pins;
  std::array<Half, 2> both = {{{'A', *pins.a, trace_state(context.view, *pins.a)},
                               {'B', *pins.b, trace_state(context.view, *pins.b)}}};
  if (lead == nullptr) return both;
  const NearRequest chosen = shown_request(selection.trace, *lead, family);
  for (Half& half : both) {
    const Trace* trace = half.state.trace;
    if (trace == nullptr) continue;
    const bool leads = trace == lead;
    if (trace->step != lead->step || traced_steps(context.view.session(), *trace).size() > 1)
      half.more = " · step " + trace->step;
    if (leads) {
      half.request = chosen.request;
      add_note(half, chosen.note);
      continue;
    }
    add_note(half, apart_text(*lead, *trace));
    if (trace->scope.block != lead->scope.block && lead->scope.block < block_count(trace->launch))
      half.wanted_block = lead->scope.block;
    const Counterpart there =
        chosen.request ? counterpart(*lead, *chosen.request, *trace) : Counterpart{};
    half.request = there.request;
    const int warps = warps_of(trace->launch);
    if (chosen.request && warps > 0 &&
        static_cast<int>(lead->requests[*chosen.request].warp) >= warps)
      half.warp = static_cast<std::uint32_t>(warps - 1);
    add_note(half, there.missing + there.note);
  }
  return both;
}

request::Trace trace_of_half(const Half& half) {
  return {half.pin.variant, {{half.pin.axes, half.wanted_block}}};
}

// Where its scene is not the one that is shown nothing of it can be asked for.
void explain_half(const PanelContext& context, const Half& half) {
  const Scene* scene = context.view.shown.find(half.pin.scene);
  const Variant* variant = scene == nullptr ? nullptr : find_variant(*scene, half.pin.variant);
  const bool here = half.pin.scene == context.view.scene().name;
  if (variant == nullptr || (!here && variant->own_kernels)) {
    return draw_note(context.style, label_of(context.view, half.pin) +
                                        " has no trace: turn to its scene, " + half.pin.scene +
                                        ", to make one.");
  }
  explain_absence(context, *variant, half.state, trace_of_half(half));
}

// Buttons that mend what the notes say.
void draw_remedies(const PanelContext& context, Selection& selection, const Half& half,
                   const Trace& lead) {
  if (half.warp) {
    const auto near = nearest_request(lead, *half.warp, 0, RequestFamily::any, -1);
    if (near && flow_button(("to warp " + std::to_string(*half.warp)).c_str(),
                            "The last warp that the blocks of both have."))
      choose_request(selection.trace, lead, *near);
  }
  if (half.wanted_block < 0 || half.state.freshness == Freshness::pending ||
      half.pin.scene != context.view.scene().name)
    return;
  if (flow_button(("trace block " + std::to_string(half.wanted_block)).c_str(),
                  "Runs its kernel on the CPU and keeps the requests of that block."))
    context.requests.ask(trace_of_half(half));
}

// What there is to say of the half's trace and of its request.
void draw_notes(const PanelContext& context, Selection& selection, const Half& half,
                const Trace& lead) {
  const Style& style = context.style;
  if (half.state.freshness == Freshness::pending) draw_age(style, "… a newer trace is on its way");
  if (half.state.freshness == Freshness::stale) draw_age(style, "stale: " + half.state.why_stale);
  if (half.state.failure)
    draw_age(style, "✕ the last emulation failed: " + sentence(*half.state.failure));
  if (!half.notes.empty()) draw_note(style, half.notes);
  draw_remedies(context, selection, half, lead);
}

void draw_half(const PanelContext& context, Selection& selection, const Half& half,
               const Trace* other, const Trace* lead, RequestFamily family) {
  const Style& style = context.style;
  draw_pin_name(context, half.letter, half.pin, half.more);
  if (half.state.trace == nullptr) return explain_half(context, half);
  draw_notes(context, selection, half, *lead);
  if (!half.request) return;
  const Trace& trace = *half.state.trace;
  const RequestView view{trace, trace.requests[*half.request],
                         half.state.freshness != Freshness::fresh, half.letter, other};
  draw_site_line(context, selection, view.site());
  const std::string words = describe(view.request, view.site());
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float caption =
      ImGui::CalcTextSize(words.c_str(), nullptr, false, room.x - style.unit(3)).y;
  const float height = std::max(room.y - caption - style.unit(1.5f), style.unit(9));
  const AccessTotals cost = request_cost(trace, view.request);
  if (family == RequestFamily::shared) {
    draw_request_banks(context, selection, view, height);
    draw_caption(style, words, cost.wavefronts <= cost.ideal_wavefronts);
  } else {
    draw_request_lines(context, selection, view, height);
    draw_caption(style, words, cost.sectors <= cost.ideal_sectors);
  }
}

// The height with which a half shows all it has, at its lowest and with room. unit: pixels.
struct Heights {
  float least = 0, ample = 0;
};
Heights heights_of(const Style& style, const Half& half, RequestFamily family, float width) {
  const float line = ImGui::GetTextLineHeightWithSpacing();
  float words = 5 * line;
  if (half.state.trace == nullptr) return {words, words};
  if (!half.notes.empty())
    words += ImGui::CalcTextSize(half.notes.c_str(), nullptr, false, width).y + line / 2;
  if (half.state.freshness != Freshness::fresh || half.state.failure) words += 2 * line;
  if (!half.request) return {words, words};
  const Trace& trace = *half.state.trace;
  const WarpRequest& request = trace.requests[*half.request];
  const AccessSite& site = trace.sites[request.site];
  constexpr float kNone = 0, kAll = 1e6f;
  if (family == RequestFamily::shared) {
    const auto rows = static_cast<int>(wavefronts(request, site.width_bytes, site.kind).size());
    const auto height = [&](float room) {
      return words + fit_banks(0, 0, width, style.unit(1), rows, room).height(rows);
    };
    return {height(kNone), height(kAll)};
  }
  const auto rows = static_cast<int>(touched_lines(request, site.width_bytes).size());
  const auto height = [&](float room) {
    return words + fit_lines(0, 0, width, style.unit(1), rows, room).height(rows);
  };
  return {height(kNone), height(kAll)};
}

// How high A's and B's halves are, one above the other in `room`. Where both cannot show all, the
// one that needs less than half of it leaves the rest to the other one.
std::array<float, 2> divided(const Style& style, const Heights& a, const Heights& b, float room) {
  std::array<float, 2> heights = {a.ample, b.ample};
  const float least = a.least + b.least, ample = a.ample + b.ample;
  if (least > room) {
    const float lower = std::min({a.least, b.least, room / 2});
    heights = a.least <= b.least ? std::array<float, 2>{lower, room - lower}
                                 : std::array<float, 2>{room - lower, lower};
  } else if (ample > room) {
    const float ratio = (room - least) / (ample - least);
    heights = {a.least + ratio * (a.ample - a.least), b.least + ratio * (b.ample - b.least)};
  }
  heights[0] = std::max(heights[0], std::min(a.ample, style.unit(kLeastHeight)));
  heights[1] = std::max(heights[1], std::min(b.ample, style.unit(kLeastHeight)));
  return heights;
}

}  // namespace

void draw_request_pair(const PanelContext& context, Selection& selection, const char* panel,
                       RequestFamily family) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  const Trace* lead = leading_trace(context.view, family);
  if (lead != nullptr) {
    turn_to(t, stepped_trace(context.view), *lead);
    t.led_by = name_of(*lead);
  }
  draw_diagram_rows(context, lead, selection, panel);
  const std::array<Half, 2> both = halves(context, selection, lead, family);
  const ImVec2 room = {
      ImGui::GetContentRegionAvail().x,
      std::max(ImGui::GetContentRegionAvail().y - ImGui::GetTextLineHeightWithSpacing(),
               style.unit(kLeastHeight))};
  const bool beside = room.x >= style.unit(kSideBySide);
  const float gap = style.unit(1);
  const std::array<float, 2> heights =
      beside ? std::array<float, 2>{room.y, room.y}
             : divided(style, heights_of(style, both[0], family, room.x),
                       heights_of(style, both[1], family, room.x),
                       room.y - ImGui::GetStyle().ItemSpacing.y);
  ImGui::BeginChild("pair", {0, room.y}, kReached);
  for (const Half& half : both) {
    const Half& other = both[half.letter == 'A' ? 1 : 0];
    if (beside && half.letter == 'B') ImGui::SameLine(0, gap);
    const float height = heights[half.letter == 'A' ? 0 : 1];
    ImGui::BeginChild(half.letter == 'A' ? "A" : "B", {beside ? (room.x - gap) / 2 : 0, height},
                      kReached);
    draw_half(context, selection, half, other.state.trace, lead, family);
    ImGui::EndChild();
  }
  ImGui::EndChild();
  if (family == RequestFamily::shared) {
    draw_banks_legend(style, false);
  } else {
    draw_lines_legend(style);
  }
}

}  // namespace warpscope
