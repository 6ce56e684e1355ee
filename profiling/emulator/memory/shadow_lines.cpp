// profiling/emulator/memory/shadow_lines.cpp: who of a block wrote and read each element of global
// memory, by lines of 32.
#include <algorithm>

#include "profiling/emulator/state/shadow.h"

namespace warpscope {
namespace {

constexpr std::uint8_t kWholeWord = 15;
constexpr int kLineElements = 32;
// As much of the global memory that a block uses as is compared: 2 million elements, and of those
// that are not used in whole rows 131 072, in 5 MiB each.
constexpr std::size_t kMostLines = std::size_t{1} << 16, kMostLineRecords = std::size_t{1} << 17;

std::size_t hash_of_line(std::uint64_t number) {
  return static_cast<std::size_t>(number * 0x9e3779b97f4a7c15ull >> 32);
}

}  // namespace

void SharedShadow::grow_lines() {
  line_table_.assign(std::max<std::size_t>(2 * line_table_.size(), 64), 0);
  const std::size_t mask = line_table_.size() - 1;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    std::size_t at = hash_of_line(lines_[k].number) & mask;
    while (line_table_[at] != 0) at = (at + 1) & mask;
    line_table_[at] = static_cast<std::uint32_t>(k) + 1;
  }
}

SharedShadow::Line* SharedShadow::line_at(std::uint64_t number) {
  if (2 * lines_.size() >= line_table_.size()) grow_lines();
  const std::size_t mask = line_table_.size() - 1;
  std::size_t at = hash_of_line(number) & mask;
  for (; line_table_[at] != 0; at = (at + 1) & mask) {
    Line& line = lines_[line_table_[at] - 1];
    if (line.number == number) return &line;
  }
  if (lines_.size() == kMostLines) return nullptr;
  Line& line = lines_.emplace_back();
  line.number = number;
  line.row.initialised = kWholeWord;  // the buffer knows better
  line_table_[at] = static_cast<std::uint32_t>(lines_.size());
  return &line;
}

SharedShadow::Record* SharedShadow::records_of(Line& line) {
  if (line.records == 0) {
    if (line_records_.size() == kMostLineRecords) return nullptr;
    line.records = static_cast<std::uint32_t>(line_records_.size()) + 1;
    for (int k = 0; k < kLineElements; ++k) {
      Record& r = line_records_.emplace_back(line.row);
      const auto lane = [k](const LaneRow& row) {
        return static_cast<std::uint32_t>(row.lane + (k >> row.shift));
      };
      if (r.write != 0) r.write |= lane(line.written);
      if (r.read != 0) r.read |= lane(line.read);
    }
  }
  return &line_records_[line.records - 1];
}

bool SharedShadow::take_line(int warp, std::uint32_t sync, const LineSegment& segment, bool writes,
                             bool strong) {
  if (!races_ || segment.count != kLineElements) return false;
  Line* const line = line_at(segment.line);
  if (line == nullptr) return true;
  if (line->records != 0) return false;
  const LaneRow lanes{static_cast<std::uint8_t>(segment.lane),
                      static_cast<std::uint8_t>(segment.shift)};
  Record& r = line->row;
  // All lanes are lane 0 to the record: those of one row are the same threads, of another not.
  const bool excused = (strong || !writes) && (r.flags & kStrongWrite) != 0;
  if (!excused && !knows_write(r, warp, lanes == line->written ? 0 : -1, sync, !writes)) {
    return false;
  }
  const bool beside = is_read_beside(r, warp, lanes == line->read ? 0 : -1, sync);
  if (!writes) {
    if (beside) return false;
    note_read(r, warp, 0, sync);
    r.flags |= kStrongRead;  // see read_line
    line->read = lanes;
    return true;
  }
  if (!strong && (beside || unmet_readers(r, warp) != 0)) return false;
  const std::uint8_t flags = flags_of_write(r, warp, lanes == line->written ? 0 : -1, sync,
                                            strong ? AccessStrength::strong : AccessStrength::weak);
  note_write(r, warp, 0, sync);
  r.flags = flags;
  line->written = lanes;
  return true;
}

template <typename F>
SharedFinding SharedShadow::for_elements(const LineSegment& segment, F function) {
  Line* const line = races_ ? line_at(segment.line) : nullptr;
  Record* const records = line == nullptr ? nullptr : records_of(*line);
  if (records == nullptr) return SharedFinding::none;
  SharedFinding first = SharedFinding::none;
  int warp = 0, lane = 0;  // of the first finding
  for (int k = 0; k < segment.count; ++k) {
    const SharedFinding finding =
        function(records[segment.first + k], segment.lane + (k >> segment.shift), k);
    if (finding == SharedFinding::none || first != SharedFinding::none) continue;
    first = finding;
    found_element_ = k;
    warp = other_warp_;
    lane = other_lane_;
  }
  if (first != SharedFinding::none) {
    other_warp_ = warp;
    other_lane_ = lane;
  }
  return first;
}

// Loads of words that others only update strongly are let be, as between blocks: an early way out
// before an atomicMin.
SharedFinding SharedShadow::read_line(int warp, std::uint32_t sync, const LineSegment& segment) {
  return for_elements(segment, [&](Record& r, int lane, int) {
    return read_record(r, warp, lane, sync, kWholeWord, AccessStrength::strong);
  });
}

SharedFinding SharedShadow::write_line(int warp, std::uint32_t sync, const LineSegment& segment,
                                       bool strong, std::uint32_t together, std::uint32_t changed) {
  const AccessStrength strength = strong ? AccessStrength::strong : AccessStrength::weak;
  return for_elements(segment, [&](Record& r, int lane, int k) {
    return write_record(r, warp, lane, sync, kWholeWord, strength, together,
                        (changed >> k & 1) != 0);
  });
}

}  // namespace warpscope
