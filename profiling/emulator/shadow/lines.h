// profiling/emulator/shadow/lines.h: records of global memory, by lines of 32 elements.
#pragma once

#include <cstdint>
#include <vector>

#include "profiling/emulator/shadow/record.h"

namespace warpscope {

class ShadowLines {
 public:
  static constexpr int elements = 32;  // of a line

  // Which lane uses which element of a line.
  struct LaneRow {
    std::uint8_t lane = 0, shift = 0;
    bool operator==(const LaneRow&) const = default;
  };
  // As long as whole rows of lanes use the elements, `row` stands for all.
  struct Line {
    std::uint64_t number = 0;
    ShadowRecord row;
    LaneRow written, read;
    std::uint32_t records = 0;  // 1 + the first of 32 in records_; 0: `row`
  };

  void clear();
  // Made at its first use. Null: the block has used more of them than are compared.
  Line* at(std::uint64_t number);
  // The 32 records of a line; null as above.
  ShadowRecord* records_of(Line& line);

 private:
  void grow();

  std::vector<Line> lines_;           // of the block, by their first use
  std::vector<std::uint32_t> table_;  // 1 + index in lines_, by a hash of the number; 0: none
  std::vector<ShadowRecord> records_;
};

}  // namespace warpscope
