// workbench/panels/axes_panel.cpp: one slider an axis, presets, typed values, links.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "workbench/panels.h"

namespace warpscope {
namespace {

// The stop nearest to a dragged value when it is close on the slider, else the value.
double held_at_stop(const Axis& axis, double value) {
  const PlotScale scale{axis.scale == AxisScale::log,
                        std::max(axis.minimum, axis.scale == AxisScale::log ? 1e-9 : axis.minimum),
                        axis.maximum};
  for (const double stop : axis.stops) {
    if (std::abs(scale.position(stop) - scale.position(value)) < 0.012) return stop;
  }
  if (axis.scale != AxisScale::log || value <= 0) return value;
  // Three digits: what a person would have typed.
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 2);
  return std::round(value / step) * step;
}

void assign(const PanelContext& context, Selection& selection, const Axis& axis,
            const std::string& text) {
  selection.touched_axis = axis.name;
  if (auto changed = with_axis(context.workspace.scene(), selection, axis, text))
    selection.axes = std::move(*changed);
}

void draw_number(const PanelContext& context, Selection& selection, const Axis& axis) {
  const bool log = axis.scale == AxisScale::log;
  const ImGuiSliderFlags flags =
      (log ? ImGuiSliderFlags_Logarithmic : 0) | ImGuiSliderFlags_NoRoundToFormat;
  ImGui::SetNextItemWidth(-1);
  const AxisValue& set = value_of(axis, selection.axes, selection.variant);
  double value = std::holds_alternative<double>(set)
                     ? std::get<double>(set)
                     : static_cast<double>(std::get<std::int64_t>(set));
  const double before = value;
  const char* format = axis.kind == AxisKind::integer ? "%.0f" : "%.4g";
  ImGui::SliderScalar("##value", ImGuiDataType_Double, &value, &axis.minimum, &axis.maximum, format,
                      flags);
  if (value == before) return;
  const bool typed = ImGui::GetIO().WantTextInput;
  value = std::clamp(value, axis.typed_minimum, axis.typed_maximum);
  if (!typed && !ImGui::GetIO().KeyCtrl) value = held_at_stop(axis, value);
  if (axis.kind == AxisKind::integer) value = std::round(value);
  const AxisValue exact = axis.kind == AxisKind::integer
                              ? AxisValue(static_cast<std::int64_t>(value))
                              : AxisValue(value);
  assign(context, selection, axis, to_text(exact));
}

void draw_choice(const PanelContext& context, Selection& selection, const Axis& axis) {
  const std::string chosen = to_text(value_of(axis, selection.axes, selection.variant));
  if (axis.choices.size() <= 3) {
    const float width =
        (ImGui::GetContentRegionAvail().x -
         ImGui::GetStyle().ItemSpacing.x * static_cast<float>(axis.choices.size() - 1)) /
        static_cast<float>(axis.choices.size());
    for (std::size_t i = 0; i < axis.choices.size(); ++i) {
      if (i > 0) ImGui::SameLine();
      const bool active = axis.choices[i] == chosen;
      ImGui::PushStyleColor(ImGuiCol_Text,
                            active ? context.style.colours.accent : context.style.colours.muted);
      if (ImGui::Button(axis.choices[i].c_str(), {width, 0}))
        assign(context, selection, axis, axis.choices[i]);
      ImGui::PopStyleColor();
    }
    return;
  }
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::BeginCombo("##choice", chosen.c_str())) return;
  for (const std::string& choice : axis.choices) {
    if (ImGui::Selectable(choice.c_str(), choice == chosen))
      assign(context, selection, axis, choice);
  }
  ImGui::EndCombo();
}

void draw_file(const PanelContext& context, Selection& selection, const Axis& axis,
               AxesPanel& state) {
  std::string& typed =
      state.typed.emplace(axis.name, to_text(value_of(axis, selection.axes, selection.variant)))
          .first->second;
  ImGui::SetNextItemWidth(-1);
  if (!ImGui::InputTextWithHint("##file", "path of a .mtx file, then Enter", &typed,
                                ImGuiInputTextFlags_EnterReturnsTrue))
    return;
  assign(context, selection, axis, typed);
  if (!context.workspace.scene().settle) return;
  if (Result<Configuration> settled = context.workspace.scene().settle(selection.axes))
    selection.axes = *settled;
}

