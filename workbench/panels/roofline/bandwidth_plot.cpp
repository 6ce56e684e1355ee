// workbench/panels/roofline/bandwidth_plot.cpp: bytes per second by level against each measured
// roof.
#include "workbench/panels/roofline/bandwidth_plot.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "workbench/drawing/focus.h"
#include "workbench/drawing/plot.h"

namespace warpscope {
namespace {

constexpr double kBeyondRoof = 1.08;  // of a track: so far it goes on beyond its roof

// The tracks' scale: shares of a roof to places in x.
struct TrackScale {
  float left, right;
  double most;  // share at `right`
  float at(double ratio) const {
    return left + static_cast<float>(std::clamp(ratio / most, 0.0, 1.0)) * (right - left);
  }
};

TrackScale scale_of(const std::vector<VariantStanding>& all, float left, float right) {
  double most = kBeyondRoof;
  for (const VariantStanding& s : all) {
    for (const RoofUse& b : s.uses) most = std::max(most, b.roof_ratio.value_or(0) * 1.02);
  }
  return {left, right, most};
}

std::string rate_words(const VariantStanding& s, const RoofUse& b) {
  return s.variant->label + "  " + format_value(b.rate, "B/s") +
         (b.roof_ratio  ? " · " + format_value(*b.roof_ratio, "ratio")
          : b.roof_rate ? ", emulated: more than the device moves"
                        : ", no roof of it");
}

void draw_dashed_box(ImDrawList* list, const Box& box, ImU32 colour, float width, float dash) {
  const ImVec2 a{box.x0, box.y0}, b{box.x1, box.y0}, c{box.x1, box.y1}, d{box.x0, box.y1};
  add_dashed_line(list, a, b, colour, width, dash);
  add_dashed_line(list, b, c, colour, width, dash);
  add_dashed_line(list, c, d, colour, width, dash);
  add_dashed_line(list, d, a, colour, width, dash);
}

// A bar with its words: after it where there is room, else on its ground.
void draw_bar(const Style& style, const VariantStanding& s, const RoofUse& b, const Box& row,
              const TrackScale& scale, bool focus) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 colour = variant_colour(style, s.index);
  const float end = b.roof_ratio ? scale.at(*b.roof_ratio) : scale.left;
  const Box bar{scale.left, row.y0, std::max(end, scale.left + 1), row.y1};
  const bool solid = b.origin == Origin::measured && s.apart.empty();
  if (solid) {
    list->AddRectFilled({bar.x0, bar.y0}, {bar.x1, bar.y1}, colour);
  } else {
    draw_dashed_box(list, bar, colour, style.unit(0.15f), style.unit(0.4f));
  }
  if (b.least_ratio && b.most_ratio) {
    const float y = (bar.y0 + bar.y1) / 2;
    list->AddLine({scale.at(*b.least_ratio), y}, {scale.at(*b.most_ratio), y},
                  faded(style.colours.text, 0.7f), style.unit(0.25f));
  }
  if (!b.impossible.empty())
    list->AddRect({bar.x0, bar.y0}, {bar.x1, bar.y1}, style.colours.bad, 0, style.unit(0.3f));
  const float pad = style.unit(0.75f), room = scale.right - scale.left - 2 * pad;
  const std::string words = fitting(rate_words(s, b), room);
  const ImVec2 extent = ImGui::CalcTextSize(words.c_str());
  const float y = (row.y0 + row.y1 - extent.y) / 2;
  const bool behind = bar.x1 + pad + extent.x <= scale.right;
  const ImU32 ink =
      behind || !solid ? (focus ? style.colours.text : style.colours.muted) : ink_on(colour);
  const float x = behind ? bar.x1 + pad : bar.x0 + pad;
  if (!behind && bar.x0 + pad + extent.x > bar.x1)
    list->AddRectFilled({x, y}, {x + extent.x, y + extent.y}, faded(style.colours.panel, 0.85f));
  list->AddText({x, y}, !behind && bar.x0 + pad + extent.x > bar.x1 ? style.colours.text : ink,
                words.c_str());
  ImGui::LogText("%s\n", words.c_str());
}

struct HoveredRate {
  const VariantStanding* of = nullptr;
  const RoofUse* rate = nullptr;
};

void explain_rate(const HoveredRate& h) {
  std::string text = rate_words(*h.of, *h.rate) + "\n" + to_text(h.rate->level) + ", " +
                     to_text(h.rate->origin) + " bytes over " + format_value(h.of->time_ns, "ns");
  if (h.rate->roof_rate)
    text += "\n" + h.rate->roof + ": " + format_value(*h.rate->roof_rate, "B/s");
  if (!h.rate->of.empty()) text += "\nbytes of " + h.rate->of;
  if (!h.rate->no_ratio.empty()) text += "\nno share of a roof: " + h.rate->no_ratio;
  if (!h.of->apart.empty()) text += "\n○ " + h.of->apart + ": it is not compared";
  if (!h.rate->impossible.empty()) text += "\n✕ " + h.rate->impossible;
  ImGui::SetTooltip("%s", text.c_str());
}

// The name of a level and its roof, and a line where the roof stands.
void draw_track(const Style& style, const Box& track, Level level, const RoofUse* shown,
                const TrackScale& scale, bool binds) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool limits = binds && shown != nullptr && shown->limits;
  const float line = ImGui::GetTextLineHeight();
  const ImU32 colour = binds ? style.colours.accent : style.colours.roof;
  const std::string name = std::string(to_text(level)) + (limits  ? ": limits"
                                                          : binds ? ": nearest roof"
                                                                  : "");
  list->AddText({track.x0, track.y0}, binds ? style.colours.accent : style.colours.text,
                name.c_str());
  ImGui::LogText("%s\n", name.c_str());
  const Box body{scale.left, track.y0 + line * 1.2f, scale.right, track.y1};
  const float roof = scale.at(1);
  if (binds) list->AddRectFilled({body.x0, body.y0}, {roof, body.y1}, style.colours.tint);
  list->AddLine({body.x0, body.y0}, {body.x0, body.y1}, style.colours.axis);
  list->AddLine({roof, body.y0}, {roof, body.y1}, colour, style.unit(binds ? 0.3f : 0.2f));
  if (shown == nullptr || !shown->roof_rate) return;
  const std::string words = shown->roof + ", " + format_value(*shown->roof_rate, "B/s");
  const std::string fit =
      fitting(words, roof - track.x0 - ImGui::CalcTextSize(name.c_str()).x - style.unit(2));
  list->AddText({roof - ImGui::CalcTextSize(fit.c_str()).x, track.y0}, style.colours.muted,
                fit.c_str());
  ImGui::LogText("%s\n", words.c_str());
}

