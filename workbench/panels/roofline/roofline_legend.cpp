// workbench/panels/roofline/roofline_legend.cpp: which variants and levels a roofline draws, and
// how plainly.
#include "workbench/panels/roofline/roofline_legend.h"

#include <imgui.h>

#include <algorithm>

#include "workbench/panels/roofline/roofline_labels.h"
#include "workbench/workspace/scene/scene_journals.h"

namespace warpscope {
namespace {

constexpr float kBesideUnits = 85, kLegendUnits = 26;

bool is_hidden(const Selection& selection, const std::string& variant) {
  const auto found = selection.hidden.find(variant);
  return found != selection.hidden.end() && found->second;
}

// One entry; those without a place on the plot say so on hover.
void draw_entry(const PanelContext& context, Selection& selection, const Variant& variant,
                bool placed, bool full) {
  const Style& style = context.style;
  const Scene& scene = context.view.scene();
  const bool hidden = is_hidden(selection, variant.name);
  const int index = variant_index(scene, variant.name);
  const float height = ImGui::GetTextLineHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  ImGui::PushID(variant.name.c_str());
  const bool pressed =
      ImGui::Selectable("##entry", false, ImGuiSelectableFlags_AllowDoubleClick, {0, height});
  const bool alone = ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left) || ImGui::GetIO().KeyAlt;
  if (ImGui::IsItemHovered()) {
    ImGui::SetTooltip("%s%s\nclick: %s · double click or Alt+click: it alone, or all again",
                      variant.label.c_str(), placed || hidden ? "" : ": no place on the plot here",
                      hidden ? "show" : "hide");
  }
  ImGui::PopID();
  const ImU32 colour = hidden ? style.colours.muted : variant_colour(style, index);
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_marker(list, {at.x + height / 2, at.y + height / 2}, height * 0.3f, variant_marker(index),
              colour, hidden || !placed ? Fill::ring : Fill::solid);
  const std::string text = fitting(variant.label, width - height * 1.3f);
  list->AddText({at.x + height * 1.3f, at.y},
                variant.name == selection.variant ? style.colours.accent
                : full && !hidden                 ? style.colours.text
                                                  : style.colours.muted,
                text.c_str());
  if (hidden)
    list->AddLine({at.x + height * 1.3f, at.y + height / 2},
                  {at.x + height * 1.3f + ImGui::CalcTextSize(text.c_str()).x, at.y + height / 2},
                  style.colours.muted);
  if (!pressed) return;
  if (alone) {
    show_alone(selection, scene, variant.name);
  } else {
    toggle_shown(selection, variant.name);
  }
}

}  // namespace

const VariantStanding* fastest_of(const std::vector<VariantStanding>& all,
                                  const std::string& league) {
  const VariantStanding* fastest = nullptr;
  for (const VariantStanding& s : all) {
    if (!s.apart.empty() || !(s.time_ns > 0) || s.variant->league != league) continue;
    if (fastest == nullptr || s.time_ns < fastest->time_ns) fastest = &s;
  }
  return fastest;
}

std::set<std::string> drawn_full(const std::vector<VariantStanding>& all, const std::string& focus,
                                 const std::string& baseline, bool all_full) {
  std::set<std::string> names = {focus, baseline};
  std::string league;
  for (const VariantStanding& s : all) {
    if (s.variant->name == focus) league = s.variant->league;
  }
  if (const VariantStanding* fastest = fastest_of(all, league))
    names.insert(fastest->variant->name);
  for (const VariantStanding& s : all) {
    if (all_full) names.insert(s.variant->name);
  }
  return names;
}

void leave_out(const std::set<Level>& off, std::vector<VariantStanding>& all) {
  for (VariantStanding& s : all) {
    std::erase_if(s.standing.points,
                  [&off](const RooflinePoint& p) { return off.count(p.level) != 0; });
    std::erase_if(s.uses, [&off](const RoofUse& b) { return off.count(b.level) != 0; });
  }
}

void toggle_shown(Selection& selection, const std::string& variant) {
  bool& hidden = selection.hidden[variant];
  hidden = !hidden;
}

void show_alone(Selection& selection, const Scene& scene, const std::string& variant) {
  const bool is_alone =
      std::all_of(scene.variants.begin(), scene.variants.end(), [&](const Variant& other) {
        return other.name == variant || is_hidden(selection, other.name);
      });
  for (const Variant& other : scene.variants)
    selection.hidden[other.name] = !is_alone && other.name != variant;
}

bool legend_is_beside(const Style& style, float width) { return width >= style.unit(kBesideUnits); }

float legend_width(const Style& style) { return style.unit(kLegendUnits); }

void draw_variant_legend(const PanelContext& context, Selection& selection,
                         const std::vector<VariantStanding>& all,
                         const std::set<std::string>& full) {
  const auto placed = [&all](const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&name](const VariantStanding& s) {
      return s.variant->name == name && !(s.standing.points.empty() && s.uses.empty());
    });
  };
  // Those that are drawn full first, then the rest in teaching order.
  for (const bool first : {true, false}) {
    for (const Variant& variant : context.view.scene().variants) {
      const bool is_full = full.count(variant.name) != 0;
      if (is_full != first || !applies(variant, selection.axes)) continue;
      if (!is_full && for_slides()) continue;  // a picture's list cannot be scrolled
      draw_entry(context, selection, variant, placed(variant.name), is_full);
    }
  }
}

void draw_roofline_switches(const PanelContext& context, Selection& selection,
                            const std::vector<VariantStanding>& all,
                            const std::set<std::string>& full, const std::set<Level>& levels,
                            RooflinePanel& state) {
  const Style& style = context.style;
  const auto button = [&style](const std::string& text, bool on, const char* hint) {
    ImGui::PushStyleColor(ImGuiCol_Text, on ? style.colours.text : style.colours.muted);
    const bool pressed = ImGui::SmallButton(text.c_str());
    ImGui::PopStyleColor();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", hint);
    ImGui::SameLine(0, style.unit(0.75f));
    return pressed;
  };
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    if (levels.count(level) == 0) continue;
    const bool off = state.off.count(level) != 0;
    if (!button((off ? "– " : "") + level_mark(level), !off,
                off ? "Show the points of this level." : "Hide the points of this level."))
      continue;
    if (off) {
      state.off.erase(level);
    } else {
      state.off.insert(level);
    }
    state.trails.clear();
  }
  if (!for_slides() &&
      button(state.all_full ? "rest faint" : "all full", true,
             "Focus, baseline and the fastest are drawn full, the rest faint; or all alike."))
    state.all_full = !state.all_full;
  const bool journal = !context.view.journals.empty();
  if (!for_slides() && journal &&
      button(state.path ? "path" : "– path", state.path,
             "Arrows between the iterations of the journal: your own, else the article's. A cross "
             "ends a way that was reverted."))
    state.path = !state.path;
  if (!legend_is_beside(style, ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x)) {
    if (button("variants ▾", true, "The legend: show, hide or show alone."))
      ImGui::OpenPopup("legend");
    ImGui::SetNextWindowSize({legend_width(style) + style.unit(4), 0});
    if (ImGui::BeginPopup("legend")) {
      draw_variant_legend(context, selection, all, full);
      ImGui::EndPopup();
    }
  }
  ImGui::NewLine();
}

}  // namespace warpscope
