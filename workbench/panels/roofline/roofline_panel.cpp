// workbench/panels/roofline/roofline_panel.cpp: measured roofs and where the variants stand below
// them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "profiling/points/point.h"
#include "workbench/drawing/focus.h"
#include "workbench/panels/axes/pin_strip.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/roofline/bandwidth_plot.h"
#include "workbench/panels/roofline/roofline_labels.h"
#include "workbench/panels/roofline/roofline_legend.h"
#include "workbench/panels/roofline/roofline_lines.h"
#include "workbench/panels/roofline/roofline_path.h"
#include "workbench/panels/roofline/roofline_standings.h"
#include "workbench/panels/roofline/roofline_step.h"
#include "workbench/panels/roofline/roofline_words.h"

namespace warpscope {
namespace {

float radius_of(const Style& style, double time_ns, double longest_ns) {
  return style.unit(0.55f) +
         style.unit(0.45f) * static_cast<float>(std::sqrt(time_ns / std::max(longest_ns, 1.0)));
}

constexpr float kHead = 0.6f;  // of an arrow. unit: Style::unit

// From the focus straight up to the roof that limits it: what is still to be gained. No value: too
// little to be drawn.
std::optional<std::pair<ImVec2, ImVec2>> gain_to_roof(const PlotArea& area, const Style& style,
                                                      const VariantStanding& s) {
  if (!s.apart.empty() || !s.standing.binding || s.standing.binding_ratio <= 0 ||
      s.standing.binding_ratio > 0.98)
    return std::nullopt;
  const Level level = *s.standing.binding;
  const bool flat = level == Level::pipe || level == Level::issue;
  for (const RooflinePoint& p : s.standing.points) {
    if (!flat && (p.level != level || !p.ceiling)) continue;
    const ImVec2 from = area.at(p.intensity, p.rate),
                 to = area.at(p.intensity,
                              flat ? p.rate / s.standing.binding_ratio : p.intensity * *p.ceiling);
    if (from.y - to.y < style.unit(3)) return std::nullopt;
    return std::pair(from, to);
  }
  return std::nullopt;
}

void draw_gain_to_roof(const PlotArea& area, const Style& style, const VariantStanding& s,
                       std::vector<LineLabel>& labels) {
  const auto arrow = gain_to_roof(area, style, s);
  if (!arrow) return;
  const auto [from, to] = *arrow;
  const float width = style.unit(0.18f), head = style.unit(kHead);
  add_dashed_line(area.list, from, to, style.colours.text, width, style.unit(0.5f));
  area.list->AddLine({to.x - head, to.y + head}, to, style.colours.text, width);
  area.list->AddLine({to.x + head, to.y + head}, to, style.colours.text, width);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f× faster possible", 1 / s.standing.binding_ratio);
  labels.push_back({from, to, text, style.colours.text});
}

void draw_point(const PlotArea& area, const Style& style, const VariantStanding& s,
                const RooflinePoint& p, float radius, bool focus, bool full) {
  constexpr float kFaint = 0.3f;
  const ImU32 colour =
      full ? variant_colour(style, s.index) : faded(variant_colour(style, s.index), kFaint);
  const ImVec2 at = area.at(p.intensity, p.rate);
  draw_marker(area.list, at, full ? radius : radius * 0.8f, variant_marker(s.index),
              s.apart.empty() ? colour : faded(colour, 0.6f),
              s.apart.empty() ? fill_of(p.level) : Fill::ring);
  if (!p.impossible.empty())
    area.list->AddCircle(at, radius * 2.3f, style.colours.bad, 0, style.unit(0.25f));
  if (!full) return;
  // Bytes in an interval are a bar: fewer of them lie further right.
  if (p.least_ns && p.most_ns && p.floor_ns && *p.least_ns > 0) {
    const ImVec2 from = area.at(p.intensity * *p.floor_ns / *p.most_ns, p.rate),
                 to = area.at(p.intensity * *p.floor_ns / *p.least_ns, p.rate);
    area.list->AddLine(from, to, faded(colour, 0.7f), style.unit(0.25f));
  }
  if (p.bytes_origin == Origin::modelled)
    add_dashed_circle(area.list, at, radius * 1.5f, colour, style.unit(0.15f));
  if (focus) area.list->AddCircle(at, radius * 1.9f, style.colours.accent, 0, style.unit(0.18f));
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
  const float right = ImGui::GetCursorPosX() + ImGui::GetContentRegionAvail().x - buttons;
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
                        const VariantStanding* focus, std::optional<double> top_roof, ImVec2 size,
                        PlotView& view) {
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

// Where the points stand: those of these variants, or of all where `only` is null.
std::vector<Box> boxes_of_points(const PlotArea& area, const Style& style,
                                 const std::vector<VariantStanding>& all,
                                 const std::set<std::string>* only) {
  double longest = 0;
  for (const VariantStanding& s : all) longest = std::max(longest, s.time_ns);
  std::vector<Box> boxes;
  for (const VariantStanding& s : all) {
    if (only != nullptr && only->count(s.variant->name) == 0) continue;
    const float radius = radius_of(style, s.time_ns, longest);
    for (const RooflinePoint& p : s.standing.points) {
      const ImVec2 at = area.at(p.intensity, p.rate);
      boxes.push_back(box_at(at.x - 2 * radius, at.y - 2 * radius, 4 * radius, 4 * radius));
    }
  }
  return boxes;
}

// All points with their rings, the faint ones below the full ones. Returns the one under the
// pointer.
HoveredPoint draw_points(const PlotArea& area, const Style& style,
                         const std::vector<VariantStanding>& all, const VariantStanding* focus,
                         const std::set<std::string>& full) {
  double longest = 0;
  for (const VariantStanding& s : all) longest = std::max(longest, s.time_ns);
  HoveredPoint hovered;
  for (const bool plain : {false, true}) {
    for (const VariantStanding& s : all) {
      if ((full.count(s.variant->name) != 0) != plain) continue;
      const float radius = radius_of(style, s.time_ns, longest);
      for (const RooflinePoint& p : s.standing.points) {
        const ImVec2 at = area.at(p.intensity, p.rate);
        draw_point(area, style, s, p, radius, &s == focus, plain);
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (area.hovered && std::hypot(mouse.x - at.x, mouse.y - at.y) < radius * 1.8f)
          hovered = {&s, &p};
      }
    }
  }
  return hovered;
}

// What is drawn, found once a frame.
struct ShownRoofline {
  std::vector<VariantStanding> all;
  const VariantStanding* focus = nullptr;
  const VariantStanding* base = nullptr;  // of the same device; null: none is shown
  RoofJoin join;
  std::set<Level> levels;                      // of all points, those that are switched off as well
  std::set<std::string> full;                  // drawn full, and …
  std::set<std::string> named;                 // … with their names …
  std::map<std::string, std::string> letters;  // … and "A " or "B " before them, by name
  // What stands beside its points.
  std::string name_of(const Variant& variant) const {
    const auto letter = letters.find(variant.name);
    return (letter == letters.end() ? "" : letter->second) + variant.label;
  }
};

// Where a name may stand beside its point, the places that are wanted most first: right or left,
// below or above, and further away.
std::vector<Box> places_beside(const PlotArea& area, const Style& style, ImVec2 at, ImVec2 extent) {
  const bool right_fits = at.x + style.unit(2) + extent.x <= area.high.x;
  const float right = at.x + style.unit(2), left = at.x - style.unit(2) - extent.x;
  const float last = std::max(area.low.x, area.high.x - extent.x);  // a name is never cut
  std::vector<Box> places;
  for (int far = 0; far < 8; ++far) {
    const float apart = style.unit(1) + static_cast<float>(far) * extent.y;
    for (const float x : {right_fits ? right : left, right_fits ? left : right}) {
      for (const float y : {at.y + apart, at.y - apart - extent.y}) {
        if (y >= area.low.y && y + extent.y <= area.high.y)
          places.push_back(box_at(std::clamp(x, area.low.x, last), y, extent.x, extent.y));
      }
    }
  }
  return places;
}

// Where the line from a point to its name ends: at the middle of the nearer side, or above or below
// the point where the name stands over or under it.
ImVec2 leader_end(ImVec2 point, const Box& name) {
  constexpr float kGap = 3;
  const float middle = (name.y0 + name.y1) / 2;
  if (name.x0 > point.x) return {name.x0 - kGap, middle};
  if (name.x1 < point.x) return {name.x1 + kGap, middle};
  return {point.x, middle < point.y ? name.y1 : name.y0};
}

// The names of the focus, the baseline and the fastest beside their first points, on no other
// words; the heading and the legend have them as well.
void draw_names(const PlotArea& area, const Style& style, const ShownRoofline& shown,
                TakenPlaces& taken) {
  for (const VariantStanding& s : shown.all) {
    if (shown.named.count(s.variant->name) == 0 || s.standing.points.empty()) continue;
    const ImVec2 at = area.at(s.standing.points.front().intensity, s.standing.points.front().rate);
    if (!area.inside(at)) continue;
    const std::string name = shown.name_of(*s.variant);
    const std::vector<Box> places =
        places_beside(area, style, at, ImGui::CalcTextSize(name.c_str()));
    const Box* box = taken.choose(places);
    if (box == nullptr) continue;
    const ImU32 colour = variant_colour(style, s.index);
    area.list->AddLine(at, leader_end(at, *box), faded(colour, 0.6f));
    area.list->AddRectFilled({box->x0 - 2, box->y0}, {box->x1 + 2, box->y1},
                             faded(style.colours.panel, 0.8f));
    area.list->AddText({box->x0, box->y0}, colour, name.c_str());
    taken.texts.push_back(*box);
  }
}

// The variant of this name, where it is shown and has a place; null: it has none.
const VariantStanding* find_standing(const std::vector<VariantStanding>& all,
                                     const std::string& name) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const VariantStanding& s) { return s.variant->name == name; });
  return found == all.end() ? nullptr : &*found;
}

