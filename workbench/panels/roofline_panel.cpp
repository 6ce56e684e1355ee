// workbench/panels/roofline_panel.cpp: measured roofs and where the variants stand below them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiling/points/point.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/pin_strip.h"
#include "workbench/panels/roofline_labels.h"
#include "workbench/panels/roofline_lines.h"
#include "workbench/panels/roofline_standings.h"
#include "workbench/panels/roofline_words.h"

namespace warpscope {
namespace {

float radius_of(const Style& style, double time_ns, double longest_ns) {
  return style.unit(0.55f) +
         style.unit(0.45f) * static_cast<float>(std::sqrt(time_ns / std::max(longest_ns, 1.0)));
}

// The gain from the baseline to the focus at one level, as a dashed arrow.
void draw_arrow(const PlotArea& area, const Style& style, const VariantStanding& from,
                const VariantStanding& to, std::vector<LineLabel>& labels) {
  const auto at_level = [](const VariantStanding& s) -> const RooflinePoint* {
    for (const RooflinePoint& p : s.standing.points) {
      if (p.level == Level::l2) return &p;
    }
    return s.standing.points.empty() ? nullptr : &s.standing.points.front();
  };
  const RooflinePoint *a = at_level(from), *b = at_level(to);
  if (a == nullptr || b == nullptr || a->level != b->level) return;
  const ImVec2 p = area.at(a->intensity, a->rate), q = area.at(b->intensity, b->rate);
  if (std::hypot(p.x - q.x, p.y - q.y) < style.unit(3)) return;
  add_dashed_line(area.list, p, q, style.colours.accent, style.unit(0.18f), style.unit(0.6f));
  char text[32];
  std::snprintf(text, sizeof text, "%.2f×", from.time_ns / to.time_ns);
  labels.push_back({p, q, text, style.colours.accent});
}

// From the focus straight up to the roof that binds it: what is still to be gained.
void draw_gain_to_roof(const PlotArea& area, const Style& style, const VariantStanding& s,
                       std::vector<LineLabel>& labels) {
  if (!s.standing.binding || s.standing.binding_ratio <= 0 || s.standing.binding_ratio > 0.98)
    return;
  const Level level = *s.standing.binding;
  for (const RooflinePoint& p : s.standing.points) {
    if (p.level != level || !p.ceiling) continue;
    const ImVec2 from = area.at(p.intensity, p.rate),
                 to = area.at(p.intensity, p.intensity * *p.ceiling);
    if (from.y - to.y < style.unit(3)) return;
    const float width = style.unit(0.18f), head = style.unit(0.6f);
    add_dashed_line(area.list, from, to, style.colours.text, width, style.unit(0.5f));
    area.list->AddLine({to.x - head, to.y + head}, to, style.colours.text, width);
    area.list->AddLine({to.x + head, to.y + head}, to, style.colours.text, width);
    char text[32];
    std::snprintf(text, sizeof text, "%.2f× to go", 1 / s.standing.binding_ratio);
    labels.push_back({from, to, text, style.colours.text});
  }
}

void draw_point(const PlotArea& area, const Style& style, const VariantStanding& s,
                const RooflinePoint& p, float radius, bool focus) {
  const ImU32 colour = variant_colour(style, s.index);
  const ImVec2 at = area.at(p.intensity, p.rate);
  draw_marker(area.list, at, radius, variant_marker(s.index),
              s.apart.empty() ? colour : faded(colour, 0.6f),
              s.apart.empty() ? fill_of(p.level) : Fill::ring);
  // Bytes in an interval are a bar: fewer of them lie further right.
  if (p.least_ns && p.most_ns && p.floor_ns && *p.least_ns > 0) {
    const ImVec2 from = area.at(p.intensity * *p.floor_ns / *p.most_ns, p.rate),
                 to = area.at(p.intensity * *p.floor_ns / *p.least_ns, p.rate);
    area.list->AddLine(from, to, faded(colour, 0.7f), style.unit(0.25f));
  }
  if (p.bytes_origin == Origin::modelled)
    add_dashed_circle(area.list, at, radius * 1.5f, colour, style.unit(0.15f));
  if (focus) area.list->AddCircle(at, radius * 1.9f, style.colours.accent, 0, style.unit(0.18f));
  if (!p.impossible.empty())
    area.list->AddCircle(at, radius * 2.3f, style.colours.bad, 0, style.unit(0.25f));
}

void draw_trail(const PlotArea& area, const Style& style, const VariantStanding& focus,
                const std::deque<std::pair<double, double>>& trail) {
  for (std::size_t i = 1; i < trail.size(); ++i) {
    area.list->AddLine(
        area.at(trail[i - 1].first, trail[i - 1].second), area.at(trail[i].first, trail[i].second),
        faded(variant_colour(style, focus.index), 0.15f + 0.4f * static_cast<float>(i) / 20.0f),
        style.unit(0.15f));
  }
}

// Cold or warm, at the right of the first line. Returns where what stands before it has to end.
float draw_cache_buttons(const Style& style, Selection& selection) {
  float buttons = ImGui::GetStyle().ItemSpacing.x;
  for (const CacheState cache : {CacheState::cold, CacheState::warm})
    buttons += ImGui::CalcTextSize(to_text(cache)).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetContentRegionMax().x - buttons;
  ImGui::SetCursorPosX(right);
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (cache == CacheState::warm) ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text,
                          selection.cache == cache ? style.colours.accent : style.colours.muted);
    if (tool_button(to_text(cache))) selection.cache = cache;
    ImGui::PopStyleColor();
  }
  return right - style.unit(1);
}

