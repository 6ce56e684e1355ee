// workbench/panels/diagrams/diagram_heading.cpp: the top of a diagram: its state, faults and steps.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "profiling/session/remedy.h"
#include "scenes/base/plural.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/diagrams/diagram_bar.h"
#include "workbench/panels/outcome.h"
#include "workbench/panels/terms.h"
#include "workbench/workspace/jobs/live_jobs.h"

namespace warpscope {
namespace {

// What the story of a hang says once, in one sentence.
bool is_told(const Trace& trace, const Fault& fault) {
  if (fault.kind == FaultKind::budget) return true;  // no fault: draw_stop says it
  return trace.hang && (fault.kind == FaultKind::deadlock || fault.kind == FaultKind::endless_loop);
}

void draw_stop(const Style& style, const Trace& trace) {
  const Fault* stopped = stop_at_limit(trace);
  if (stopped == nullptr) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  draw_sentence(stopped->sentence);
  ImGui::PopStyleColor();
}

void draw_faults(const Style& style, const Trace& trace) {
  constexpr std::size_t kShown = 2;
  draw_stop(style, trace);
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
    ImGui::PushStyleColor(ImGuiCol_Text,
                          is_of_a_guess(fault) ? style.colours.warning : style.colours.bad);
    ImGui::TextWrapped("%s %s%s: %s", is_of_a_guess(fault) ? "⚠" : "✕", to_text(fault.kind),
                       fault.count > 1 ? fmt::format(" × {}", fault.count).c_str() : "",
                       fault.sentence.c_str());
    ImGui::PopStyleColor();
  }
  if (faults.size() <= kShown) return;
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
  const std::size_t more = faults.size() - kShown;
  ImGui::TextUnformatted(fmt::format("and {} more {} of fault", more, noun(more, "kind")).c_str());
  ImGui::PopStyleColor();
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(style.unit(70));
  for (const Fault& fault : faults) ImGui::TextUnformatted(fault.sentence.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace

// Which rule of the variant the selection breaks; no value: it runs. A rule is not an error.
std::optional<std::string> cannot_run_here(const PanelContext& context, const Variant& variant) {
  const Scene& scene = context.view.scene();
  const Hello* engine = context.view.session().engine();
  const DeviceLimits limits =
      limits_of(engine != nullptr && engine->device ? &*engine->device : nullptr);
  const Configuration axes = for_variant(scene.axes, context.view.selection.axes, variant.name);
  try {
    return unavailable(variant, {axes, {}}, limits);
  } catch (const std::out_of_range&) {
    return std::nullopt;  // a rule asks for what only inputs tell
  }
}

void explain_absence(const PanelContext& context, const Variant& variant, const TraceState& state,
                     request::Trace request) {
  const Style& style = context.style;
  const auto say_pending = [&] {
    draw_note(style, variant.label + " is being emulated …" +
                         (state.progress.empty() ? "" : " " + state.progress));
  };
  if (state.freshness == Freshness::pending) return say_pending();
  if (const auto cannot = cannot_run_here(context, variant); cannot && !request.elsewhere) {
    return draw_note(style, variant.label + " cannot run here: " + *cannot);
  }
  if (!request.elsewhere && variant.own_kernels && variant.name == context.view.selection.variant &&
      context.view.live.trace_follows())
    return say_pending();
  if (state.failure) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.bad);
    ImGui::TextUnformatted("✕ no trace");
    ImGui::PopStyleColor();
    ImGui::TextWrapped("%s", sentence(*state.failure).c_str());
  } else if (!variant.own_kernels) {
    return draw_note(
        style,
        without_kernel(context, variant,
                       " is a library's own kernel, or the driver's: there is no PTX of it to "
                       "emulate, so no lane's address is known."));
  } else {
    draw_note(style, variant.label + " has no trace " + (request.elsewhere ? "" : "here ") +
                         "yet. Its kernel can be run lane by lane on the CPU, which needs no "
                         "GPU.");
  }
  if (tool_button("trace")) context.requests.ask(std::move(request));
}

namespace {

// Returns whether there are any to choose from.
bool draw_steps(const PanelContext& context, const Trace& trace, Selection& selection) {
  const std::vector<std::string> steps = traced_steps(context.view.session(), trace);
  if (steps.size() < 2 || for_slides()) return false;
  for (const std::string& step : steps) {
    const bool chosen = step == trace.step;
    if (&step != &steps.front()) flow(ImGui::CalcTextSize(step.c_str()).x + context.style.unit(2));
    ImGui::PushStyleColor(ImGuiCol_Text,
                          chosen ? context.style.colours.accent : context.style.colours.muted);
    if (small_tool_button((step + "##step").c_str())) selection.step = step;
    ImGui::PopStyleColor();
  }
  return true;
}

// What stood in for the inputs of a step that was traced alone. Its place is as high as the step
// with most to say needs: nothing moves when another one is chosen. A low panel has no room for
// that.
void draw_stand_ins(const PanelContext& context, const Trace& trace) {
  const auto words = [](const Trace& of) {
    std::string text;
    for (const std::string& each : of.stand_ins)
      text += (text.empty() ? "stand-in: " : "\nstand-in: ") + each;
    return text;
  };
  const float room = ImGui::GetContentRegionAvail().x;
  constexpr float kLowUnits = 50;
  const bool low = ImGui::GetContentRegionAvail().y < context.style.unit(kLowUnits);
  float height = 0;
  for (const Trace* other : context.view.session().traces()) {
    if (other->scene != trace.scene || other->variant != trace.variant || other->key != trace.key ||
        other->stand_ins.empty() || (low && other != &trace))
      continue;
    height = std::max(height, ImGui::CalcTextSize(words(*other).c_str(), nullptr, false, room).y);
  }
  if (height == 0) return;
  const ImVec2 top = ImGui::GetCursorPos();
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.warning);
  draw_sentence(words(trace));
  ImGui::PopStyleColor();
  ImGui::SetCursorPos(top);
  ImGui::Dummy({room, height});
}

// "block (0, 0) · warp 3 of 8 · request 2/15": what stands in a picture for the buttons.
std::string levels_text(const Trace& trace, const TraceSelection& t) {
  if (t.zoom == TraceZoom::grid) return "grid of " + plural(block_count(trace.launch), "block");
  std::string text = "block " + block_text(trace.launch, trace.scope.block);
  if (t.zoom == TraceZoom::block) return text;
  text += fmt::format(" · warp {} of {}", t.warp, warps_of(trace.launch));
  if (t.zoom == TraceZoom::warp) return text;
  const StepPosition at = step_position(t, trace);
  return text + fmt::format(" · request {} of {}", at.at, at.of);
}

bool shows_pairs(std::string_view panel) { return panel == "coalescing" || panel == "banks"; }

}  // namespace