// 0, 25 … 100 % below the tracks, where they have room beside the last.
void draw_percents(const Style& style, const TrackScale& scale, float top, float bottom) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = bottom + style.unit(0.25f);
  const std::string last = "100 % of the roof";
  const float width = ImGui::CalcTextSize(last.c_str()).x;
  const float end = std::min(scale.at(1) - width / 2, scale.right - width);
  list->AddText({end, y}, style.colours.muted, last.c_str());
  for (const int percent : {0, 25, 50, 75}) {
    const float x = scale.at(percent / 100.0);
    list->AddLine({x, top}, {x, bottom}, faded(style.colours.grid, 0.8f));
    const std::string text = std::to_string(percent) + (percent == 0 ? "" : " %");
    const float own = ImGui::CalcTextSize(text.c_str()).x, left = percent == 0 ? x : x - own / 2;
    if (left + own + style.unit(1) > end) continue;
    list->AddText({left, y}, style.colours.muted, text.c_str());
  }
}

// Those drawn full, the slowest first, so that bars grow longer downwards as a ladder does.
std::vector<const VariantStanding*> barred(const std::vector<VariantStanding>& all,
                                           const std::set<std::string>& full, Level level,
                                           std::size_t most) {
  std::vector<const VariantStanding*> list;
  for (const VariantStanding& s : all) {
    if (full.count(s.variant->name) != 0 && find_use(s.uses, level) != nullptr) list.push_back(&s);
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto* a, const auto* b) { return a->time_ns > b->time_ns; });
  if (list.size() > most) list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(most));
  return list;
}

// The levels of which a standing knows the bytes, from DRAM inwards.
std::vector<Level> levels_of(const std::vector<VariantStanding>& all) {
  std::vector<Level> levels;
  for (const Level level : {Level::dram, Level::l2, Level::l1, Level::shared}) {
    if (std::any_of(all.begin(), all.end(),
                    [&](const VariantStanding& s) { return find_use(s.uses, level) != nullptr; }))
      levels.push_back(level);
  }
  return levels;
}

