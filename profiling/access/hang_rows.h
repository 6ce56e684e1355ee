// profiling/access/hang_rows.h: the story of a hang as a table: warps down, source lines across.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/access/hang_story.h"

namespace warpscope {

enum class HangState { waits, ended, never_came };
const char* to_text(HangState state);  // "never came"

struct HangCell {
  SourcePosition position;
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
  std::vector<SourcePosition> lines;  // by file and line, each once
  std::vector<HangRow> rows;          // by block, in the order of the story
};
HangTable hang_table(const HangStory& story);

}  // namespace warpscope
