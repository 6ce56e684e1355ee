// workbench/panels/roofline_panel.cpp: measured roofs and where the variants stand below them.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "profiling/agreement/trace_metrics.h"
#include "profiling/points/point.h"
#include "workbench/panels/panels.h"
#include "workbench/panels/roofline_labels.h"
#include "workbench/panels/roofline_lines.h"

namespace warpscope {
namespace {

struct Standing {
  const Variant* variant;
  int index;
  std::string apart;  // why it takes part in no comparison: "measured at n=128"; empty: it does
  const Measurement* point;
  double time_ns;
  RooflineStanding standing;
  RoofJoin join;  // whose roofs it is held to
};

std::vector<Standing> standings(const PanelContext& context, const Selection& selection) {
  std::vector<Standing> list;
  for (const Variant* variant : context.workspace.shown_variants()) {
    const PointState state = context.workspace.state(variant->name);
    if (state.point == nullptr) continue;
    const RoofJoin join = context.workspace.roofs_of(state.point->conditions);
    // Points without roofs have a place all the same.
    std::optional<RooflineStanding> standing =
        stand(*state.point, selection.cache, join.roofs != nullptr ? *join.roofs : RoofSet{},
              modelled_beside(context.workspace.session(), *state.point));
    if (!standing) continue;
    // Work without arithmetic has a roof that binds it, which the heading says, and no dot.
    std::erase_if(standing->points, [](const RooflinePoint& point) { return point.rate <= 0; });
    if (standing->points.empty() && standing->sentence.empty()) continue;
    list.push_back({variant, variant_index(context.workspace.scene(), variant->name), state.apart,
                    state.point, timing_of(*state.point, selection.cache)->median_ns,
                    std::move(*standing), join});
  }
  return list;
}

// The roofs of the device that is shown, where no point in focus says whose they are.
RoofJoin join_of_device(const Workspace& workspace) {
  const std::string& shown = workspace.device();
  // Nothing was measured but the roofs themselves.
  if (shown.empty()) return {workspace.session().roofs(), ""};
  Conditions of;
  of.device = shown;
  const Hello* engine = workspace.session().engine();
  if (engine != nullptr && engine->device && engine->device->uuid == shown)
    of.device = engine->device->name;
  for (const DeviceName& device : workspace.session().devices()) {
    if (device.id() == shown) of.device = device.name;
  }
  if (of.device != shown) of.device_uuid = shown;
  return workspace.roofs_of(of);
}

// The scene's own roof that the variant stands below; null: it has none, or it was not measured.
const Roof* own_roof(const PanelContext& context, const Standing& s, const RoofSet& roofs) {
  return find_roof(roofs, context.workspace.scene().name, s.variant->own_roof);
}

float radius_of(const Style& style, double time_ns, double longest_ns) {
  return style.unit(0.55f) +
         style.unit(0.45f) * static_cast<float>(std::sqrt(time_ns / std::max(longest_ns, 1.0)));
}

void draw_tooltip(const Standing& s, const RooflinePoint& point) {
  ImGui::BeginTooltip();
  ImGui::TextUnformatted(s.variant->label.c_str());
  ImGui::Text("%s: %s at %.3g FLOP/B (%s bytes)", to_text(point.level),
              format_value(point.rate, "FLOP/s").c_str(), point.intensity,
              to_text(point.bytes_origin));
  if (!point.bytes_of.empty()) ImGui::Text("bytes of %s", point.bytes_of.c_str());
  ImGui::Text("time %s", format_value(s.time_ns, "ns").c_str());
  if (point.level == Level::dram && s.standing.write_share)
    ImGui::Text("%.0f %% of the bytes are written", 100 * *s.standing.write_share);
  if (point.ceiling) {
    ImGui::Text("%s: %s", point.roof.c_str(), format_value(*point.ceiling, "B/s").c_str());
  }
  if (point.floor_ns) {
    ImGui::Text("floor at this roof %s: %s of it", format_value(*point.floor_ns, "ns").c_str(),
                format_value(*point.floor_ns / s.time_ns, "ratio").c_str());
  }
  if (!s.apart.empty())
    ImGui::TextUnformatted(("○ " + s.apart + ": it is compared with nothing").c_str());
  if (point.least_ns && point.most_ns) {
    ImGui::Text("between %s and %s: %s", format_value(*point.least_ns, "ns").c_str(),
                format_value(*point.most_ns, "ns").c_str(), point.between.c_str());
  }
  if (!s.standing.sentence.empty()) ImGui::TextUnformatted(s.standing.sentence.c_str());
  if (s.standing.sentence.find(point.impossible) == std::string::npos)
    ImGui::TextUnformatted(point.impossible.c_str());
  if (!s.join.words.empty()) ImGui::TextUnformatted(s.join.words.c_str());
  ImGui::EndTooltip();
}

// The gain from the baseline to the focus at one level, as a dashed arrow.
void draw_arrow(const PlotArea& area, const Style& style, const Standing& from, const Standing& to,
                std::vector<LineLabel>& labels) {
  const auto at_level = [](const Standing& s) -> const RooflinePoint* {
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
void draw_gain_to_roof(const PlotArea& area, const Style& style, const Standing& s,
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

// Whether both parts of the heading have room beside each other, whichever variant is in focus:
// what is below does not move with it.
bool heading_is_one_line(const PanelContext& context, float room) {
  float label = 0;
  for (const Variant& variant : context.workspace.scene().variants)
    label = std::max(label, ImGui::CalcTextSize(variant.label.c_str()).x);
  const float figures = ImGui::CalcTextSize("binds  · 000.0 µs warm, floor 000.0 µs").x;
  ImGui::PushFont(context.style.large);
  const float roof = ImGui::CalcTextSize("00.00 % of the DRAM roof at 00 % writes").x;
  ImGui::PopFont();
  return roof + ImGui::GetStyle().ItemSpacing.x + label + figures <= room;
}

// The line above the plot: which roof binds, how much of it is used, and how fresh that is.
void draw_heading(const PanelContext& context, Selection& selection, const Standing* focus,
                  float room) {
  const Style& style = context.style;
  if (focus == nullptr || !focus->standing.binding) {
    const Measurement* point = panel_heading(context, selection, selection.variant);
    if (point == nullptr || point->verdict.outcome != Outcome::correct) return;
    const bool hidden =
        selection.hidden.count(selection.variant) != 0 && selection.hidden.at(selection.variant);
    if (focus != nullptr) {
      return draw_note(style,
                       focus->join.roofs == nullptr ? focus->join.words : focus->standing.sentence);
    }
    return draw_note(
        style, hidden ? "It is hidden: click its marker in the list."
               : timing_of(*point, selection.cache)
                   ? "No dot: neither its operations nor its bytes are known."
                   : "No dot: " + missing_time(context, selection.variant, selection.cache) + ".");
  }
  const std::string share = format_value(focus->standing.binding_ratio, "ratio"),
                    roof = " of the " + focus->standing.binding_name;
  const float top = ImGui::GetCursorPosY();
  ImGui::PushFont(style.large);
  // Where there is no room for the roof's name as large as the figure, it is small.
  const bool all_large =
      ImGui::CalcTextSize((share + roof).c_str()).x <= room - ImGui::GetCursorPosX();
  ImGui::TextUnformatted((all_large ? share + roof : share).c_str());
  ImGui::PopFont();
  if (!all_large) {
    ImGui::SameLine(0, 0);
    ImGui::SetCursorPosY(top + style.unit(0.8f));
    draw_fitting_text(roof, room - ImGui::GetCursorPosX());
  }
  if (heading_is_one_line(context, room)) {
    ImGui::SameLine();
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + style.unit(0.8f));
  }
  const bool pending = context.workspace.state(selection.variant).freshness == Freshness::pending;
  draw_fitting_text((!focus->apart.empty() ? "○ " + focus->apart + " · "
                     : pending ? std::string("… a newer measurement is on its way · ")
                               : "") +
                        std::string("binds ") + focus->variant->label + " · " +
                        format_value(focus->time_ns, "ns") + " " + to_text(selection.cache) +
                        ", floor " + format_value(focus->standing.binding_floor_ns, "ns"),
                    room - ImGui::GetCursorPosX());
}

// Points above their roofs are errors until explained: each says why it cannot be.
void draw_impossible(const PanelContext& context, const std::vector<Standing>& all) {
  constexpr int kMost = 2;
  int said = 0, left = 0;
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.bad);
  for (const Standing& s : all) {
    for (const RooflinePoint& p : s.standing.points) {
      if (p.impossible.empty()) continue;
      if (said++ < kMost) {
        draw_fitting_text("✕ " + s.variant->label + " is " + p.impossible,
                          ImGui::GetContentRegionAvail().x);
      } else {
        ++left;
      }
    }
  }
  if (left > 0) ImGui::Text("✕ and %d more points above their roofs", left);
  ImGui::PopStyleColor();
}

void draw_point(const PlotArea& area, const Style& style, const Standing& s, const RooflinePoint& p,
                float radius, bool focus) {
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

// The line below the plot: whose roofs those are, and what the marks mean that are on it.
std::string footer(const PanelContext& context, const RoofJoin& join,
                   const std::vector<Standing>& all) {
  RooflineMarks marks;
  marks.recorded = context.workspace.recorded();
  for (const Standing& s : all) {
    marks.apart = marks.apart || (!s.apart.empty() && !s.standing.points.empty());
    for (const RooflinePoint& p : s.standing.points) {
      marks.levels.insert(p.level);
      marks.modelled = marks.modelled || p.bytes_origin == Origin::modelled;
    }
  }
  return (join.roofs == nullptr ? std::string("no roofs of this device")
          : join.words.empty() ? "roofs measured on " + to_text(device_of(join.roofs->conditions)) +
                                     ", " + join.roofs->conditions.date.substr(0, 10)
                               : join.words) +
         " · " + roofline_legend(marks);
}

void draw_trail(const PlotArea& area, const Style& style, const Standing& focus,
                const std::deque<std::pair<double, double>>& trail) {
  for (std::size_t i = 1; i < trail.size(); ++i) {
    area.list->AddLine(
        area.at(trail[i - 1].first, trail[i - 1].second), area.at(trail[i].first, trail[i].second),
        faded(variant_colour(style, focus.index), 0.15f + 0.4f * static_cast<float>(i) / 20.0f),
        style.unit(0.15f));
  }
}

}  // namespace

void draw_roofline_panel(const PanelContext& context, Selection& selection, RooflinePanel& state) {
  const Style& style = context.style;
  const std::vector<Standing> all = standings(context, selection);
  const auto named = [&](const std::string& name) -> const Standing* {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Standing& s) { return s.variant->name == name; });
    return found == all.end() ? nullptr : &*found;
  };
  const Standing* focus = named(selection.variant);
  const RoofJoin join = focus != nullptr ? focus->join : join_of_device(context.workspace);
  const RoofSet* roofs = join.roofs;
  if (roofs == nullptr && context.workspace.session().roofs() == nullptr)
    return draw_note(style, without_roofs(context.workspace));
  const RoofSet none;
  const RoofSet& lines = roofs != nullptr ? *roofs : none;
  const Roof* own = focus != nullptr ? own_roof(context, *focus, lines) : nullptr;
  const RoofFocus shown = focus != nullptr ? focus_of(focus->standing, own) : RoofFocus{};
  float buttons = ImGui::GetStyle().ItemSpacing.x;
  for (const CacheState cache : {CacheState::cold, CacheState::warm})
    buttons += ImGui::CalcTextSize(to_text(cache)).x + 2 * ImGui::GetStyle().FramePadding.x;
  const float right = ImGui::GetContentRegionMax().x - buttons;
  const float top = ImGui::GetCursorPosY();
  ImGui::SetCursorPosX(right);
  for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
    if (cache == CacheState::warm) ImGui::SameLine();
    ImGui::PushStyleColor(ImGuiCol_Text,
                          selection.cache == cache ? style.colours.accent : style.colours.muted);
    if (ImGui::Button(to_text(cache))) selection.cache = cache;
    ImGui::PopStyleColor();
  }
  const float below = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(top);
  const float room = right - style.unit(1);
  // Sentences wrap before the buttons; the line with the figure is cut instead.
  const bool figure = focus != nullptr && focus->standing.binding;
  if (!figure) ImGui::PushTextWrapPos(room);
  draw_heading(context, selection, focus, room);
  if (!figure) ImGui::PopTextWrapPos();
  ImGui::SetCursorPosY(std::max(below, ImGui::GetCursorPosY()));
  draw_impossible(context, all);
  std::vector<double> xs = {0.05, 100}, ys = {1e11};
  double longest = 0;
  for (const Standing& s : all) {
    longest = std::max(longest, s.time_ns);
    for (const RooflinePoint& p : s.standing.points) {
      xs.push_back(p.intensity);
      ys.push_back(p.rate);
    }
  }
  if (const auto top = top_of(lines, shown.pipe)) ys.push_back(*top * 1.6);
  std::vector<double> focus_x, focus_y;
  for (const RooflinePoint& p :
       focus != nullptr ? focus->standing.points : std::vector<RooflinePoint>{}) {
    focus_x.push_back(p.intensity);
    focus_y.push_back(p.rate);
  }
  offer_selection(state.view, focus_x, focus_y);
  const std::string words = footer(context, join, all);
  const float legend =
      ImGui::CalcTextSize(words.c_str(), nullptr, false, ImGui::GetContentRegionAvail().x).y +
      ImGui::GetTextLineHeightWithSpacing() * 0.3f;
  const ImVec2 size = {ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y - legend};
  PlotArea area = begin_plot("roofline", size, {"arithmetic intensity, FLOP/B", "1"},
                             {"arithmetic rate", "FLOP/s"}, state.view, fitted(xs, true, 0.04),
                             fitted(ys, true, 0.05), style);
  std::vector<Box> taken = draw_roofs(area, lines, style, shown);
  std::vector<LineLabel> labels;
  const std::string key = context.workspace.key();
  if (key != state.last_key) {
    state.last_key = key;
    for (const Standing& s : all) {
      if (s.standing.points.empty()) continue;
      auto& trail = state.trails[s.variant->name];
      trail.emplace_back(s.standing.points.front().intensity, s.standing.points.front().rate);
      constexpr std::size_t kTrail = 20;
      if (trail.size() > kTrail) trail.pop_front();
    }
  }
  if (focus != nullptr) draw_trail(area, style, *focus, state.trails[focus->variant->name]);
  if (focus != nullptr && focus->apart.empty()) draw_gain_to_roof(area, style, *focus, labels);
  const std::string baseline = selection.baseline_device.empty()
                                   ? context.workspace.baseline_id(selection.variant).variant
                                   : std::string();
  const Standing* base = baseline.empty() ? nullptr : named(baseline);
  const bool gains = focus != nullptr && base != nullptr && base != focus && focus->apart.empty() &&
                     base->apart.empty() && comparable(*base->point, *focus->point);
  if (gains) draw_arrow(area, style, *base, *focus, labels);
  const Standing* hovered = nullptr;
  const RooflinePoint* hovered_point = nullptr;
  std::vector<Box> boxes;
  std::vector<const Standing*> owners;
  std::vector<ImVec2> anchors;
  for (const Standing& s : all) {
    const float radius = radius_of(style, s.time_ns, longest);
    for (const RooflinePoint& p : s.standing.points) {
      const ImVec2 at = area.at(p.intensity, p.rate);
      draw_point(area, style, s, p, radius, &s == focus);
      // With its rings.
      taken.push_back(box_at(at.x - 2 * radius, at.y - 2 * radius, 4 * radius, 4 * radius));
      const ImVec2 mouse = ImGui::GetIO().MousePos;
      if (area.hovered && std::hypot(mouse.x - at.x, mouse.y - at.y) < radius * 1.8f) {
        hovered = &s;
        hovered_point = &p;
      }
    }
    const bool named_point = &s == focus || &s == base;
    if (!named_point || s.standing.points.empty()) continue;
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
  draw_line_labels(area, style, labels, taken);
  end_plot(area);
  if (hovered != nullptr) {
    draw_tooltip(*hovered, *hovered_point);
    if (area.clicked) selection.variant = hovered->variant->name;
  }
  ImGui::TextWrapped("%s", words.c_str());
  if (roofs != nullptr && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", roof_list(lines).c_str());
}

}  // namespace warpscope