ShownRoofline shown_roofline(const PanelContext& context, const Selection& selection,
                             const RooflinePanel& state) {
  ShownRoofline shown;
  shown.all = variant_standings(context, selection);
  for (const VariantStanding& s : shown.all) {
    for (const RoofUse& b : s.uses) shown.levels.insert(b.level);
  }
  leave_out(state.off, shown.all);
  shown.focus = find_standing(shown.all, selection.variant);
  shown.join = shown.focus != nullptr ? shown.focus->join : join_of_device(context.view);
  const std::string baseline = selection.baseline_device.empty()
                                   ? context.view.points.baseline_id(selection.variant).variant
                                   : std::string();
  shown.base = baseline.empty() ? nullptr : find_standing(shown.all, baseline);
  shown.full = drawn_full(shown.all, selection.variant, baseline, state.all_full);
  shown.named = drawn_full(shown.all, selection.variant, baseline, false);
  for (const VariantStanding& s : shown.all) {
    const std::string letter = pin_letter(context, selection, s.point);
    if (letter.empty()) continue;
    shown.letters[s.variant->name] = letter + " ";
    shown.full.insert(s.variant->name);
    shown.named.insert(s.variant->name);
  }
  return shown;
}

// What the pointer is on in the plot, and what it asks for there.
struct Pointed {
  HoveredPoint hovered;
  bool clicked = false, menu = false;
};

