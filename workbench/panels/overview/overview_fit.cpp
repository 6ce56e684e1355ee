// workbench/panels/overview/overview_fit.cpp: the order of Overview's parts, so that its chart is
// seen whole.
#include "workbench/panels/overview/overview_fit.h"

namespace warpscope {

OverviewOrder overview_order(const OverviewHeights& heights) {
  if (heights.sentences <= 0) return OverviewOrder::reading;
  const float least = heights.sentences + heights.chart;
  if (heights.story + heights.note + least <= heights.room) return OverviewOrder::reading;
  if (heights.note + least <= heights.room) return OverviewOrder::without_story;
  if (least <= heights.room) return OverviewOrder::without_note;
  return heights.limit + heights.chart <= heights.room + heights.title - heights.quiet
             ? OverviewOrder::chart_early
             : OverviewOrder::chart_first;
}

}  // namespace warpscope
