// profiling/access/hang_rows.h: the story of a hang as a table: warps down, places across.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/hang_story.h"

namespace warpscope {

enum class HangState { waits, ended, never_came };
const char* to_text(HangState state);  // "never came"

// A line, and what is waited for there: two barriers in one function are two places.
struct HangPlace {
  SourcePosition position;
  std::string object;  // "full[1]"; empty: nothing is waited for
  bool operator==(const HangPlace&) const = default;
};

struct HangCell {
  std::size_t place = 0;  // in HangTable::places
  HangState state = HangState::waits;
  int wait = -1;  // the row of HangStory::waits that it belongs to
};

struct HangRow {
  std::int64_t block = 0;
  std::vector<int> warps;   // empty: which of the block's is not known
  std::uint32_t lanes = 0;  // of a single warp where it is about some lanes; 0: all
  std::vector<HangCell> cells;
};

struct HangTable {
  std::vector<HangPlace> places;  // by file, line and object, each once
  std::vector<HangRow> rows;      // by block, in the order of the story
};
HangTable hang_table(const HangStory& story);

}  // namespace warpscope