// The plot of FLOP/s. Returns the point under the pointer, and whether it was clicked.
Pointed draw_plot(const PanelContext& context, const ShownRoofline& shown, ImVec2 size,
                  RooflinePanel& state) {
  const Style& style = context.style;
  const VariantStanding *focus = shown.focus, *base = shown.base;
  const RoofSet none;
  const RoofSet& lines = shown.join.roofs != nullptr ? *shown.join.roofs : none;
  const Roof* own = focus != nullptr ? own_roof(context, *focus, lines) : nullptr;
  const RoofFocus of = focus != nullptr ? focus_of(focus->standing, own) : RoofFocus{};
  const std::optional<double> top = std::max(top_of(lines, of.pipe), of.issue_flops);
  PlotArea area = begin_roofline(style, shown.all, focus, top, size, state.view);
  // Names of roofs stand beside faint points as well: those are drawn over them.
  std::vector<Box> avoided = boxes_of_points(area, style, shown.all, nullptr);
  const auto gain = focus != nullptr ? gain_to_roof(area, style, *focus) : std::nullopt;
  if (gain) {
    const float head = style.unit(kHead);
    avoided.push_back(
        box_at(gain->second.x - head, gain->second.y, 2 * head, gain->first.y - gain->second.y));
  }
  TakenPlaces taken{draw_roofs(area, lines, style, of, avoided),
                    boxes_of_points(area, style, shown.all, &shown.full)};
  std::vector<LineLabel> labels;
  extend_trails(context.view.key(), shown.all, state);
  if (focus != nullptr) draw_trail(area, style, *focus, state.trails[focus->variant->name]);
  if (focus != nullptr) draw_gain_to_roof(area, style, *focus, labels);
  const bool gains = focus != nullptr && base != nullptr && base != focus && focus->apart.empty() &&
                     base->apart.empty() && comparable(*base->point, *focus->point);
  const bool path = state.path && draw_journal_path(area, context, shown.all, labels);
  if (gains && !path) draw_gain(area, style, *base, *focus, labels);
  const HoveredPoint hovered = draw_points(area, style, shown.all, focus, shown.full);
  draw_names(area, style, shown, taken);
  if (focus != nullptr) {
    if (const auto step = step_standing(*focus, context.view.selection.step); step)
      draw_step(area, style, *focus, *step, taken);
  }
  draw_line_labels(area, style, labels, taken);
  end_plot(area);
  return {hovered, area.clicked, area.menu};
}

}  // namespace

