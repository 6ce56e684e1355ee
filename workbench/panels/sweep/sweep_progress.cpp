// workbench/panels/sweep/sweep_progress.cpp: sweeps of plans: how far they are, and what begins,
// cancels and resumes them.
#include "workbench/panels/sweep/sweep_progress.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "profiling/plans/plan_file.h"
#include "profiling/plans/sweep_state.h"
#include "scenes/base/plural.h"
#include "workbench/workspace/jobs/planned_sweeps.h"

namespace warpscope {
namespace {

std::string heading_of(const FollowedSweep& sweep) {
  const std::string name = sweep.session.filename().string();
  if (sweep.ours && !sweep.state)
    return sweep.runs == true ? "… sweep of " + name + ": the plan is made"
                              : "sweep of " + name + ": " + sweep.said;
  const SweepState& state = *sweep.state;
  const std::string points = fmt::format("{} of {} points", state.done, state.of);
  if (sweep.runs == false) {
    const std::string why = !sweep.said.empty()    ? sweep.said
                            : !state.ended.empty() ? state.ended
                                                   : "its program was killed";
    return "■ the sweep of " + name + " ended after " + points + ": " + why;
  }
  std::string words = "… sweep of " + name + ": " + points;
  if (sweep.asked_to_end) return words + ", being cancelled";
  if (state.left_s > 0) words += ", about " + duration_text(state.left_s) + " left";
  return sweep.ours ? words : words + fmt::format("; process {} on {}", state.process, state.host);
}

// What a device does is of interest while the sweep runs, and why it is lost always.
void draw_devices(const Style& style, const SweepState& state, bool ended) {
  for (const SweepDeviceState& device : state.devices) {
    std::string words = device.name + ": " + plural(device.points, "point");
    if (device.deaths > 0) words += ", its engine died " + plural(device.deaths, "time");
    ImGui::PushStyleColor(ImGuiCol_Text, device.gone ? style.colours.bad : style.colours.muted);
    const bool silent = device.doing.empty() || (ended && !device.gone);
    draw_fitting_text(silent ? words : words + "  " + device.doing,
                      ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
}

// A session that is open has the points that there were when it was opened.
void draw_open_button(const PanelContext& context, const FollowedSweep& sweep) {
  std::error_code none;
  if (!std::filesystem::is_regular_file(sweep.session, none)) return;
  const auto& opened = context.view.opened.opened();
  const bool open = std::any_of(opened.begin(), opened.end(), [&](const auto& path) {
    return std::filesystem::equivalent(path, sweep.session, none);
  });
  if (tool_button(open ? "show new points" : "show its points"))
    context.requests.ask(request::OpenSession{sweep.session.string()});
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("Opens %s in place of the present session.", sweep.session.c_str());
  ImGui::SameLine();
}

void draw_buttons(const PanelContext& context, const FollowedSweep& sweep) {
  if (sweep.runs != false) {
    ImGui::BeginDisabled(sweep.runs != true);
    if (tool_button("cancel##plan"))
      context.requests.ask(request::CancelPlan{sweep.session.string()});
    ImGui::EndDisabled();
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
      ImGui::SetTooltip("%s", sweep.runs == true
                                  ? "What is measured stays, and the sweep can be resumed."
                                  : "It runs on another machine: cancel it there.");
    ImGui::SameLine();
  } else if (sweep.state) {
    if (tool_button("resume")) context.requests.ask(request::ResumePlan{sweep.session.string()});
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Measures only points without an answer:\n%s",
                        sweep.state->command.c_str());
    ImGui::SameLine();
    if (tool_button("copy the command")) ImGui::SetClipboardText(sweep.state->command.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", sweep.state->command.c_str());
    ImGui::SameLine();
  }
  draw_open_button(context, sweep);
  ImGui::NewLine();
}

// The next field stands beside the last one, if there is room for both its label and itself.
void flow_on(const char* label, float width) {
  ImGui::SameLine();
  const float needed = width + ImGui::CalcTextSize(label).x + ImGui::GetStyle().ItemSpacing.x;
  if (ImGui::GetContentRegionAvail().x < needed) ImGui::NewLine();
}

void labelled_field(const char* label, float width, const char* hint, const char* tooltip,
                    std::string& text) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(width);
  ImGui::InputTextWithHint((std::string("##plan ") + label).c_str(), hint, &text);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tooltip);
}

// "csrmm-sweep.wsj", or the next one of which nothing is there.
std::string unused_session(const std::string& scene) {
  std::error_code none;
  for (int number = 1;; ++number) {
    const std::string name = scene + "-sweep" + (number == 1 ? "" : "-" + std::to_string(number));
    if (!std::filesystem::exists(name + ".wsj", none) &&
        !std::filesystem::exists(name + ".plan", none))
      return name + ".wsj";
  }
}

}  // namespace

void draw_plan_button(const PanelContext& context, PlannedSelection& planned) {
  if (tool_button(planned.open ? "one device" : "several devices …")) {
    planned.open = !planned.open;
    if (planned.open) planned.session = unused_session(context.view.scene().name);
  }
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", planned.open ? "Close the fields of a sweep on several devices."
                                         : "Sweep on several GPUs at once, with a program of its "
                                           "own that can be cancelled and resumed.");
}

void draw_plan_fields(const PanelContext& context, Selection& selection) {
  PlannedSelection& planned = selection.planned;
  if (!planned.open || for_slides()) return;
  const Style& style = context.style;
  labelled_field("devices", style.unit(16), "all",
                 "all, numbers such as 0,1, or emulated,emulated for outputs without times",
                 planned.devices);
  flow_on("session", style.unit(30));
  labelled_field("session", style.unit(30), "a .wsj file",
                 "The file that the points go to. If it has some already, they are kept.",
                 planned.session);
  flow_on("plan", style.unit(26));
  labelled_field("plan", style.unit(26), "new: the points above",
                 "A plan of `warpscope plan`. If empty, a plan of the points that run sweep would "
                 "measure is written beside the session.",
                 planned.plan);
  ImGui::SameLine();
  if (tool_button("begin")) {
    context.requests.ask(request::BeginPlan{planned.plan, planned.session, planned.devices});
    planned.open = false;
  }
  if (!ImGui::IsItemHovered() || !planned.plan.empty()) return;
  const auto lines = planned_lines(context.view.shown, selection, context.view.points);
  const auto places = lines ? std::count(lines->begin(), lines->end(), '\n') : 0;
  ImGui::SetTooltip(
      "%s", lines ? ("Measures all shown variants at " + plural(places, "place") + ".").c_str()
                  : sentence(lines.error()).c_str());
}

void draw_planned_sweeps(const PanelContext& context) {
  for (const FollowedSweep& sweep : context.view.sweeps.followed()) {
    const Style& style = context.style;
    ImGui::PushID(sweep.session.c_str());
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    draw_paragraph(heading_of(sweep));
    ImGui::PopStyleColor();
    if (sweep.state) draw_devices(style, *sweep.state, sweep.runs == false);
    if (!for_slides()) draw_buttons(context, sweep);
    ImGui::PopID();
  }
}

}  // namespace warpscope
