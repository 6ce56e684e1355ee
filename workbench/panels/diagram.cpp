// workbench/panels/diagram.cpp: what the diagrams of a trace share: heading, steps and cells.
#include "workbench/panels/diagram.h"

#include <imgui.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "workbench/panels/outcome.h"

namespace warpscope {
namespace {

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string block_text(const Launch& launch, std::int64_t block) {
  const Dim3 at = block_at(launch, block);
  std::string text = std::to_string(at.x);
  if (launch.grid.y > 1 || launch.grid.z > 1) text += "," + std::to_string(at.y);
  if (launch.grid.z > 1) text += "," + std::to_string(at.z);
  return text;
}

// What the story of a hang says once, in one sentence.
bool is_told(const Trace& trace, const Fault& fault) {
  return trace.hang && (fault.kind == FaultKind::deadlock || fault.kind == FaultKind::endless_loop);
}

void draw_faults(const Style& style, const Trace& trace) {
  constexpr std::size_t kShown = 2;
  if (trace.hang) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("✕ %s", trace.hang->verdict.c_str());
    ImGui::PopStyleColor();
  }
  std::vector<Fault> faults;
  std::copy_if(trace.faults.begin(), trace.faults.end(), std::back_inserter(faults),
               [&](const Fault& fault) { return !is_told(trace, fault); });
  for (std::size_t i = 0; i < std::min(kShown, faults.size()); ++i) {
    const Fault& fault = faults[i];
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("✕ %s%s: %s", to_text(fault.kind),
                       fault.count > 1 ? (" × " + std::to_string(fault.count)).c_str() : "",
                       fault.sentence.c_str());
    ImGui::PopStyleColor();
  }
  if (faults.size() <= kShown) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
  const std::size_t more = faults.size() - kShown;
  ImGui::Text("and %zu more kind%s of fault", more, more == 1 ? "" : "s");
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(style.unit(70));
  for (const Fault& fault : faults) ImGui::TextUnformatted(fault.sentence.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

// Why there is nothing to draw, and what to do about it.
void explain_absence(const PanelContext& context, Selection& selection, const Variant& variant,
                     const TraceState& state) {
  const Style& style = context.style;
  if (state.freshness == Freshness::pending) {
    return draw_note(style, variant.label + " is being emulated …" +
                                (state.progress.empty() ? "" : " " + state.progress));
  }
  if (state.failure) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextUnformatted("✕ no trace");
    ImGui::PopStyleColor();
    ImGui::TextWrapped("%s", sentence(*state.failure).c_str());
  } else if (!variant.own_kernels) {
    return draw_note(
        style,
        variant.label +
            " is a library's own kernel, or the driver's: there is no PTX of it to emulate, so "
            "no lane's address is known.");
  } else {
    draw_note(style, variant.label +
                         " has no trace here yet. Its kernel can be run lane by lane on the CPU, "
                         "which needs no GPU.");
  }
  if (tool_button("trace")) selection.requests.push_back({Request::Kind::trace, variant.name});
}

void draw_steps(const PanelContext& context, const Trace& trace, Selection& selection) {
  const std::vector<std::string> steps = traced_steps(context.workspace.session(), trace);
  if (steps.size() < 2 || for_slides()) return;
  for (const std::string& step : steps) {
    const bool chosen = step == trace.step;
    if (&step != &steps.front()) flow(ImGui::CalcTextSize(step.c_str()).x + context.style.unit(2));
    ImGui::PushStyleColor(ImGuiCol_Text,
                          chosen ? context.style.colours.accent : context.style.colours.muted);
    if (small_tool_button((step + "##step").c_str())) selection.step = step;
    ImGui::PopStyleColor();
  }
}

// What stood in for the inputs of a step that was traced alone. Its place is as high as the step
// with most to say needs: nothing moves when another one is chosen.
void draw_stand_ins(const PanelContext& context, const Trace& trace) {
  const auto words = [](const Trace& of) {
    std::string text;
    for (const std::string& each : of.stand_ins)
      text += (text.empty() ? "stand-in: " : "\nstand-in: ") + each;
    return text;
  };
  const float room = ImGui::GetContentRegionAvail().x;
  float height = 0;
  for (const Trace* other : context.workspace.session().traces()) {
    if (other->scene != trace.scene || other->variant != trace.variant || other->key != trace.key ||
        other->stand_ins.empty())
      continue;
    height = std::max(height, ImGui::CalcTextSize(words(*other).c_str(), nullptr, false, room).y);
  }
  if (height == 0) return;
  const ImVec2 top = ImGui::GetCursorPos();
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.warning);
  ImGui::TextWrapped("%s", words(trace).c_str());
  ImGui::PopStyleColor();
  ImGui::SetCursorPos(top);
  ImGui::Dummy({room, height});
}

// One level of the zoom with its position; arrows step through it.
void draw_level(const Style& style, TraceSelection& t, TraceZoom level, const std::string& text,
                const char* hint, const std::function<void(int)>& step) {
  const bool chosen = t.zoom == level;
  const float arrows = step ? ImGui::CalcTextSize("◀▶").x + style.unit(3) : 0;
  flow(ImGui::CalcTextSize(text.c_str()).x + arrows + style.unit(3));
  ImGui::PushID(to_text(level));
  ImGui::PushStyleColor(ImGuiCol_Text, chosen ? style.colours.accent : style.colours.text);
  if (small_tool_button(text.c_str())) t.zoom = level;
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
  if (step) {
    ImGui::SameLine(0, style.unit(0.25f));
    if (small_tool_button("◀")) step(-1);
    ImGui::SameLine(0, style.unit(0.25f));
    if (small_tool_button("▶")) step(1);
  }
  ImGui::PopID();
}

// "block (0, 0) · warp 3 of 8 · request 2/15": what stands in a picture for the buttons.
std::string levels_text(const Trace& trace, const TraceSelection& t) {
  std::string text = "grid of " + std::to_string(block_count(trace.launch)) + " blocks";
  if (t.zoom == TraceZoom::grid) return text;
  text = "block " + block_text(trace.launch, trace.scope.block);
  if (t.zoom == TraceZoom::block) return text;
  text += " · warp " + std::to_string(t.warp) + " of " + std::to_string(warps_of(trace.launch));
  if (t.zoom == TraceZoom::warp) return text;
  const StepPosition at = step_position(t, trace);
  return text + " · request " + std::to_string(at.at) + " of " + std::to_string(at.of);
}

void draw_levels(const PanelContext& context, const Trace& trace, Selection& selection,
                 const char* panel) {
  const Style& style = context.style;
  TraceSelection& t = selection.trace;
  if (for_slides()) return draw_note(style, levels_text(trace, t));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {style.unit(0.5f), style.unit(0.5f)});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit(0.5f), style.unit(0.25f)});
  ImGui::PushStyleColor(ImGuiCol_Text,
                        t.zoom == TraceZoom::grid ? style.colours.accent : style.colours.text);
  if (small_tool_button(("grid of " + std::to_string(block_count(trace.launch))).c_str()))
    t.zoom = TraceZoom::grid;
  ImGui::PopStyleColor();
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("All blocks (O: farther, I: nearer).");
  draw_level(style, t, TraceZoom::block, "block " + block_text(trace.launch, trace.scope.block),
             "All warps of the block whose requests were kept.", nullptr);
  draw_level(style, t, TraceZoom::warp,
             "warp " + std::to_string(t.warp) + " of " + std::to_string(warps_of(trace.launch)),
             "One warp's requests (F and R: last and next warp).",
             [&](int by) { step_warp(t, trace, by); });
  const StepPosition at = step_position(t, trace);
  draw_level(style, t, TraceZoom::request,
             "request " + std::to_string(at.at) + "/" + std::to_string(at.of),
             "One request (Q and E: last and next).", [&](int by) { step_request(t, trace, by); });
  if (flow_button(t.playing ? "■ stop" : "▶ play",
                  "Steps forward by itself (P). The pace stands beside it while it plays."))
    t.playing = !t.playing;
  if (t.playing) {
    char speed[24];
    std::snprintf(speed, sizeof speed, "%g/s", t.speed);
    if (flow_button(speed, "Steps a second: click for twice as many."))
      t.speed = t.speed >= 32 ? 1 : t.speed * 2;
  }
  if (t.site >= 0 && flow_button("✕ one instruction",
                                 "Steps go through one instruction's requests:"
                                 " click for all."))
    t.site = -1;
  if (flow_button("PNG", "Writes this panel as a picture."))
    selection.wish = {ExportWish::Kind::picture, panel};
  if (flow_button("CSV", "Writes the table by instruction, a row each."))
    selection.wish = {ExportWish::Kind::accesses, panel};
  ImGui::PopStyleVar(2);
}

}  // namespace

