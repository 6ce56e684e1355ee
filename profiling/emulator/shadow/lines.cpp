// profiling/emulator/shadow/lines.cpp: records of global memory, by lines of 32 elements.
#include "profiling/emulator/shadow/lines.h"

#include <algorithm>

namespace warpscope {
namespace {

// As much of the global memory that a block uses is compared: 2 million elements, and 131 072 of
// those that are not used in whole rows, in 5 MiB each.
constexpr std::size_t kMostLines = std::size_t{1} << 16, kMostLineRecords = std::size_t{1} << 17;

std::size_t hash_of_line(std::uint64_t number) {
  return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15ull >> 32);
}

}  // namespace

void ShadowLines::clear() {
  if (!lines_.empty()) std::fill(table_.begin(), table_.end(), 0);
  lines_.clear();
  records_.clear();
}

void ShadowLines::grow() {
  table_.assign(std::max<std::size_t>(2 * table_.size(), 64), 0);
  const std::size_t mask = table_.size() - 1;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    std::size_t at = hash_of_line(lines_[k].number) & mask;
    while (table_[at] != 0) at = (at + 1) & mask;
    table_[at] = static_cast<std::uint32_t>(k) + 1;
  }
}

ShadowLines::Line* ShadowLines::at(std::uint64_t number) {
  if (2 * lines_.size() >= table_.size()) grow();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of_line(number) & mask;
  for (; table_[at] != 0; at = (at + 1) & mask) {
    Line& line = lines_[table_[at] - 1];
    if (line.number == number) return &line;
  }
  if (lines_.size() == kMostLines) return nullptr;
  Line& line = lines_.emplace_back();
  line.number = number;
  line.row.initialised = kAllBytes;  // the buffer knows better
  table_[at] = static_cast<std::uint32_t>(lines_.size());
  return &line;
}

ShadowRecord* ShadowLines::records_of(Line& line) {
  if (line.records == 0) {
    if (records_.size() == kMostLineRecords) return nullptr;
    line.records = static_cast<std::uint32_t>(records_.size()) + 1;
    for (int k = 0; k < elements; ++k) {
      ShadowRecord& r = records_.emplace_back(line.row);
      const auto lane = [k](const LaneRow& row) {
        return static_cast<std::uint32_t>(row.lane + (k >> row.shift));
      };
      if (r.write != 0) r.write |= lane(line.written);
      if (r.read != 0) r.read |= lane(line.read);
    }
  }
  return &records_[line.records - 1];
}

}  // namespace warpscope
