// workbench/panels/variants/ladder_groups.h: the rows of Variants in groups, of which some fold.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workbench/panels/variants/ladder.h"

namespace warpscope {

// Rows of one family, in the ladder's order.
struct LadderGroup {
  VariantGroup of;
  std::vector<TableRow> rows;    // in view
  std::size_t folded = 0;        // how many more there are
  double shortest_ns = kNoTime;  // the least time among those; kNoTime: none has one
};

// Groups in the order in which their families come first. In view are what the scene says, the
// focus, the baseline and what is pinned; of an open family, and with `every`, all rows.
std::vector<LadderGroup> ladder_groups(const PanelContext& context, const Selection& selection,
                                       const std::vector<LadderRow>& ladder,
                                       const std::vector<TableRow>& rows,
                                       const std::set<std::string>& open, bool every);

// The head of a group, in a row of the table; a click opens or folds the group. `unit_ns`: a time
// whose unit the head's time has.
void draw_ladder_group_head(const Selection& selection, const Style& style,
                            const LadderGroup& group, double unit_ns, std::set<std::string>& open);

}  // namespace warpscope