Diagram begin_diagram(const PanelContext& context, Selection& selection, const char* panel) {
  const Style& style = context.style;
  Diagram diagram;
  const Variant* variant = find_variant(context.workspace.scene(), selection.variant);
  if (variant == nullptr) {
    draw_note(style, "Nothing is selected: click a variant in the list.");
    return diagram;
  }
  const TraceState state = trace_state(context.workspace, selection.variant);
  if (state.trace == nullptr) {
    explain_absence(context, selection, *variant, state);
    return diagram;
  }
  diagram.trace = state.trace;
  diagram.stale = state.freshness != Freshness::fresh;
  std::string no_counters;
  diagram.counters = counters_of(context.workspace, *state.trace, &no_counters);
  settle(selection.trace, *state.trace);
  draw_steps(context, *state.trace, selection);
  draw_levels(context, *state.trace, selection, panel);
  draw_stand_ins(context, *state.trace);
  if (diagram.stale) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextWrapped("%s", state.freshness == Freshness::pending
                                 ? "… a newer trace is on its way"
                                 : ("stale: " + state.why_stale).c_str());
    ImGui::PopStyleColor();
    if (state.freshness == Freshness::stale) {
      flow(style.unit(8));
      if (small_tool_button("trace again"))
        selection.requests.push_back({Request::Kind::trace, variant->name});
    }
  }
  if (state.failure) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextWrapped("✕ the last emulation failed: %s", sentence(*state.failure).c_str());
    ImGui::PopStyleColor();
  }
  if (!no_counters.empty()) draw_age(style, "○ no counters beside it: " + no_counters);
  draw_faults(style, *state.trace);
  if (state.trace->truncated)
    draw_note(style, "Only the first requests and instructions were kept; sums cover all.");
  return diagram;
}

