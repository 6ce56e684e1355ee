// profiling/emulator/memory/thread_races.cpp: threads of one block that use one word of global
// memory.
#include <algorithm>
#include <bit>

#include "profiling/emulator/memory/memory_path.h"

// Compared are buffers that the kernel may write, by elements of at most four bytes; accesses that
// are narrower are not looked at.

namespace warpscope {
namespace {

constexpr std::uint64_t kLineElements = 32;
constexpr int kBufferShift = 40;

std::uint64_t element_of(const MemoryBuffer& buffer) {
  return static_cast<std::uint64_t>(std::min<std::int64_t>(4, element_bytes(buffer.spec.type)));
}

// Where `count` elements of a buffer are in the line of the first; as many as it has.
LineSegment segment_from(const MemoryBuffer& buffer, std::uint64_t first, std::uint64_t count) {
  LineSegment segment;
  segment.line = std::uint64_t{buffer.index} << kBufferShift | first / kLineElements;
  segment.first = static_cast<int>(first % kLineElements);
  segment.count = static_cast<int>(std::min(count, kLineElements - first % kLineElements));
  return segment;
}

// Calls function(segment) for each line of a row of 32 lanes, until it gives false.
template <typename F>
bool for_lines(const MemoryBuffer& buffer, std::uint64_t offset, int width, F function) {
  const std::uint64_t element = element_of(buffer);
  const std::uint64_t each = static_cast<std::uint64_t>(width) / element, all = each * kWarpLanes;
  for (std::uint64_t done = 0; done < all;) {
    LineSegment segment = segment_from(buffer, offset / element + done, all - done);
    segment.lane = static_cast<int>(done / each);
    segment.shift = std::countr_zero(each);
    if (!function(segment)) return false;
    done += static_cast<std::uint64_t>(segment.count);
  }
  return true;
}

}  // namespace

LineSegment segment_of(const MemoryBuffer& buffer, std::uint64_t offset, int width, int lane) {
  const std::uint64_t element = element_of(buffer);
  LineSegment segment =
      segment_from(buffer, offset / element, static_cast<std::uint64_t>(width) / element);
  segment.lane = lane;
  return segment;
}

std::uint32_t changed_elements(std::uint32_t bytes, int width, int count) {
  if (bytes == ~0u || count == 0) return ~0u;
  const int each = width / count;
  std::uint32_t elements = 0;
  for (int k = 0; k < count; ++k) {
    if ((bytes >> (k * each) & ((1u << each) - 1)) != 0) elements |= 1u << k;
  }
  return elements;
}

bool take_row(Warp& warp, const MemoryBuffer& buffer, std::uint64_t offset, int width,
              bool writes) {
  SharedShadow& shadow = warp.worker->shadow;
  const auto index = static_cast<int>(warp.index);
  return for_lines(buffer, offset, width, [&](const LineSegment& segment) {
    return shadow.take_line(index, warp.sync_count, segment, writes, false);
  });
}

void MemoryPath::compare_segment(const MemoryBuffer& b, const LineSegment& segment,
                                 std::uint32_t changed) const {
  SharedShadow& shadow = worker().shadow;
  const bool strong = strength_of(i, intent) != AccessStrength::weak;
  const auto index = static_cast<int>(warp.index);
  const auto note = [&](SharedFinding finding) {
    if (finding == SharedFinding::none) return;
    const int found = shadow.found_element();
    const std::uint64_t line = segment.line & ((1ull << kBufferShift) - 1);
    const std::uint64_t at =
        line * kLineElements + static_cast<std::uint64_t>(segment.first + found);
    note_global_finding(warp, i, finding, segment.lane + (found >> segment.shift), b,
                        static_cast<std::int64_t>(at * element_of(b)), intent);
  };
  // What an update reads, it writes.
  if (intent == AccessIntent::read) {
    note(shadow.read_line(index, warp.sync_count, segment));
  }
  if (intent != AccessIntent::read) {
    note(shadow.write_line(index, warp.sync_count, segment, strong, 0, changed));
  }
}

// Elements of a segment of a row whose values a store changes.
std::uint32_t MemoryPath::changed_in(const LineSegment& segment) const {
  if (intent != AccessIntent::write || access.changed == nullptr) return ~0u;
  std::uint32_t changed = 0;
  const int each = 1 << segment.shift, lanes = std::max(segment.count >> segment.shift, 1);
  for (int k = 0; k < lanes; ++k) {
    const std::uint32_t bytes = access.changed_bytes(warp, i, segment.lane + k, width);
    changed |= (changed_elements(bytes, width, each) & ((1u << each) - 1)) << (k * each);
  }
  return changed;
}

void MemoryPath::compare_threads(const MemoryBuffer& b, std::uint32_t lanes) const {
  if (static_cast<std::uint64_t>(width) < element_of(b)) return;
  const bool weak = strength_of(i, intent) == AccessStrength::weak;
  SharedShadow& shadow = worker().shadow;
  const auto index = static_cast<int>(warp.index);
  const std::uint64_t* const a = access.address;
  if (!weak && intent != AccessIntent::write) shadow.learn_from_fences(index);
  if (access.contiguous && lanes == kAllLanes) {
    for_lines(b, a[0] - b.address, width, [&](const LineSegment& segment) {
      const bool writes = intent != AccessIntent::read;
      if (!shadow.take_line(index, warp.sync_count, segment, writes, !weak)) {
        compare_segment(b, segment, changed_in(segment));
      }
      return true;
    });
    return;
  }
  if (access.same_value != nullptr && weak &&
      store_together(warp, i, access, lanes, width, element, &b)) {
    return;
  }
  int before = -1, repeats = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    // Of lanes that load one word the first two stand for all.
    repeats = before >= 0 && a[before] == a[lane] ? repeats + 1 : 0;
    before = lane;
    if (intent == AccessIntent::read && repeats > 1) continue;
    const LineSegment segment = segment_of(b, a[lane] - b.address, width, lane);
    const std::uint32_t changed =
        intent == AccessIntent::write ? access.changed_bytes(warp, i, lane, width) : ~0u;
    compare_segment(b, segment, changed_elements(changed, width, segment.count));
  }
}

}  // namespace warpscope
