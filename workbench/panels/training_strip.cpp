// workbench/panels/training_strip.cpp: above the curves: a training is started, paused, stopped and
// resumed.
#include "workbench/panels/training_strip.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "scenes/training.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/axis_row.h"
#include "workbench/panels/axes/axis_slider.h"
#include "workbench/workspace/jobs/training_control.h"

namespace warpscope {
namespace {

using Stage = TrainingStanding::Stage;

// A button that stays in its place whether it can be pressed or not.
void draw_button(const PanelContext& context, const char* text, const std::string& hint,
                 bool enabled, Request request) {
  ImGui::BeginDisabled(!enabled);
  if (tool_button(text)) context.requests.ask(std::move(request));
  ImGui::EndDisabled();
  if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled))
    ImGui::SetTooltip("%s", hint.c_str());
  ImGui::SameLine();
}

void draw_slider(const Axis& axis, Selection& selection, float width, const Style& style) {
  const auto typed = selection.training.find(axis.name);
  std::int64_t value = std::get<std::int64_t>(axis.default_value);
  if (typed != selection.training.end()) {
    if (const auto parsed = parse_axis_value(axis, typed->second))
      value = std::get<std::int64_t>(*parsed);
  }
  const float begins = ImGui::GetCursorPosX();
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.muted);
  ImGui::TextUnformatted(axis.label.c_str());
  ImGui::PopStyleColor();
  ImGui::SameLine();
  ImGui::SetNextItemWidth(std::max(style.unit(4), width - (ImGui::GetCursorPosX() - begins)));
  // Its value stands over it; while it is typed ImGui's own does.
  const std::string id = "##" + axis.name;
  const bool types = types_into(id.c_str());
  auto number = static_cast<double>(value);
  if (!types) ImGui::PushStyleColor(ImGuiCol_Text, IM_COL32_BLACK_TRANS);
  const bool moved = ImGui::SliderScalar(
      id.c_str(), ImGuiDataType_Double, &number, &axis.minimum, &axis.maximum,
      slider_format(axis).c_str(), ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoRoundToFormat);
  if (!types) ImGui::PopStyleColor();
  if (!types) draw_slider_value(axis, number, number, style);
  if (ImGui::IsItemHovered())
    ImGui::SetTooltip("%s\nCtrl+click to type it.", axis.description.c_str());
  if (!moved) return;
  number = std::clamp(std::round(rounded(axis, number)), axis.typed_minimum, axis.typed_maximum);
  selection.training[axis.name] = std::to_string(static_cast<std::int64_t>(number));
}

// Why the variant in focus cannot be trained as things stand; empty: it can.
std::string obstacle(const PanelContext& context, const Selection& selection) {
  const SessionView& view = context.view;
  const Variant* variant = find_variant(view.scene(), selection.variant);
  if (variant == nullptr) return "nothing is selected: click a variant in the list";
  if (!view.has_device() && !view.engines.has_emulator())
    return "there is neither a device nor an emulator here";
  const Workload workload{for_variant(view.scene().axes, selection.axes, variant->name), {}};
  return cannot_learn(*view.scene().training, *variant, workload, DeviceLimits{}).value_or("");
}

// What a variant is called on the screen.
std::string label_of(const Scene& scene, const std::string& name) {
  const Variant* variant = find_variant(scene, name);
  return variant != nullptr ? variant->label : name;
}

// `scene`: whose variants the names are of.
std::string status(const Scene& scene, const TrainingStanding& standing, const std::string& why_not,
                   const std::string& focus) {
  const std::string variant = label_of(scene, focus);
  const std::string kept = standing.kept.empty() ? "" : " · " + standing.kept + " is kept";
  switch (standing.stage) {
    case Stage::under_way:
      return "training " + label_of(scene, standing.variant) + " · " + standing.text;
    case Stage::failed:
      return "✕ " + standing.text + kept;
    case Stage::paused:
      return "paused" + (standing.text.empty() ? "" : ": " + standing.text) + kept;
    case Stage::stopped:
      return "stopped" + kept;
    case Stage::over:
      return standing.variant == focus
                 ? label_of(scene, focus) + " has learnt all its epochs"
                 : "last trained: " + label_of(scene, standing.variant) + ", all its epochs";
    case Stage::none:
      break;
  }
  if (!why_not.empty()) return variant + " cannot be trained: " + why_not + kept;
  return kept.empty() ? "not trained yet: Start lets " + variant + " learn"
                      : "an earlier training" + kept;
}

}  // namespace

void draw_training_strip(const PanelContext& context, Selection& selection) {
  const SessionView& view = context.view;
  const Style& style = context.style;
  if (!view.scene().training || style.for_slides) return;
  const Training& training = *view.scene().training;
  const TrainingStanding standing = view.training.standing();
  const std::string why_not = obstacle(context, selection);
  const bool runs = standing.stage == Stage::under_way;
  ImGui::PushID("training");
  draw_button(context, "Start",
              why_not.empty()
                  ? "Train " + selection.variant + " from the beginning, at the axes as they stand."
                  : selection.variant + " cannot be trained: " + why_not + ".",
              why_not.empty() && !runs, request::Train{context.view.selection.variant});
  if (runs) {
    draw_button(context, "Pause",
                "Stop after the current step, with a checkpoint to continue from.", true,
                request::TrainPause{});
  } else {
    draw_button(context, "Resume",
                standing.kept.empty() ? "There is no checkpoint to continue from."
                                      : "Continue after " + standing.kept + ".",
                !standing.kept.empty(), request::TrainOn{});
  }
  draw_button(context, "Stop",
              "End the training. Its checkpoint is kept, should it be wanted after all.", runs,
              request::TrainStop{});
  const float gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = std::min(
      style.unit(26), (ImGui::GetContentRegionAvail().x - gap) /
                          static_cast<float>(std::max<std::size_t>(1, training.axes.size())));
  for (std::size_t i = 0; i < training.axes.size(); ++i) {
    if (i > 0) ImGui::SameLine();
    draw_slider(training.axes[i], selection, width, style);
  }
  const ImVec4 bar = ImGui::ColorConvertU32ToFloat4(style.colours.accent);
  ImGui::PushStyleColor(ImGuiCol_PlotHistogram, bar);
  ImGui::ProgressBar(static_cast<float>(standing.ratio),
                     {ImGui::GetContentRegionAvail().x, style.unit(0.5f)}, "");
  ImGui::PopStyleColor();
  const bool bad = standing.stage == Stage::failed;
  ImGui::PushStyleColor(ImGuiCol_Text, bad ? style.colours.warning : style.colours.muted);
  draw_fitting_text(status(view.scene(), standing, why_not, selection.variant),
                    ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  ImGui::PopID();
}

}  // namespace warpscope