const WarpRequest* diagram_request(const PanelContext& context, const Diagram& diagram,
                                   Selection& selection, RequestFamily family) {
  const Trace& trace = *diagram.trace;
  const TraceSelection& t = selection.trace;
  const WarpRequest* chosen = chosen_request(t, trace);
  if (chosen != nullptr && belongs(trace.sites[chosen->site], family)) return chosen;
  const std::uint64_t order =
      t.request < trace.requests.size() ? trace.requests[t.request].order : 0;
  auto near = nearest_request(trace, t.warp, order, family, -1);
  const char* const what = family == RequestFamily::shared ? "shared" : "global";
  if (!near) {
    near = nearest_request(trace, order, family);
    draw_note(context.style, near ? "Warp " + std::to_string(t.warp) + " uses no " + what +
                                        " memory: this is a request of warp " +
                                        std::to_string(trace.requests[*near].warp) +
                                        ", nearest in time."
                                  : std::string("No warp of this block uses ") + what + " memory.");
    if (!near) return nullptr;
  } else if (chosen != nullptr) {
    draw_note(context.style, std::string("The chosen request is to ") +
                                 to_text(trace.sites[chosen->site].space) +
                                 " memory: this is the " + what + " one nearest in time.");
  }
  return &trace.requests[*near];
}

void draw_site_line(const PanelContext& context, Selection& selection, const AccessSite& site) {
  const std::string text = site.text + (site.buffer.empty() ? "" : " of " + site.buffer) + " · " +
                           file_name(site.position.file) + ":" + std::to_string(site.position.line);
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_fitting_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  selection.trace.hovering.file = site.position.file;
  selection.trace.hovering.line = site.position.line;
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    selection.show_source = {site.position.file, site.position.line};
  std::string chain = text;
  for (const SourcePosition& p : site.inlined_at)
    chain += "\n  in " + p.file + ":" + std::to_string(p.line);
  ImGui::SetTooltip("%s\nClick: this line in Source.", chain.c_str());
}

