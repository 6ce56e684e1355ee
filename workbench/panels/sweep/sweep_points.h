// workbench/panels/sweep/sweep_points.h: which points of a session are on the axes of a sweep.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "profiling/overview/winner_map.h"
#include "workbench/panels/panels.h"

// Points of a sweep have the selection's values, except of the axes that are swept and of those
// that are linked to them. Each point is looked at once: a long session has thousands, of some
// fifteen axes each, and a drag adds to them in every frame.

namespace warpscope {

struct SweepPoint {
  double x = 0, y = 0;
  const Measurement* point = nullptr;
  bool earlier = false;  // measured with an earlier source
};

struct SweepLine {
  const Variant* variant;
  int index;                       // its colour and marker
  std::vector<SweepPoint> points;  // by axis value
  std::string label;               // of the variant, or of the device that the line is of
  bool focus = false;              // it is drawn in front
  std::string device = {};         // the line is of this one; empty: of the one that is shown
};

// What could be a point and is none, and why.
struct LeftOut {
  int failed = 0, lacking = 0;
  int earlier = 0, unchecked = 0;       // which a map leaves out: of an earlier source, unchecked
  std::string why_failed, why_lacking;  // of the first
};

// The shown variants over one axis of numbers, those that have points there.
std::vector<SweepLine> lines_of(const PanelContext& context, const Selection& selection,
                                const Axis& axis, SweepPanel& state, LeftOut& left_out);

// The variant in focus on every device of the session, also on those that have no point there.
std::vector<SweepLine> lines_of_devices(const PanelContext& context, const Selection& selection,
                                        const Axis& axis, SweepPanel& state, LeftOut& left_out);

// The variants that a map compares: those of the league of the one in focus that are shown at any
// place of it.
std::vector<const Variant*> compared_variants(const SessionView& view, const Selection& selection,
                                              std::span<const Axis* const> axes);

// The figures of `variants` over two axes; PlacedFigure::variant is the place in `variants`.
std::vector<PlacedFigure> placed_figures(const PanelContext& context, const Selection& selection,
                                         const std::vector<const Variant*>& variants,
                                         std::span<const Axis* const> axes, SweepPanel& state,
                                         LeftOut& left_out);

}  // namespace warpscope
