// workbench/panels/launch/launch_panel.cpp: the kernels of a file, and a form that runs one.
#include <imgui.h>

#include <algorithm>
#include <filesystem>

#include "workbench/drawing/focus.h"
#include "workbench/panels/diagrams/diagram.h"
#include "workbench/panels/launch/launch_dialogs.h"
#include "workbench/panels/launch/launch_fields.h"
#include "workbench/workspace/trace_state.h"

namespace warpscope {
namespace {

// The draft follows what is chosen: another scene, undo, another panel.
void follow(const Selection& selection, LaunchPanel& state) {
  const auto found = selection.launches.find(selection.scene);
  const DescriptionEdits chosen =
      found == selection.launches.end() ? DescriptionEdits() : found->second;
  if (state.scene == selection.scene && state.applied == chosen) return;
  state.scene = selection.scene;
  state.applied = state.draft = chosen;
  state.trouble.clear();
}

void run(const PanelContext& context, Selection& selection, LaunchPanel& state) {
  if (state.draft != state.applied) {
    selection.launches[selection.scene] = state.draft;
    state.applied = state.draft;
  } else if (context.view.has_device()) {
    context.requests.ask(request::Measure{selection.variant});
  }
  context.requests.ask(request::Trace{selection.variant});
}

std::string shape_text(const std::array<FormValue, 3>& extents) {
  std::string text;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i > 0 && extents[1].text == "1" && extents[2].text == "1") break;
    if (i == 2 && extents[2].text == "1") break;
    text += (i == 0 ? "" : " × ") + extents[i].text;
  }
  return text;
}

// One line per kernel that can be launched; a click puts it in focus.
void draw_kernels(const PanelContext& context, Selection& selection,
                  const std::string& description) {
  const Scene& scene = context.view.scene();
  constexpr std::size_t kMostShown = 4;
  const float line = ImGui::GetTextLineHeightWithSpacing();
  const auto rows = static_cast<float>(std::min(kMostShown, scene.variants.size()));
  const float padding = 2 * ImGui::GetStyle().WindowPadding.y;
  if (!ImGui::BeginChild("kernels", {0, rows * line + padding},
                         kReached | ImGuiChildFlags_Borders)) {
    ImGui::EndChild();
    return;
  }
  for (const Variant& variant : scene.variants) {
    const LaunchForm form = launch_form(description, variant.name);
    const FormValue& from = form.grid[0];
    const bool chosen = selection.variant == variant.name;
    ImGui::PushID(variant.name.c_str());
    const float room = ImGui::GetContentRegionAvail().x;
    if (ImGui::Selectable("##kernel", chosen, ImGuiSelectableFlags_AllowOverlap))
      selection.variant = variant.name;
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s: %s", variant.name.c_str(), from.why.c_str());
    ImGui::SameLine(0, 0);
    draw_fitting_text(variant.name, room * 0.5f);
    ImGui::SameLine(room * 0.52f);
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
    const std::string shape = "grid " + shape_text(form.grid) + ", block " + shape_text(form.block);
    draw_fitting_text((from.line > 0  ? "line " + std::to_string(from.line) + ": "
                       : from.guessed ? "? "
                                      : "") +
                          shape,
                      ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
    ImGui::PopID();
  }
  ImGui::EndChild();
}

void draw_words(ImU32 colour, const std::string& words) {
  ImGui::PushStyleColor(ImGuiCol_Text, colour);
  draw_paragraph(words);
  ImGui::PopStyleColor();
}

// Where to look at what the run left.
void draw_ways(const PanelContext& context, Selection& selection) {
  constexpr std::pair<const char*, const char*> kWays[] = {
      {"overview", "Overview"}, {"findings", "Findings"}, {"coalescing", "Coalescing"}};
  for (const auto& [panel, title] : kWays) {
    flow(ImGui::CalcTextSize(title).x + context.style.unit(2));
    if (small_tool_button(title)) selection.wanted_panel = panel;
  }
}

// What became of the run, or what keeps it from running.
void draw_outcome(const PanelContext& context, Selection& selection, const std::string& refusal,
                  const LaunchPanel& state) {
  const Style& style = context.style;
  if (!state.trouble.empty()) return draw_words(style.colours.bad, "✕ " + state.trouble);
  if (!refusal.empty()) return draw_words(style.colours.bad, "✕ " + refusal);
  if (state.draft != state.applied)
    return draw_words(style.colours.warning, "● changed: run it to see what that does");
  const TraceState trace = trace_state(context.view, selection.variant);
  if (trace.freshness == Freshness::pending) {
    draw_words(style.colours.muted,
               "being emulated …" + (trace.progress.empty() ? "" : " " + trace.progress));
    flow(style.unit(8));
    if (small_tool_button("cancel")) context.requests.ask(request::Cancel{});
    return;
  }
  if (trace.failure) return draw_words(style.colours.bad, "✕ " + sentence(*trace.failure));
  if (trace.trace == nullptr)
    return draw_words(style.colours.muted, "It has not run yet. No GPU is needed.");
  const auto& all = trace.trace->faults;
  const auto faults = std::count_if(all.begin(), all.end(),
                                    [](const Fault& fault) { return !is_of_a_guess(fault); });
  const auto guess = std::find_if(all.begin(), all.end(), is_of_a_guess);
  const std::string& by = trace.trace->compiler;
  draw_words(faults == 0 ? style.colours.good : style.colours.bad,
             (faults == 0 ? "✔ it ran, without a fault"
                          : "✕ it ran: " + std::to_string(faults) +
                                (faults == 1 ? " kind of fault" : " kinds of faults")) +
                 (by.empty() ? "" : "; compiled by " + by));
  if (guess != all.end())
    draw_words(
        style.colours.warning,
        "⚠ " + (guess->guessed_size ? guess->buffer + " is too small, and its size is a guess: " +
                                          std::to_string(guess->needed) + " elements would do"
                                    : guess->sentence));
  draw_ways(context, selection);
}

void draw_buttons(const PanelContext& context, Selection& selection, bool runs,
                  LaunchPanel& state) {
  const Style& style = context.style;
  ImGui::BeginDisabled(!runs);
  if (tool_button("run") || (state.run && runs)) run(context, selection, state);
  ImGui::EndDisabled();
  state.run = false;
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) {
    ImGui::SetTooltip("%s", context.view.has_device()
                                ? "Emulates the kernel and measures it (Ctrl+Enter)."
                                : "Emulates the kernel (Ctrl+Enter). A time needs a GPU.");
  }
  flow(ImGui::CalcTextSize("as in the file").x + style.unit(2));
  ImGui::BeginDisabled(state.draft.empty());
  if (tool_button("as in the file")) {
    state.draft.clear();
    run(context, selection, state);
  }
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("Forgets what was typed here, and runs what the file says.");
  flow(ImGui::CalcTextSize("make a scene …").x + style.unit(2));
  ImGui::BeginDisabled(state.draft != state.applied);
  if (tool_button("make a scene …"))
    ask_for_path(context, selection, LaunchPanel::Writing::folder, state);
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip(
        "A folder with a description, in which kernels are compared. What was "
        "typed must have run.");
  flow(ImGui::CalcTextSize("save launch file …").x + style.unit(2));
  const bool here = !context.view.shown.catalogue().file_of(context.view.shown.name()).empty();
  ImGui::BeginDisabled(!runs || !here);
  if (tool_button("save launch file …"))
    ask_for_path(context, selection, LaunchPanel::Writing::launch_file, state);
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s", here ? "The launch as a file for warpscope trace --launch."
                                 : "A launch file names the kernel's file: open that first.");
}

}  // namespace