void draw_caption(const Style& style, const std::string& text, bool good) {
  ImGui::PushStyleColor(ImGuiCol_Text, good ? style.colours.good : style.colours.warning);
  ImGui::TextUnformatted(good ? "✔" : "⚠");
  ImGui::PopStyleColor();
  ImGui::SameLine(0, style.unit(0.75f));
  ImGui::TextWrapped("%s", text.c_str());
}

void flow(float width) {
  const float end = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + width < end) ImGui::SameLine();
}

bool flow_button(const char* text, const char* hint) {
  flow(ImGui::CalcTextSize(text).x + 2 * ImGui::GetStyle().FramePadding.x);
  const bool clicked = small_tool_button(text);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
  return clicked;
}

void add_box(ImDrawList* list, const Box& box, ImU32 colour) {
  list->AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, colour);
}

void add_outline(ImDrawList* list, const Box& box, ImU32 colour, float width) {
  list->AddRect({box.x0, box.y0}, {box.x1, box.y1}, colour, 0, 0, width);
}

void add_hatch(ImDrawList* list, const Box& box, ImU32 colour, float spacing) {
  list->PushClipRect({box.x0, box.y0}, {box.x1, box.y1}, true);
  const int lines = static_cast<int>(std::ceil((box.width() + box.height()) / spacing));
  for (int line = 0; line < lines; ++line) {
    const float at = box.x0 - box.height() + static_cast<float>(line) * spacing;
    list->AddLine({at, box.y1}, {at + box.height(), box.y0}, colour);
  }
  list->PopClipRect();
}

void add_lanes(ImDrawList* list, const Style& style, const Box& box, std::uint32_t lanes,
               bool hollow) {
  const int most = std::max(1, static_cast<int>(box.width() / std::max(1.0f, style.unit(0.25f))));
  for (const auto& [lane, part] : split_by_lane(box, lanes, most)) {
    const ImU32 colour = lane_colour(style, lane);
    add_box(list, part, hollow ? faded(colour, 0.35f) : colour);
  }
  if (hollow && std::popcount(lanes) == 1)
    add_outline(list, box, lane_colour(style, std::countr_zero(lanes)), 1);
}

void add_centred(ImDrawList* list, const Box& box, ImU32 colour, const std::string& text) {
  const ImVec2 size = ImGui::CalcTextSize(text.c_str());
  if (size.x > box.width() || size.y > box.height() + 2) return;
  list->AddText({(box.x0 + box.x1 - size.x) / 2, (box.y0 + box.y1 - size.y) / 2}, colour,
                text.c_str());
}

namespace {

void draw_ramp(const Style& style, const std::string& low, const std::string& high,
               const std::function<ImU32(float)>& colour) {
  constexpr int kSteps = 32;
  const float width = style.unit(12);
  ImGui::TextDisabled("%s", low.c_str());
  ImGui::SameLine(0, style.unit(0.5f));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = ImGui::GetTextLineHeight();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < kSteps; ++i) {
    const float left = at.x + width * static_cast<float>(i) / kSteps;
    add_box(list, {left, at.y + height * 0.25f, left + width / kSteps, at.y + height * 0.85f},
            colour(static_cast<float>(i) / (kSteps - 1)));
  }
  ImGui::Dummy({width, height});
  ImGui::SameLine(0, style.unit(0.5f));
  ImGui::TextDisabled("%s", high.c_str());
}

}  // namespace

void draw_lane_legend(const Style& style) {
  draw_ramp(style, "lane 0", "31",
            [&](float at) { return lane_colour(style, static_cast<int>(std::lround(at * 31))); });
}

void draw_block_legend(const Style& style, std::int64_t blocks) {
  draw_ramp(style, "all blocks, 0", std::to_string(blocks - 1),
            [&](float at) { return lane_colour(style, static_cast<int>(std::lround(at * 31))); });
}

void draw_heat_legend(const Style& style, const std::string& low, const std::string& high) {
  draw_ramp(style, low, high, [&](float at) { return heat_colour(style, at); });
}

}  // namespace warpscope
