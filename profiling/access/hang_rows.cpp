// profiling/access/hang_rows.cpp: the story of a hang as a table: warps down, source lines across.
#include "profiling/access/hang_rows.h"

#include <algorithm>

#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

bool same_line(const SourcePosition& a, const SourcePosition& b) {
  return a.line == b.line && a.file == b.file;
}

HangRow& row_of(HangTable& table, std::int64_t block, const std::vector<int>& warps,
                std::uint32_t lanes) {
  for (HangRow& row : table.rows) {
    if (row.block == block && row.warps == warps && row.lanes == lanes) return row;
  }
  return table.rows.emplace_back(HangRow{block, warps, lanes, {}});
}

void add_cell(HangTable& table, HangRow& row, HangCell cell) {
  if (cell.position.line == 0) return;
  const auto there = std::any_of(row.cells.begin(), row.cells.end(), [&](const HangCell& c) {
    return c.state == cell.state && same_line(c.position, cell.position);
  });
  if (!there) row.cells.push_back(cell);
  const auto known =
      std::any_of(table.lines.begin(), table.lines.end(),
                  [&](const SourcePosition& p) { return same_line(p, cell.position); });
  if (!known) table.lines.push_back(cell.position);
}

// Where the absent ones should have come: of a flag, the line that stores to it.
SourcePosition goal_of(const WaitingWarps& wait, const AbsentWarps& absent) {
  if (wait.kind != WaitKind::flag) return wait.position;
  for (const PossibleStore& store : wait.stores) {
    if (store.block == absent.block) return store.position;
  }
  for (const PossibleStore& store : wait.stores) {
    if (store.block == kStoreNotKnown) return store.position;
  }
  return wait.position;
}

}  // namespace

const char* to_text(HangState state) { return named(state, {"waits", "ended", "never came"}); }

HangTable hang_table(const HangStory& story) {
  HangTable table;
  for (std::size_t k = 0; k < story.waits.size(); ++k) {
    const WaitingWarps& wait = story.waits[k];
    const int index = static_cast<int>(k);
    add_cell(table, row_of(table, wait.block, wait.warps, 0),
             {wait.position, HangState::waits, index});
  }
  for (std::size_t k = 0; k < story.waits.size(); ++k) {
    const WaitingWarps& wait = story.waits[k];
    for (const AbsentWarps& absent : wait.absent) {
      HangRow& row = row_of(table, absent.block, absent.warps, absent.lanes);
      const SourcePosition goal = goal_of(wait, absent);
      const bool left_elsewhere = !absent.ended || !same_line(absent.position, goal);
      if (left_elsewhere) {
        add_cell(
            table, row,
            {absent.position, absent.ended ? HangState::ended : HangState::waits, absent.wait});
      }
      add_cell(table, row, {goal, HangState::never_came, static_cast<int>(k)});
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const HangRow& a, const HangRow& b) { return a.block < b.block; });
  std::sort(table.lines.begin(), table.lines.end(),
            [](const SourcePosition& a, const SourcePosition& b) {
              return a.file != b.file ? a.file < b.file : a.line < b.line;
            });
  return table;
}

}  // namespace warpscope