// The heading with the buttons beside it.
void draw_top(const PanelContext& context, Selection& selection, const VariantStanding* focus) {
  const float top = ImGui::GetCursorPosY();
  const float room = draw_cache_buttons(context.style, selection);
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top);
  // Sentences wrap before the buttons; the line with the figure is cut instead.
  const bool figure = focus != nullptr && focus->standing.binding;
  if (!figure) ImGui::PushTextWrapPos(room);
  draw_roofline_heading(context, selection, focus, room);
  if (!figure) ImGui::PopTextWrapPos();
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
}

// Where a plot of these points and roofs begins; keys and the wheel move it from there.
PlotArea begin_roofline(const Style& style, const std::vector<VariantStanding>& all,
                        const VariantStanding* focus, std::optional<double> top_roof,
                        const std::string& words, PlotView& view) {
  std::vector<double> xs = {0.05, 100}, ys = {1e11};
  for (const VariantStanding& s : all) {
    for (const RooflinePoint& p : s.standing.points) {
      xs.push_back(p.intensity);
      ys.push_back(p.rate);
    }
  }
  if (top_roof) ys.push_back(*top_roof * 1.6);
  std::vector<double> focus_x, focus_y;
  for (const RooflinePoint& p :
       focus != nullptr ? focus->standing.points : std::vector<RooflinePoint>{}) {
    focus_x.push_back(p.intensity);
    focus_y.push_back(p.rate);
  }
  offer_selection(view, focus_x, focus_y);
  const float legend =
      ImGui::CalcTextSize(words.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y +
      ImGui::GetTextLineHeightWithSpacing() * 0.3f;
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y - legend};
  return begin_plot("roofline", size, {"arithmetic intensity, FLOP/B", "1"},
                    {"arithmetic rate", "FLOP/s"}, view, fitted(xs, true, 0.04),
                    fitted(ys, true, 0.05), style);
}

// Where each variant was at the configurations looked at before.
void extend_trails(const std::string& key, const std::vector<VariantStanding>& all,
                   RooflinePanel& state) {
  if (key == state.last_key) return;
  state.last_key = key;
  for (const VariantStanding& s : all) {
    if (s.standing.points.empty()) continue;
    auto& trail = state.trails[s.variant->name];
    trail.emplace_back(s.standing.points.front().intensity, s.standing.points.front().rate);
    constexpr std::size_t kTrail = 20;
    if (trail.size() > kTrail) trail.pop_front();
  }
}

struct HoveredPoint {
  const VariantStanding* of = nullptr;
  const RooflinePoint* point = nullptr;
};

// All points with their rings, whose places are added to `taken`. Returns the one under the
// pointer.
HoveredPoint draw_points(const PlotArea& area, const Style& style,
                         const std::vector<VariantStanding>& all, const VariantStanding* focus,
                         std::vector<Box>& taken) {
  double longest = 0;
  for (const VariantStanding& s : all) longest = std::max(longest, s.time_ns);
  HoveredPoint hovered;
  for (const VariantStanding& s : all) {
    const float radius = radius_of(style, s.time_ns, longest);
    for (const RooflinePoint& p : s.standing.points) {
      const ImVec2 at = area.at(p.intensity, p.rate);
      draw_point(area, style, s, p, radius, &s == focus);
      taken.push_back(box_at(at.x - 2 * radius, at.y - 2 * radius, 4 * radius, 4 * radius));
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      if (area.hovered && std::hypot(mouse.x - at.x, mouse.y - at.y) < radius * 1.8f)
        hovered = {&s, &p};
    }
  }
  return hovered;
}

