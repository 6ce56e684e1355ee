// workbench/panels/overview/overview_scene.cpp: what Overview says of the scene and of its figures'
// origin.
#include "workbench/panels/overview/overview_scene.h"

#include <imgui.h>

#include <string>

#include "profiling/overview/overview.h"
#include "workbench/workspace/scene/scene_words.h"

namespace warpscope {

void draw_scene_title(const PanelContext& context, bool quiet) {
  if (!quiet) push_face(context.style.large);
  draw_paragraph(context.view.scene().title);
  if (!quiet) ImGui::PopFont();
}

void draw_story(const PanelContext& context) {
  const std::string story = context.view.words.story(context.view.scene());
  draw_paragraph(first_sentence(story));
  if (ImGui::IsItemHovered() && first_sentence(story) != story) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(context.style.unit(60));
    ImGui::TextUnformatted(story.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

std::string origin_note(const SessionView& view, const Measurement* point) {
  const Hello* engine = view.session().engine();
  if (!view.recorded()) {
    return engine != nullptr && engine->device
               ? "Figures are measured now on this " + engine->device->name +
                     (view.selection.live ? ", as sliders move."
                                          : ", when you press run: live is off (L).")
               : "The engine is starting; figures follow.";
  }
  if (view.is_emulated_alone())
    return "There is no GPU here: the figures are emulated, by running your kernel lane by lane.";
  if (point == nullptr) {
    return "Nothing is measured now, and no figure is recorded here. Diagrams are emulated from "
           "the kernels.";
  }
  const Conditions& c = point->conditions;
  return "A recorded session is shown (" +
         (c.device.empty() ? std::string("another machine") : c.device) +
         (c.date.empty() ? "" : ", " + c.date.substr(0, 10)) + "). Nothing is measured now.";
}

void draw_origin(const PanelContext& context, const Measurement* point) {
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.muted);
  draw_paragraph(origin_note(context.view, point));
  ImGui::PopStyleColor();
}

std::vector<Candidate> candidates_of(const PanelContext& context) {
  std::vector<Candidate> list;
  for (const Variant& variant : context.view.scene().variants) {
    if (!applies(variant, context.view.selection.axes)) continue;
    const PointState state = context.view.state(variant.name);
    const bool usable = state.point != nullptr && state.apart.empty() && !variant.expected_fault &&
                        state.point->verdict.outcome == Outcome::correct;
    list.push_back({&variant, usable ? state.point : nullptr});
  }
  return list;
}

}  // namespace warpscope