void draw_launch_panel(const PanelContext& context, Selection& selection, LaunchPanel& state) {
  const ShownScene& shown = context.view.shown;
  const auto text = shown.catalogue().text(shown.name());
  const bool here = !shown.catalogue().file_of(shown.name()).empty();
  if (text == nullptr || !shown.catalogue().is_of_file(shown.name())) {
    return draw_note(context.style,
                     "This scene is not a kernel's file. Open one (Ctrl+O): a .cu file, PTX or a "
                     "compiled file with PTX. A form of its launches stands here.");
  }
  follow(selection, state);
  if (selection.wish.kind == ExportWish::Kind::folder) {
    selection.wish = {};
    ask_for_path(context, selection, LaunchPanel::Writing::folder, state);
  }
  const std::string description = edited(text->description, state.draft);
  const std::string refusal =
      state.refusal.of(LaunchPanel::Checked{shown.name(), text->hash, selection.variant,
                                            state.draft, selection.axes},
                       [&] {
                         return refusal_of(shown.catalogue(), shown.name(), state.draft,
                                           selection.variant, selection.axes);
                       });
  // Where few fields would have room below the buttons, all of the panel scrolls.
  constexpr float kLow = 34;
  const bool low = ImGui::GetContentRegionAvail().y < context.style.unit(kLow);
  if (low) ImGui::BeginChild("whole", {0, 0}, kReached);
  draw_kernels(context, selection, description);
  const LaunchForm form = launch_form(description, selection.variant);
  for (const DescribedField& field : described_fields(text->description)) {
    if (field.table.empty() && field.key == "?") draw_note(context.style, field.comment);
  }
  if (!here)
    draw_note(context.style, "The session contains the text of this file. " + text->file +
                                 " is not opened: what is typed here runs the session's text.");
  draw_buttons(context, selection, refusal.empty(), state);
  draw_outcome(context, selection, refusal, state);
  ImGui::Separator();
  if (low || ImGui::BeginChild("fields", {0, 0}, kReached)) {
    draw_launch_fields(context, selection, form, description, state);
    for (const FormValue& question : form.questions) draw_note(context.style, "? " + question.text);
  }
  ImGui::EndChild();
  draw_path_dialog(context, selection, form, description, state);
}

}  // namespace warpscope
