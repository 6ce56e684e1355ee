// workbench/panels/roofline/roofline_step.cpp: where the chosen step of the focus stands below the
// roofs.
#include "workbench/panels/roofline/roofline_step.h"

#include <algorithm>

#include "profiling/steps/step_rows.h"

namespace warpscope {

std::optional<StepStanding> step_standing(const VariantStanding& focus, const std::string& step) {
  if (step.empty() || focus.point == nullptr) return std::nullopt;
  const auto runs = std::count_if(focus.point->steps.begin(), focus.point->steps.end(),
                                  [](const StepRecord& s) { return s.phase == Phase::run; });
  const auto chosen =
      std::find_if(focus.point->steps.begin(), focus.point->steps.end(),
                   [&](const StepRecord& s) { return s.name == step && s.phase == Phase::run; });
  if (runs < 2 || chosen == focus.point->steps.end()) return std::nullopt;
  Measurement alone = *focus.point;
  alone.steps = {*chosen};
  const RoofSet none;
  const RoofSet& roofs = focus.join.roofs != nullptr ? *focus.join.roofs : none;
  const std::vector<StepRow> rows = step_rows(alone, roofs, StepGroups::each);
  if (rows.empty() || !rows.front().standing || !rows.front().time_ns) return std::nullopt;
  StepStanding found{step, *rows.front().time_ns, *rows.front().standing};
  std::erase_if(found.standing.points, [](const RooflinePoint& p) { return p.intensity <= 0; });
  return found.standing.points.empty() ? std::nullopt : std::optional(std::move(found));
}

void draw_step(const PlotArea& area, const Style& style, const VariantStanding& focus,
               const StepStanding& step, TakenPlaces& taken) {
  const ImU32 colour = variant_colour(style, focus.index);
  const float half = style.unit(0.7f);
  for (const RooflinePoint& p : step.standing.points) {
    const ImVec2 at = area.at(p.intensity, p.rate);
    area.list->AddRect({at.x - half, at.y - half}, {at.x + half, at.y + half}, colour, 0,
                       style.unit(0.2f));
    taken.points.push_back(box_at(at.x - half, at.y - half, 2 * half, 2 * half));
  }
  const RooflinePoint& first = step.standing.points.front();
  const ImVec2 at = area.at(first.intensity, first.rate);
  const std::string text =
      "step " + step.name + ", " + format_value(step.time_ns, "ns") +
      (step.standing.binding ? ": " + format_value(step.standing.binding_ratio, "ratio") + " of " +
                                   step.standing.binding_name
                             : "");
  const ImVec2 extent = ImGui::CalcTextSize(text.c_str());
  const float x =
      std::clamp(at.x + style.unit(1.2f), area.low.x, std::max(area.low.x, area.high.x - extent.x));
  std::vector<Box> places;
  for (int lower = 0; lower < 12; ++lower) {
    const float y = at.y - extent.y / 2 + static_cast<float>(lower) * extent.y * 0.75f;
    if (y + extent.y <= area.high.y) places.push_back(box_at(x, y, extent.x, extent.y));
  }
  const Box* box = taken.choose(places);
  if (box == nullptr) return;
  area.list->AddRectFilled({box->x0 - 2, box->y0}, {box->x1 + 2, box->y1},
                           faded(style.colours.panel, 0.8f));
  area.list->AddText({box->x0, box->y0}, colour, text.c_str());
  taken.texts.push_back(*box);
}

}  // namespace warpscope
