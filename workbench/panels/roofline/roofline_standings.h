// workbench/panels/roofline/roofline_standings.h: where the shown variants stand below the measured
// roofs.
#pragma once

#include <string>
#include <vector>

#include "profiling/overview/roof_use.h"
#include "workbench/panels/panels.h"

namespace warpscope {

struct VariantStanding {
  const Variant* variant;
  int index;
  std::string apart;  // why it takes part in no comparison: "measured at n=128"; empty: it does
  const Measurement* point;
  double time_ns;
  RooflineStanding standing;
  RoofJoin join;              // with whose roofs it is compared
  std::string no_dot;         // why it has no place on the plot; empty: it has one
  std::vector<RoofUse> uses;  // by level, with or without arithmetic
};

// The shown variants that have a time and a place below the roofs.
std::vector<VariantStanding> variant_standings(const PanelContext& context,
                                               const Selection& selection);
// The roofs of the device that is shown, where no point in focus says whose they are.
RoofJoin join_of_device(const SessionView& view);
// The scene's own roof that the variant stands below; null: it has none, or it was not measured.
const Roof* own_roof(const PanelContext& context, const VariantStanding& s, const RoofSet& roofs);

}  // namespace warpscope
