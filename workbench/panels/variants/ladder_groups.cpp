// workbench/panels/variants/ladder_groups.cpp: the rows of Variants in groups, of which some fold.
#include "workbench/panels/variants/ladder_groups.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/figures/time_unit.h"
#include "scenes/variant_families.h"

namespace warpscope {
namespace {

bool pinned(const Selection& selection, const Scene& scene, const std::string& variant) {
  const auto is = [&](const std::optional<PinnedPoint>& pin) {
    return pin && pin->scene == scene.name && pin->variant == variant;
  };
  return is(selection.pins.a) || is(selection.pins.b);
}

}  // namespace

std::vector<LadderGroup> ladder_groups(const PanelContext& context, const Selection& selection,
                                       const std::vector<LadderRow>& ladder,
                                       const std::vector<TableRow>& rows,
                                       const std::set<std::string>& open, bool every) {
  const Scene& scene = context.view.scene();
  std::vector<LadderGroup> groups;
  for (const TableRow& row : rows) {
    const LadderRow& shown = ladder[row.index];
    const std::string& family = shown.variant->family;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const LadderGroup& g) { return g.of.family == family; });
    if (group == groups.end())
      group = groups.insert(groups.end(), {family_group(scene, family), {}, 0, kNoTime});
    const std::vector<std::string>& in_view = group->of.in_view;
    const std::string& name = shown.variant->name;
    if (every || open.count(family) != 0 ||
        std::find(in_view.begin(), in_view.end(), name) != in_view.end() ||
        name == selection.variant || name == selection.baseline || name == shown.baseline ||
        pinned(selection, scene, name)) {
      group->rows.push_back(row);
      continue;
    }
    ++group->folded;
    group->shortest_ns = std::min(group->shortest_ns, time_of(shown, selection.cache));
  }
  return groups;
}

void draw_ladder_group_head(const Selection& selection, const Style& style,
                            const LadderGroup& group, double unit_ns, std::set<std::string>& open) {
  const bool is_open = open.count(group.of.family) != 0, folds = is_open || group.folded > 0;
  std::string words = group.of.label;
  if (group.folded > 0) words += ", " + std::to_string(group.folded) + " more";
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const ImVec2 start = ImGui::GetCursorPos();
  const bool pressed = ImGui::Selectable(("##" + group.of.family).c_str(), false,
                                         ImGuiSelectableFlags_SpanAllColumns);
  if (folds && ImGui::IsItemHovered())
    ImGui::SetTooltip(is_open ? "A click folds these variants." : "A click shows these variants.");
  ImGui::SetCursorPos(start);
  ImGui::PushStyleColor(ImGuiCol_Text, style.colours.accent);
  if (folds) ImGui::TextUnformatted(is_open ? "▾" : "▸");
  ImGui::TableNextColumn();
  draw_fitting_text(words, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
  if (group.shortest_ns < kNoTime &&
      ImGui::TableSetColumnIndex(selection.cache == CacheState::cold ? kLadderCold : kLadderWarm)) {
    push_face(style.mono);
    ImGui::TextDisabled("%s", time_beside(group.shortest_ns, unit_ns).c_str());
    ImGui::PopFont();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("The shortest time of those that are folded.");
  }
  if (!pressed || !folds) return;
  if (is_open) {
    open.erase(group.of.family);
  } else {
    open.insert(group.of.family);
  }
}

}  // namespace warpscope
