// workbench/panels/sweep/sweep_progress.cpp: a sweep of a plan that writes the session that is
// open.
#include "workbench/panels/sweep/sweep_progress.h"

#include <fmt/format.h>
#include <imgui.h>

#include "profiling/plans/plan_file.h"
#include "profiling/plans/sweep_state.h"
#include "scenes/base/plural.h"

namespace warpscope {
namespace {

std::string heading_of(const SweepState& state, std::optional<bool> runs) {
  const std::string points = fmt::format("{} of {} points", state.done, state.of);
  if (runs == false)
    return "■ the sweep of this session ended after " + points +
           (state.ended.empty() ? ": its program was killed" : ": " + state.ended);
  std::string words = "… a plan is swept into this session: " + points;
  if (state.left_s > 0) words += ", about " + duration_text(state.left_s) + " left";
  return words + fmt::format("; process {} on {}", state.process, state.host);
}

void draw_devices(const Style& style, const SweepState& state) {
  for (const SweepDeviceState& device : state.devices) {
    std::string words = device.name + ": " + plural(device.points, "point");
    if (device.deaths > 0) words += ", its engine died " + plural(device.deaths, "time");
    ImGui::PushStyleColor(ImGuiCol_Text, device.gone ? style.colours.bad : style.colours.muted);
    draw_fitting_text(words + (device.doing.empty() ? "" : "  " + device.doing),
                      ImGui::GetContentRegionAvail().x);
    ImGui::PopStyleColor();
  }
}

}  // namespace

void draw_planned_sweep(const PanelContext& context) {
  const Style& style = context.style;
  for (const std::filesystem::path& session : context.view.opened.opened()) {
    const std::optional<SweepState> state = read_sweep_state(session);
    if (!state) continue;
    const std::optional<bool> runs = is_running(*state);
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
    draw_paragraph(heading_of(*state, runs));
    ImGui::PopStyleColor();
    draw_devices(style, *state);
    if (runs == false) {
      if (tool_button("copy the command that goes on"))
        ImGui::SetClipboardText(state->command.c_str());
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", state->command.c_str());
    } else {
      draw_note(style,
                "Open the session again to see the points that came since. Ctrl-C in the sweep's "
                "terminal cancels it, and what was measured stays.");
    }
  }
}

}  // namespace warpscope
