// workbench/panels/roofline/roofline_words.cpp: what the roofline says in words, above, below and
// on hover.
#include "workbench/panels/roofline/roofline_words.h"

#include <imgui.h>

#include <algorithm>

#include "profiling/points/level_bytes.h"
#include "profiling/points/point.h"
#include "workbench/panels/roofline/roofline_labels.h"

namespace warpscope {
namespace {

// Whether both parts of the heading have room beside each other, whichever variant is in focus:
// what is below does not move with it.
bool heading_is_one_line(const PanelContext& context, float room) {
  float label = 0;
  for (const Variant& variant : context.view.scene().variants)
    label = std::max(label, ImGui::CalcTextSize(variant.label.c_str()).x);
  const float figures =
      ImGui::CalcTextSize("nearest roof of  · 000.0 µs warm, at the roof 000.0 µs").x;
  push_face(context.style.large);
  const float roof = ImGui::CalcTextSize("00.00 % of the DRAM roof at 00 % writes").x;
  ImGui::PopFont();
  return roof + ImGui::GetStyle().ItemSpacing.x + label + figures <= room;
}

}  // namespace

void draw_roofline_tooltip(const VariantStanding& s, const RooflinePoint& point) {
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
  const RoofUse* use = find_use(s.uses, point.level);
  if (use != nullptr && use->roof_ratio && point.floor_ns) {
    ImGui::Text("at this roof it would take %s: the point reaches %s of the roof",
                format_value(*point.floor_ns, "ns").c_str(),
                format_value(*use->roof_ratio, "ratio").c_str());
  } else if (use != nullptr && !use->no_ratio.empty()) {
    ImGui::Text("no share of a roof: %s", use->no_ratio.c_str());
  }
  if (!s.apart.empty()) ImGui::TextUnformatted(("○ " + s.apart + ": it is not compared").c_str());
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

void draw_roofline_heading(const PanelContext& context, Selection& selection,
                           const VariantStanding* focus, float room) {
  const Style& style = context.style;
  if (focus == nullptr || !focus->standing.binding) {
    const Measurement* point = panel_heading(context, selection, selection.variant);
    if (point == nullptr || !has_figures(point->verdict.outcome)) return;
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
  push_face(style.large);
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
  const bool pending = context.view.state(selection.variant).freshness == Freshness::pending;
  const std::string news = !focus->apart.empty() ? "○ " + focus->apart + " · "
                           : pending ? std::string("… a newer measurement is on its way · ")
                                     : "";
  const std::string whose = (is_limited(focus->standing) ? "limits " : "nearest roof of ") +
                            focus->variant->label + " · ";
  const std::string times = format_value(focus->time_ns, "ns") + " " + to_text(selection.cache) +
                            ", at the roof " + format_value(focus->standing.binding_floor_ns, "ns");
  // Where there is no room for all, the times stay: the variant's name stands in the plot.
  const float left = room - ImGui::GetCursorPosX();
  const std::string all = news + whose + times;
  if (for_slides() || ImGui::CalcTextSize(all.c_str()).x <= left)
    return draw_fitting_text(all, left);
  draw_fitting_text(news + times, left);
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", all.c_str());
}

void draw_impossible_points(const PanelContext& context, const std::vector<VariantStanding>& all) {
  constexpr int kMost = 2;
  int said = 0, left = 0;
  ImGui::PushStyleColor(ImGuiCol_Text, context.style.colours.bad);
  for (const VariantStanding& s : all) {
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

std::string roofline_footer(const PanelContext& context, const RoofJoin& join,
                            const std::vector<VariantStanding>& all, const VariantStanding* focus,
                            bool rates) {
  RooflineMarks marks;
  marks.rates = rates;
  marks.limited = focus != nullptr && is_limited(focus->standing);
  marks.recorded = context.view.recorded();
  for (const VariantStanding& s : all) {
    const bool drawn = rates ? !s.uses.empty() : !s.standing.points.empty();
    marks.apart = marks.apart || (!s.apart.empty() && drawn);
    for (const RoofUse& b : s.uses)
      marks.modelled = marks.modelled || (rates && b.origin == Origin::modelled);
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

}  // namespace warpscope