void draw_roofline_panel(const PanelContext& context, Selection& selection, RooflinePanel& state) {
  const Style& style = context.style;
  const ShownRoofline shown = shown_roofline(context, selection, state);
  const VariantStanding* focus = shown.focus;
  const RoofSet* roofs = shown.join.roofs;
  if (roofs == nullptr && context.view.session().roofs() == nullptr)
    return draw_note(style, without_roofs(context.view));
  const bool rates = is_without_flops(shown.all);
  draw_top(context, selection, focus);
  if (!rates && focus != nullptr && !focus->no_dot.empty()) draw_note(style, focus->no_dot);
  draw_impossible_points(context, shown.all);
  std::string words = roofline_footer(context, shown.join, shown.all, focus, rates);
  if (!rates && focus != nullptr && state.trails[focus->variant->name].size() > 1)
    words += " · thin line: where it was before";
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const bool beside = legend_is_beside(style, room.x);
  const float footer = ImGui::CalcTextSize(words.c_str(), nullptr, false, room.x).y +
                       ImGui::GetTextLineHeightWithSpacing() * 1.6f;
  const ImVec2 size{room.x - (beside ? legend_width(style) + style.unit(1) : 0), room.y - footer};
  const float top = ImGui::GetCursorPosY();
  if (rates) {
    draw_bandwidths(context, selection, shown.all, shown.full,
                    focus != nullptr ? focus->standing.binding : std::nullopt, size);
  } else {
    const auto [hovered, clicked, menu] = draw_plot(context, shown, size, state);
    if (hovered.of != nullptr) {
      draw_roofline_tooltip(*hovered.of, *hovered.point);
      if (clicked) selection.variant = hovered.of->variant->name;
    }
    draw_pin_menu(context, selection, menu, hovered.of != nullptr ? hovered.of->point : nullptr,
                  state.pin);
  }
  if (beside) {
    const float below = ImGui::GetCursorPosY();
    ImGui::SetCursorPos({ImGui::GetCursorStartPos().x + size.x + style.unit(1), top});
    ImGui::BeginChild("legend", {legend_width(style), size.y}, kReached);
    draw_variant_legend(context, selection, shown.all, shown.full);
    ImGui::EndChild();
    ImGui::SetCursorPosY(below);
  }
  draw_roofline_switches(context, selection, shown.all, shown.full, shown.levels, state);
  ImGui::TextWrapped("%s", words.c_str());
  if (roofs != nullptr && ImGui::IsItemHovered())
    ImGui::SetTooltip("%s", roof_list(*roofs).c_str());
}

}  // namespace warpscope
