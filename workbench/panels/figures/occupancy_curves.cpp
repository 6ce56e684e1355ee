// workbench/panels/figures/occupancy_curves.cpp: occupancy over block size, registers and shared
// memory, with the launch as it is marked.
#include "workbench/panels/figures/occupancy_curves.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "profiling/figures/metric.h"
#include "workbench/panels/panels.h"

namespace warpscope {
namespace {

// The inner rectangle of a chart, and what its axes go over.
struct Chart {
  ImVec2 low, high;
  double most_at = 1, most_warps = 1;
  ImVec2 at(double x, double warps) const {
    return {low.x + static_cast<float>(x / most_at) * (high.x - low.x),
            high.y - static_cast<float>(warps / most_warps) * (high.y - low.y)};
  }
};

std::string value_text(OccupancyAxis axis, std::int64_t value) {
  return axis == OccupancyAxis::shared_memory ? format_value(static_cast<double>(value), "B")
                                              : grouped(value);
}

std::string point_text(const OccupancyCurve& curve, const OccupancyPoint& point) {
  const double ratio = static_cast<double>(point.warps) / static_cast<double>(curve.most_warps);
  return value_text(curve.axis, point.at) + ": " + grouped(point.blocks) +
         (point.blocks == 1 ? " block, " : " blocks, ") + grouped(point.warps) + " of " +
         grouped(curve.most_warps) + " warps (" + format_value(ratio, "ratio") + "), limited by " +
         to_text(point.limit);
}

// Quarters of the warps that a multiprocessor holds, and the numbers at the ends of both axes.
void draw_frame(const Style& style, const Chart& chart, const OccupancyCurve& curve) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  constexpr int kQuarters = 4;
  for (int i = 0; i <= kQuarters; ++i) {
    const float y = chart.at(0, curve.most_warps * i / static_cast<double>(kQuarters)).y;
    list->AddLine({chart.low.x, y}, {chart.high.x, y},
                  i == 0 ? style.colours.axis : style.colours.grid);
  }
  const float gap = style.unit(0.5f), line = ImGui::GetTextLineHeight();
  const auto right_of = [&](float x, float y, const std::string& words) {
    list->AddText({x - ImGui::CalcTextSize(words.c_str()).x, y}, style.colours.muted,
                  words.c_str());
  };
  right_of(chart.low.x - gap, chart.low.y - line / 2, grouped(curve.most_warps));
  right_of(chart.low.x - gap, chart.high.y - line / 2, "0");
  right_of(chart.high.x, chart.high.y + gap / 2, value_text(curve.axis, curve.most_at));
}

void draw_steps(const Style& style, const Chart& chart, const OccupancyCurve& curve) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = std::max(1.5f, style.unit(0.25f));
  // A value holds from the one before it on: 65 registers take what 72 take.
  double from = 0;
  ImVec2 last = chart.at(0, 0);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const auto& point = curve.points[i];
    const ImVec2 a = chart.at(from, static_cast<double>(point.warps)),
                 b = chart.at(static_cast<double>(point.at), static_cast<double>(point.warps));
    if (i > 0) list->AddLine(last, a, style.colours.accent, width);
    list->AddLine(a, b, style.colours.accent, width);
    last = b;
    from = static_cast<double>(point.at);
  }
  // Beyond its end the launch fails.
  if (last.x + 1 < chart.high.x)
    list->AddRectFilled({last.x, chart.low.y}, chart.high, style.colours.tint);
}

void draw_here(const Style& style, const Chart& chart, const OccupancyCurve& curve,
               std::optional<double> achieved) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (achieved) {
    const ImVec2 a = chart.at(0, *achieved * static_cast<double>(curve.most_warps));
    list->AddLine(a, {chart.high.x, a.y}, style.colours.good, std::max(1.0f, style.unit(0.125f)));
  }
  const ImVec2 here =
      chart.at(static_cast<double>(curve.here.at), static_cast<double>(curve.here.warps));
  list->AddLine({here.x, chart.high.y}, here, style.colours.text);
  list->AddCircleFilled(here, style.unit(0.625f), style.colours.text);
}

// What the pointer is at, in words.
void explain_curve(const Style& style, const Chart& chart, const OccupancyCurve& curve) {
  if (curve.points.empty() || !ImGui::IsItemHovered()) return;
  const float mouse = ImGui::GetIO().MousePos.x;
  const double value = std::clamp(
      static_cast<double>((mouse - chart.low.x) / (chart.high.x - chart.low.x)) * chart.most_at,
      0.0, chart.most_at);
  const auto found =
      std::find_if(curve.points.begin(), curve.points.end(),
                   [&](const OccupancyPoint& p) { return static_cast<double>(p.at) >= value; });
  if (found == curve.points.end())
    return ImGui::SetTooltip("%s, more than %s: the launch fails.", to_text(curve.axis),
                             value_text(curve.axis, curve.points.back().at).c_str());
  const ImVec2 at = chart.at(static_cast<double>(found->at), static_cast<double>(found->warps));
  ImGui::GetWindowDrawList()->AddCircle(at, style.unit(0.625f), style.colours.text);
  ImGui::SetTooltip("%s, %s\nnow: %s", to_text(curve.axis), point_text(curve, *found).c_str(),
                    point_text(curve, curve.here).c_str());
}

// "shared memory per block: 0 B"; without "per block" where that has no room.
std::string title_of(const OccupancyCurve& curve, float width) {
  const std::string value = ": " + value_text(curve.axis, curve.here.at);
  const std::string name = to_text(curve.axis);
  const bool fits = ImGui::CalcTextSize((name + value).c_str()).x <= width;
  return name.substr(0, fits ? name.npos : name.find(" per ")) + value;
}

void draw_chart(const Style& style, const OccupancyCurve& curve, std::optional<double> achieved,
                ImVec2 size) {
  const float line = ImGui::GetTextLineHeight(), gap = style.unit(0.5f);
  ImGui::BeginGroup();
  draw_fitting_text(title_of(curve, size.x), size.x);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::Dummy({size.x, size.y - ImGui::GetTextLineHeightWithSpacing()});
  const ImVec2 end = ImGui::GetItemRectMax();
  const float left = ImGui::CalcTextSize(grouped(curve.most_warps).c_str()).x + gap;
  const Chart chart{{at.x + left, at.y + line / 2},
                    {end.x - gap, end.y - line - gap / 2},
                    static_cast<double>(curve.most_at),
                    static_cast<double>(curve.most_warps)};
  draw_frame(style, chart, curve);
  draw_steps(style, chart, curve);
  draw_here(style, chart, curve, achieved);
  explain_curve(style, chart, curve);
  ImGui::EndGroup();
}

}  // namespace

float curves_height(const Style& style, float room) {
  return std::clamp(room, style.unit(13), style.unit(24));
}

void draw_occupancy_curves(const Style& style, const KernelResources& resources,
                           const Launch& launch, const DeviceLimits& device,
                           std::optional<double> achieved, float height) {
  const float gap = style.unit(2),
              width =
                  (ImGui::GetContentRegionAvail().x - (kOccupancyAxes - 1) * gap) / kOccupancyAxes;
  for (int i = 0; i < kOccupancyAxes; ++i) {
    const auto curve = occupancy_curve(resources, launch, device, static_cast<OccupancyAxis>(i));
    if (!curve) return;
    if (i > 0) ImGui::SameLine(0, gap);
    draw_chart(style, *curve, achieved, {width, height});
  }
}

}  // namespace warpscope