// The roof that a track shows: that of the focus, else of the first that has the level.
const RoofUse* shown_at(const std::vector<VariantStanding>& all, const std::string& focus,
                        Level level) {
  const RoofUse* shown = nullptr;
  for (const VariantStanding& s : all) {
    const RoofUse* b = find_use(s.uses, level);
    if (b != nullptr && (shown == nullptr || s.variant->name == focus)) shown = b;
  }
  return shown;
}

struct TrackPlace {
  Level level;
  Box box;
  bool binds;
};

// The bars and marks of one level. Returns what the pointer is on.
HoveredRate draw_level(const Style& style, const std::vector<VariantStanding>& all,
                       const std::set<std::string>& full, const std::string& focus,
                       const TrackPlace& track, const TrackScale& scale) {
  const float line = ImGui::GetTextLineHeight(), marks = line * 0.8f,
              first = track.box.y0 + line * 1.25f, room = track.box.y1 - first - marks;
  const float bar = std::clamp(room / 3, line * 1.1f, style.unit(3.5f));
  const auto most = static_cast<std::size_t>(std::max(1.0f, std::floor(room / bar + 0.01f)));
  const std::vector<const VariantStanding*> bars = barred(all, full, track.level, most);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  HoveredRate hovered;
  draw_track(style, track.box, track.level, shown_at(all, focus, track.level), scale, track.binds);
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const Box row = box_at(scale.left, first + static_cast<float>(i) * bar,
                           scale.right - scale.left, bar - style.unit(0.3f));
    const RoofUse* b = find_use(bars[i]->uses, track.level);
    draw_bar(style, *bars[i], *b, row, scale, bars[i]->variant->name == focus);
    if (row.contains(mouse.x, mouse.y)) hovered = {bars[i], b};
  }
  for (const VariantStanding& s : all) {
    const RoofUse* b = find_use(s.uses, track.level);
    const bool drawn = std::find(bars.begin(), bars.end(), &s) != bars.end();
    if (b == nullptr || drawn || !b->roof_ratio) continue;
    const ImVec2 place{scale.at(*b->roof_ratio), track.box.y1 - marks / 2};
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_marker(list, place, marks * 0.35f, variant_marker(s.index),
                faded(variant_colour(style, s.index), 0.55f), Fill::solid);
    if (!b->impossible.empty())
      list->AddCircle(place, marks * 0.6f, style.colours.bad, 0, style.unit(0.2f));
    if (std::hypot(mouse.x - place.x, mouse.y - place.y) < marks * 0.6f) hovered = {&s, b};
  }
  return hovered;
}

}  // namespace

bool is_without_flops(const std::vector<VariantStanding>& all) {
  const bool any_dot = std::any_of(
      all.begin(), all.end(), [](const VariantStanding& s) { return !s.standing.points.empty(); });
  return !any_dot && std::any_of(all.begin(), all.end(),
                                 [](const VariantStanding& s) { return !s.uses.empty(); });
}

void draw_bandwidths(const PanelContext& context, Selection& selection,
                     const std::vector<VariantStanding>& all, const std::set<std::string>& full,
                     std::optional<Level> binding, ImVec2 size) {
  const Style& style = context.style;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  size = {std::max(size.x, style.unit(20)), std::max(size.y, style.unit(20))};
  press_area("bandwidths", size);
  const bool over = ImGui::IsItemHovered(), clicked = ImGui::IsItemClicked();
  const std::vector<Level> levels = levels_of(all);
  if (levels.empty()) return;
  const auto count = static_cast<float>(levels.size());
  const TrackScale scale = scale_of(all, at.x, at.x + size.x - style.unit(1));
  const float gap = style.unit(1), room = size.y - ImGui::GetTextLineHeight() * 1.5f;
  const float height = std::min((room + gap) / count - gap, style.unit(18));
  draw_percents(style, scale, at.y, at.y + count * (height + gap) - gap);
  HoveredRate hovered;
  float top = at.y;
  for (const Level level : levels) {
    const TrackPlace track{level, {scale.left, top, scale.right, top + height}, binding == level};
    const HoveredRate found = draw_level(style, all, full, selection.variant, track, scale);
    if (found.of != nullptr) hovered = found;
    top += height + gap;
  }
  if (!over || hovered.of == nullptr) return;
  explain_rate(hovered);
  if (clicked) selection.variant = hovered.of->variant->name;
}

}  // namespace warpscope
