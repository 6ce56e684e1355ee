// workbench/panels/figures/metric_groups.h: the rows of Metrics in groups whose details fold.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workbench/panels/figures/metric_lines.h"
#include "workbench/panels/stalls/stall_bars.h"

namespace warpscope {

// Whether a metric stands in view while its group is folded: rates, bytes of DRAM, hit rates,
// occupancy and their like. Others are details.
bool is_chief(std::string_view id);

// A line of the table: a row, the head above a group's rows, or a bar above the stall reasons.
struct GroupedRow {
  const TableRow* row = nullptr;        // null: the head, or a bar
  std::string group;                    // of a head
  std::size_t details = 0;              // of a head: how many rows fold
  std::optional<std::size_t> bar = {};  // which one; after the last one: the legend
};
// `open`: groups whose details are shown. `every`: all are, and `heads`: heads stand among them;
// rows that a person sorts have none.
std::vector<GroupedRow> grouped(const std::vector<TableRow>& rows,
                                const std::vector<MetricLine>& lines,
                                const std::set<std::string>& open, bool every, bool heads);

// The head of a group; a click folds or opens it.
void draw_group_head(const Style& style, const GroupedRow& head, bool every,
                     std::set<std::string>& open);

// So many bars and their legend above the first stall reason among the rows; starred rows have
// none.
void add_stall_bars(std::vector<GroupedRow>& drawn, const std::vector<MetricLine>& lines,
                    std::size_t bars);

// A bar over all columns, or the legend; a click shows the panel Stalls.
void draw_stall_bar_row(const Style& style, Selection& selection, const std::vector<StallBar>& bars,
                        std::size_t bar);

}  // namespace warpscope