// The names of the focus and the baseline beside their first points, apart from each other.
void draw_names(const PlotArea& area, const Style& style, const std::vector<VariantStanding>& all,
                const VariantStanding* focus, const VariantStanding* base,
                std::vector<Box>& taken) {
  std::vector<Box> boxes;
  std::vector<const VariantStanding*> owners;
  std::vector<ImVec2> anchors;
  for (const VariantStanding& s : all) {
    const bool named = &s == focus || &s == base;
    if (!named || s.standing.points.empty()) continue;
    const ImVec2 at = area.at(s.standing.points.front().intensity, s.standing.points.front().rate);
    const ImVec2 extent = ImGui::CalcTextSize(s.variant->label.c_str());
    // To the right where there is room.
    const bool right_fits = at.x + style.unit(2) + extent.x <= area.high.x;
    boxes.push_back(box_at(right_fits ? at.x + style.unit(2) : at.x - style.unit(2) - extent.x,
                           at.y + style.unit(1), extent.x, extent.y));
    owners.push_back(&s);
    anchors.push_back(at);
  }
  keep_apart(boxes, area.low.y, area.high.y);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const ImU32 colour = variant_colour(style, owners[i]->index);
    const float x = std::max(boxes[i].x0, area.low.x);
    const float end = x > anchors[i].x ? x - 3 : x + boxes[i].width() + 3;
    area.list->AddLine(anchors[i], {end, boxes[i].y0 + boxes[i].height() / 2}, faded(colour, 0.6f));
    area.list->AddText({x, boxes[i].y0}, colour, owners[i]->variant->label.c_str());
    taken.push_back(box_at(x, boxes[i].y0, boxes[i].width(), boxes[i].height()));
  }
}

// The variant of this name, where it is shown and has a place; null: it has none.
const VariantStanding* find_standing(const std::vector<VariantStanding>& all,
                                     const std::string& name) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const VariantStanding& s) { return s.variant->name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

void draw_roofline_panel(const PanelContext& context, Selection& selection, RooflinePanel& state) {
  const Style& style = context.style;
  const std::vector<VariantStanding> all = variant_standings(context, selection);
  const VariantStanding* focus = find_standing(all, selection.variant);
  const RoofJoin join = focus != nullptr ? focus->join : join_of_device(context.workspace);
  const RoofSet* roofs = join.roofs;
  if (roofs == nullptr && context.workspace.session().roofs() == nullptr)
    return draw_note(style, without_roofs(context.workspace));
  const RoofSet none;
  const RoofSet& lines = roofs != nullptr ? *roofs : none;
  const Roof* own = focus != nullptr ? own_roof(context, *focus, lines) : nullptr;
  const RoofFocus shown = focus != nullptr ? focus_of(focus->standing, own) : RoofFocus{};
  draw_top(context, selection, focus);
  if (focus != nullptr && !focus->no_dot.empty()) draw_note(style, focus->no_dot);
  draw_impossible_points(context, all);
  const std::string words = roofline_footer(context, join, all);
  PlotArea area = begin_roofline(style, all, focus, top_of(lines, shown.pipe), words, state.view);
  std::vector<Box> taken = draw_roofs(area, lines, style, shown);
  std::vector<LineLabel> labels;
  extend_trails(context.workspace.key(), all, state);
  if (focus != nullptr) draw_trail(area, style, *focus, state.trails[focus->variant->name]);
  if (focus != nullptr && focus->apart.empty()) draw_gain_to_roof(area, style, *focus, labels);
  const std::string baseline = selection.baseline_device.empty()
                                   ? context.workspace.baseline_id(selection.variant).variant
                                   : std::string();
  const VariantStanding* base = baseline.empty() ? nullptr : find_standing(all, baseline);
  const bool gains = focus != nullptr && base != nullptr && base != focus && focus->apart.empty() &&
                     base->apart.empty() && comparable(*base->point, *focus->point);
  if (gains) draw_arrow(area, style, *base, *focus, labels);
  const HoveredPoint hovered = draw_points(area, style, all, focus, taken);
  draw_names(area, style, all, focus, base, taken);
  draw_line_labels(area, style, labels, taken);
  end_plot(area);
  if (hovered.of != nullptr) {
    draw_roofline_tooltip(*hovered.of, *hovered.point);
    if (area.clicked) selection.variant = hovered.of->variant->name;
  }
  draw_pin_menu(context, selection, area.menu, hovered.of != nullptr ? hovered.of->point : nullptr,
                state.pin);
  ImGui::TextWrapped("%s", words.c_str());
  if (roofs != nullptr && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", roof_list(lines).c_str());
}

}  // namespace warpscope
