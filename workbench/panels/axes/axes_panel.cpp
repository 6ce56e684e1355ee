// workbench/panels/axes/axes_panel.cpp: presets, whether figures are of what is chosen, and the
// axes in two groups.
#include <imgui.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "scenes/chief_axes.h"
#include "workbench/panels/axes/axis_row.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/spotlight.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {
namespace {

void draw_presets(const PanelContext& context, Selection& selection) {
  const Scene& scene = context.view.scene();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - ImGui::CalcTextSize("reset").x -
                          context.style.unit(4));
  if (ImGui::BeginCombo("##preset", "presets")) {
    for (const Preset& preset : scene.presets) {
      if (ImGui::Selectable(preset.name.c_str())) {
        if (auto changed = with_values(scene.axes, selection.axes, preset.values))
          selection.axes = std::move(*changed);
      }
      if (ImGui::IsItemHovered()) {
        const auto there = with_values(scene.axes, selection.axes, preset.values);
        ImGui::SetTooltip(
            "%s", context.view.words.of(preset.sentence, there ? *there : selection.axes).c_str());
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button("reset")) selection.axes = default_configuration(scene.axes);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("All axes back to their defaults.");
}

// Whether figures are of the selected configuration, and whether it can be measured at all. One
// line, always: the sliders below stay where they are.
void draw_state(const PanelContext& context, Selection& selection, AxesPanel& state) {
  const SessionView& view = context.view;
  const Style& style = context.style;
  const std::string& refusal =
      state.refusal.of(AxesPanel::Asked{view.scene().name, view.key()}, [&] {
        const Result<void> admitted =
            view.scene().admit
                ? view.scene().admit(with_defaults(view.scene().axes, selection.axes))
                : Result<void>{};
        return admitted ? "" : sentence(admitted.error());
      });
  const RecordedStops* stops = view.points.stops();
  const bool apart = stops != nullptr && stops->nearest && !stops->recorded;
  const bool nothing = stops != nullptr && !stops->nearest && selection.device.empty();
  const std::string words =
      !refusal.empty() ? "✕ cannot be measured: " + refusal
      : apart          ? "– " + view.points.not_recorded() + ": there are no figures of it"
      : view.is_emulated_alone() ? "emulated as sliders move"
      : nothing ? "Nothing of this scene is recorded: the sliders move the diagrams alone. Open a "
                  "session of it, or measure it on a machine with a GPU."
      : stops != nullptr ? "recorded at these values"
      : selection.live   ? "measured as sliders move"
                         : "live is off: L turns it on";
  const bool off = refusal.empty() && stops == nullptr && !selection.live;
  const float room = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, !refusal.empty() || apart || off ? style.colours.warning
                                                                        : style.colours.muted);
  // Beside a button the words take no more than half.
  draw_fitting_text(words, apart || off ? room * 0.55f : room);
  ImGui::PopStyleColor();
  if (off) {
    ImGui::SameLine();
    if (ImGui::Button("turn live on")) selection.live = true;
    if (ImGui::IsItemHovered())
      ImGui::SetTooltip("Measure as sliders move. While live is off, only run (F5) measures.");
  }
  if (!apart) return;
  ImGui::SameLine();
  draw_nearest_stop(context, selection);
}

const AxisStops* find_stops(const RecordedStops* stops, const std::string& axis) {
  if (stops == nullptr || !stops->nearest) return nullptr;
  for (const AxisStops& list : stops->axes) {
    if (list.axis == axis) return &list;
  }
  return nullptr;
}

// The axes that a person moves first, of those that are drawn: the scene's own list, else the first
// four.
std::vector<const Axis*> chief_of(const Scene& scene, const std::vector<const Axis*>& drawn) {
  constexpr std::size_t kUsual = 4;
  std::vector<const Axis*> chief;
  for (const Axis* axis : drawn) {
    const std::vector<std::string> named = chief_axes(scene.name);
    const bool wanted = named.empty()
                            ? chief.size() < kUsual
                            : std::find(named.begin(), named.end(), axis->name) != named.end();
    if (wanted) chief.push_back(axis);
  }
  return chief;
}

// The line that opens and closes the second group; closed it names what is not at its default.
bool draw_more(const PanelContext& context, const Selection& selection, bool open,
               const std::vector<const Axis*>& others) {
  std::string changed;
  for (const Axis* axis : others) {
    const AxisValue& value = value_of(*axis, selection.axes, selection.variant);
    if (!open && !(value == default_of(*axis, selection.variant)))
      changed += (changed.empty() ? " · " : ", ") + axis->name + "=" + to_text(value);
  }
  const std::string words =
      (open ? "▾ fewer" : "▸ " + std::to_string(others.size()) + " more") + changed;
  const float room = ImGui::GetContentRegionAvail().x - 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::PushStyleVar(ImGuiStyleVar_ButtonTextAlign, {0, 0.5f});
  ImGui::PushStyleColor(ImGuiCol_Button, context.style.colours.window);
  const bool clicked = ImGui::Button((fitting(words, room) + "###more").c_str(), {-1, 0});
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  if (ImGui::IsItemHovered() && !changed.empty()) ImGui::SetTooltip("%s", words.c_str());
  return clicked;
}

void draw_group(const PanelContext& context, Selection& selection, AxesPanel& state,
                const std::vector<const Axis*>& axes) {
  for (const Axis* axis : axes) {
    const RecordedStops* stops =
        of_problem(*axis) ? context.view.points.stops() : context.view.points.own_stops();
    ImGui::PushID(axis->name.c_str());
    const float top = ImGui::GetCursorScreenPos().y;
    if (state.go_to == axis->name && context.focus == nullptr) state.go_to.clear();
    draw_axis(context, selection, state, {*axis, find_stops(stops, axis->name)});
    light_axis(context, axis->name, top);
    ImGui::PopID();
  }
}

// The axis of variants that are wrong on purpose brings them into the list: it is there whichever
// variant is in focus.
bool of_exhibits(const Scene& scene, const Axis& axis) {
  return !axis.of_variants.empty() &&
         std::all_of(axis.of_variants.begin(), axis.of_variants.end(), [&](const auto& name) {
           const Variant* variant = find_variant(scene, name);
           return variant != nullptr && variant->expected_fault;
         });
}

}  // namespace