void draw_presets(const PanelContext& context, Selection& selection) {
  const Scene& scene = context.workspace.scene();
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
            "%s",
            context.workspace.words(preset.sentence, there ? *there : selection.axes).c_str());
      }
    }
    ImGui::EndCombo();
  }
  ImGui::SameLine();
  if (ImGui::Button("reset")) selection.axes = default_configuration(scene.axes);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("All axes back to their defaults.");
}

// The axes at which the point shown differs from the selection: "n=256, p=0.02".
std::string differences(const std::string& shown, const std::string& selected) {
  const auto parts = [](const std::string& key) {
    std::vector<std::string> list;
    std::size_t at = 0;
    while (at <= key.size()) {
      const std::size_t end = std::min(key.find(',', at), key.size());
      list.push_back(key.substr(at, end - at));
      at = end + 1;
    }
    return list;
  };
  const std::vector<std::string> ours = parts(selected);
  std::string text;
  for (const std::string& part : parts(shown)) {
    if (std::find(ours.begin(), ours.end(), part) == ours.end())
      text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

void warn(const Style& style, const std::string& text) {
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.warning);
  ImGui::TextWrapped("%s", text.c_str());
  ImGui::PopStyleColor();
}

// Whether figures are of the selected configuration, and whether it can be measured at all.
void draw_state(const PanelContext& context, const Selection& selection, AxesPanel& state) {
  const Workspace& workspace = context.workspace;
  const std::string selected = workspace.selected_key(), shown = workspace.key();
  if (state.admitted != workspace.scene().name + selected) {
    state.admitted = workspace.scene().name + selected;
    const Result<void> admitted = workspace.scene().admit(selection.axes);
    state.refusal = admitted ? "" : sentence(admitted.error());
  }
  if (!state.refusal.empty()) warn(context.style, "✕ cannot be measured: " + state.refusal);
  if (!workspace.recorded()) return;
  const auto points = workspace.session().all_points();
  const bool any = std::any_of(points.begin(), points.end(), [&](const Measurement* point) {
    return point->scene == workspace.scene().name;
  });
  if (!any) {
    draw_note(context.style,
              "Nothing of this scene is recorded: the sliders move the diagrams alone. Open a "
              "session of it, or measure it on a machine with a GPU.");
  } else if (shown != selected) {
    warn(context.style, "stale: not recorded here; figures are of the nearest recorded point, " +
                            differences(shown, selected));
  }
}

}  // namespace

void draw_axes_panel(const PanelContext& context, Selection& selection, AxesPanel& state) {
  const Style& style = context.style;
  draw_presets(context, selection);
  draw_state(context, selection, state);
  for (const Axis& axis : context.workspace.scene().axes) {
    if (!applies(axis, selection.axes) ||
        (axis.kind == AxisKind::choice && axis.choices.size() < 2))
      continue;
    ImGui::PushID(axis.name.c_str());
    ImGui::TextUnformatted((axis.name + "  ").c_str());
    ImGui::SameLine(0, 0);
    ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
    ImGui::TextUnformatted(axis.label.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip(
          "%s\n%s", axis.description.c_str(),
          axis.kind == AxisKind::integer || axis.kind == AxisKind::real
              ? "Ctrl+click to type a value; hold Ctrl while dragging to pass the marks."
              : "Click to choose.");
    }
    if (!axis.linked_to.empty()) {
      bool& unlinked = selection.unlinked[axis.name];
      const std::string text = unlinked ? "unlinked" : "follows " + axis.linked_to;
      ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(text.c_str()).x);
      ImGui::PushStyleColor(ImGuiCol_Text, unlinked ? style.colours.muted : style.colours.accent);
      ImGui::TextUnformatted(text.c_str());
      ImGui::PopStyleColor();
      if (ImGui::IsItemClicked()) unlinked = !unlinked;
      if (ImGui::IsItemHovered()) ImGui::SetTooltip("Click to link or unlink this axis.");
    }
    if (axis.kind == AxisKind::choice) {
      draw_choice(context, selection, axis);
    } else if (axis.kind == AxisKind::file) {
      draw_file(context, selection, axis, state);
    } else {
      draw_number(context, selection, axis);
    }
    ImGui::PopID();
  }
}

}  // namespace warpscope
