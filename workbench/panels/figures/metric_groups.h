// workbench/panels/figures/metric_groups.h: the rows of Metrics in groups whose details fold.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workbench/panels/figures/metric_lines.h"

namespace warpscope {

// Whether a metric stands in view while its group is folded: rates, bytes of DRAM, hit rates,
// occupancy and their like. Others are details.
bool is_chief(std::string_view id);

// A line of the table: a row, or the head above a group's rows.
struct GroupedRow {
  const TableRow* row = nullptr;  // null: the head
  std::string group;              // of a head
  std::size_t details = 0;        // of a head: how many rows fold
};
// `open`: groups whose details are shown. `every`: all are, and `heads`: heads stand among them;
// rows that a person sorts have none.
std::vector<GroupedRow> grouped(const std::vector<TableRow>& rows,
                                const std::vector<MetricLine>& lines,
                                const std::set<std::string>& open, bool every, bool heads);

// The head of a group; a click folds or opens it.
void draw_group_head(const Style& style, const GroupedRow& head, bool every,
                     std::set<std::string>& open);

}  // namespace warpscope
