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

void compare_segment(const MemoryPath& path, const MemoryBuffer& b, const LineSegment& segment,
                     std::uint32_t changed) {
  SharedShadow& shadow = path.worker().shadow;
  const bool strong = strength_of(path.i, path.intent) != AccessStrength::weak;
  const auto index = static_cast<int>(path.warp.index);
  const auto note = [&](SharedFinding finding) {
    if (finding == SharedFinding::none) return;
    const int found = shadow.story().element;
    const std::uint64_t line = segment.line & ((1ull << kBufferShift) - 1);
    const std::uint64_t at =
        line * kLineElements + static_cast<std::uint64_t>(segment.first + found);
    note_global_finding(path.warp, path.i, finding, segment.lane + (found >> segment.shift), b,
                        static_cast<std::int64_t>(at * element_of(b)), path.intent);
  };
  // What an update reads, it writes.
  if (path.intent == AccessIntent::read) {
    note(shadow.read_line(index, path.warp.sync_count, segment));
  }
  if (path.intent != AccessIntent::read) {
    note(shadow.write_line(index, path.warp.sync_count, segment, strong, 0, changed));
  }
}

// Elements of a segment of a row whose values a store changes.
std::uint32_t changed_in(const MemoryPath& path, const LineSegment& segment) {
  if (path.intent != AccessIntent::write || path.access.changed == nullptr) return ~0u;
  std::uint32_t changed = 0;
  const int each = 1 << segment.shift, lanes = std::max(segment.count >> segment.shift, 1);
  for (int k = 0; k < lanes; ++k) {
    const std::uint32_t bytes =
        path.access.changed_bytes(path.warp, path.i, segment.lane + k, path.width);
    changed |= (changed_elements(bytes, path.width, each) & ((1u << each) - 1)) << (k * each);
  }
  return changed;
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

void compare_threads(const MemoryPath& path, const MemoryBuffer& b, std::uint32_t lanes) {
  if (static_cast<std::uint64_t>(path.width) < element_of(b)) return;
  const bool weak = strength_of(path.i, path.intent) == AccessStrength::weak;
  SharedShadow& shadow = path.worker().shadow;
  const auto index = static_cast<int>(path.warp.index);
  const std::uint64_t* const a = path.access.address;
  if (!weak && path.intent != AccessIntent::write) shadow.clocks.learn_from_fences(index);
  if (path.access.contiguous && lanes == kAllLanes) {
    for_lines(b, a[0] - b.address, path.width, [&](const LineSegment& segment) {
      const bool writes = path.intent != AccessIntent::read;
      if (!shadow.take_line(index, path.warp.sync_count, segment, writes, !weak)) {
        compare_segment(path, b, segment, changed_in(path, segment));
      }
      return true;
    });
    return;
  }
  if (path.access.same_value != nullptr && weak &&
      store_together(path.warp, path.i, path.access, lanes, path.width, path.element, &b)) {
    return;
  }
  int before = -1, repeats = 0;
  for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    // If several lanes load one word, the first two stand for all.
    repeats = before >= 0 && a[before] == a[lane] ? repeats + 1 : 0;
    before = lane;
    if (path.intent == AccessIntent::read && repeats > 1) continue;
    const LineSegment segment = segment_of(b, a[lane] - b.address, path.width, lane);
    const std::uint32_t changed =
        path.intent == AccessIntent::write
            ? path.access.changed_bytes(path.warp, path.i, lane, path.width)
            : ~0u;
    compare_segment(path, b, segment, changed_elements(changed, path.width, segment.count));
  }
}

}  // namespace warpscope