void draw_diagram_rows(const PanelContext& context, const Trace* trace, Selection& selection,
                       const char* panel) {
  const Style& style = context.style;
  if (for_slides()) {
    if (trace != nullptr) draw_note(style, levels_text(*trace, selection.trace));
    return;
  }
  const bool pair = shows_pair(selection);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {style.unit(0.5f), style.unit(0.5f)});
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit(0.5f), style.unit(0.25f)});
  bool beside = shows_pairs(panel) && selection.pins.both();
  if (beside && draw_pair_switch(style, selection, pair)) selection.trace.zoom = TraceZoom::request;
  if (trace != nullptr) {
    if (draw_steps(context, *trace, selection)) beside = false;
    const bool table = !(pair && shows_pairs(panel));
    draw_diagram_bar(context, *trace, selection, {panel, table, beside});
  }
  ImGui::PopStyleVar(2);
}

bool shows_pair(const Selection& selection) {
  return selection.pair && selection.pins.both() && selection.trace.zoom == TraceZoom::request;
}

Diagram begin_diagram(const PanelContext& context, Selection& selection, const char* panel) {
  const Style& style = context.style;
  Diagram diagram;
  const Variant* variant = find_variant(context.view.scene(), selection.variant);
  if (variant == nullptr) {
    draw_note(style, "Nothing is selected: click a variant in the list.");
    return diagram;
  }
  const TraceState state = trace_state(context.view, selection.variant);
  if (state.trace == nullptr) {
    draw_diagram_rows(context, nullptr, selection, panel);
    explain_absence(context, *variant, state, request::Trace{variant->name});
    return diagram;
  }
  diagram.trace = state.trace;
  diagram.stale = state.freshness != Freshness::fresh;
  std::string no_counters;
  diagram.counters = counters_of(context.view, *state.trace, &no_counters);
  diagram.lines = line_counters_of(context.view, *state.trace);
  turn_to(selection.trace, stepped_trace(context.view), *state.trace);
  selection.trace.led_by.clear();
  draw_diagram_rows(context, state.trace, selection, panel);
  draw_stand_ins(context, *state.trace);
  if (diagram.stale) {
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    ImGui::TextWrapped("%s", state.freshness == Freshness::pending
                                 ? "… a newer trace is on its way"
                                 : ("stale: " + state.why_stale).c_str());
    ImGui::PopStyleColor();
    if (state.freshness == Freshness::stale) {
      flow(style.unit(8));
      if (small_tool_button("trace again")) context.requests.ask(request::Trace{variant->name});
    }
  }
  if (const auto cannot = cannot_run_here(context, *variant)) {
    draw_note(style, variant->label + " cannot run here: " + *cannot);
  } else if (state.failure) {
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

}  // namespace warpscope