void draw_axes_panel(const PanelContext& context, Selection& selection, AxesPanel& state) {
  const Scene& scene = context.view.scene();
  selection.held = false;
  draw_presets(context, selection);
  draw_state(context, selection, state);
  const Configuration whole = for_variant(scene.axes, selection.axes, selection.variant);
  const Variant* variant = find_variant(scene, selection.variant);
  std::vector<const Axis*> shared, own;
  for (const Axis& axis : scene.axes) {
    if (!applies(axis, whole) || (axis.kind == AxisKind::choice && axis.choices.size() < 2))
      continue;
    if (of_problem(axis) || of_exhibits(scene, axis)) {
      shared.push_back(&axis);
    } else if (variant != nullptr && of_variant(axis, variant->name)) {
      own.push_back(&axis);
    }
  }
  const std::vector<const Axis*> chief = chief_of(scene, shared);
  std::erase_if(shared, [&chief](const Axis* axis) {
    return std::find(chief.begin(), chief.end(), axis) != chief.end();
  });
  draw_group(context, selection, state, chief);
  if (!own.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.accent);
    draw_paragraph("of “" + variant->label + "”, not of the problem");
    ImGui::PopStyleColor();
    draw_group(context, selection, state, own);
  }
  const bool wants_more = std::any_of(shared.begin(), shared.end(), [&state](const Axis* axis) {
    return axis->name == state.go_to;
  });
  bool& more = state.more[scene.name];
  more = more || wants_more;
  if (const std::string missed = wants_more ? "" : std::exchange(state.go_to, {}); !missed.empty())
    selection.notices.push_back("The axis " + missed + " has no slider at these values.");
  if (shared.empty()) return;
  if (draw_more(context, selection, more, shared)) more = !more;
  if (more) draw_group(context, selection, state, shared);
}

}  // namespace warpscope
