// profiling/access/hang_rows.cpp: the story of a hang as a table: warps down, places across.
#include "profiling/access/hang_rows.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "scenes/host/enumerators.h"

namespace warpscope {
namespace {

HangRow& row_of(HangTable& table, std::int64_t block, const std::vector<int>& warps,
                std::uint32_t lanes) {
  for (HangRow& row : table.rows) {
    if (row.block == block && row.warps == warps && row.lanes == lanes) return row;
  }
  return table.rows.emplace_back(HangRow{block, warps, lanes, {}});
}

void add_cell(HangTable& table, HangRow& row, const HangPlace& place, HangState state, int wait) {
  if (place.position.line == 0) return;
  const auto known = std::find(table.places.begin(), table.places.end(), place);
  const auto index = static_cast<std::size_t>(known - table.places.begin());
  if (known == table.places.end()) table.places.push_back(place);
  const bool there = std::any_of(row.cells.begin(), row.cells.end(), [&](const HangCell& c) {
    return c.state == state && c.place == index;
  });
  if (!there) row.cells.push_back({index, state, wait});
}

HangPlace place_of(const WaitingWarps& wait) { return {wait.position, wait.object}; }

// Where the absent ones should have come: of a flag, the line that stores to it.
HangPlace goal_of(const WaitingWarps& wait, const AbsentWarps& absent) {
  if (wait.kind != WaitKind::flag) return place_of(wait);
  for (const PossibleStore& store : wait.stores) {
    if (store.block == absent.block) return {store.position, {}};
  }
  return place_of(wait);
}

// Columns by line, whose places cells name.
void sort_places(HangTable& table) {
  std::vector<std::size_t> order(table.places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const HangPlace &x = table.places[a], &y = table.places[b];
    return std::tie(x.position.file, x.position.line, x.object) <
           std::tie(y.position.file, y.position.line, y.object);
  });
  std::vector<HangPlace> sorted;
  std::vector<std::size_t> moved(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    moved[order[k]] = k;
    sorted.push_back(table.places[order[k]]);
  }
  table.places = std::move(sorted);
  for (HangRow& row : table.rows) {
    for (HangCell& cell : row.cells) cell.place = moved[cell.place];
  }
}

}  // namespace

const char* to_text(HangState state) { return named(state, {"waits", "ended", "never came"}); }

HangTable hang_table(const HangStory& story) {
  HangTable table;
  for (std::size_t k = 0; k < story.waits.size(); ++k) {
    const WaitingWarps& wait = story.waits[k];
    add_cell(table, row_of(table, wait.block, wait.warps, 0), place_of(wait), HangState::waits,
             static_cast<int>(k));
  }
  for (std::size_t k = 0; k < story.waits.size(); ++k) {
    const WaitingWarps& wait = story.waits[k];
    for (const AbsentWarps& absent : wait.absent) {
      HangRow& row = row_of(table, absent.block, absent.warps, absent.lanes);
      const HangPlace goal = goal_of(wait, absent);
      HangPlace here{absent.position, {}};
      if (absent.wait >= 0) here = place_of(story.waits[static_cast<std::size_t>(absent.wait)]);
      if (here != goal) {
        add_cell(table, row, here, absent.ended ? HangState::ended : HangState::waits, absent.wait);
      }
      add_cell(table, row, goal, HangState::never_came, static_cast<int>(k));
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const HangRow& a, const HangRow& b) { return a.block < b.block; });
  sort_places(table);
  return table;
}

}  // namespace warpscope
