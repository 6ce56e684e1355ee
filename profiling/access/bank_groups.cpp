// profiling/access/bank_groups.cpp: lanes that go to the banks of shared memory together.
#include "profiling/access/bank_groups.h"

#include <algorithm>
#include <cstddef>

#include "profiling/access/lane_addresses.h"

namespace warpscope {
namespace {

// Whether every active lane has its address in common with the lane at `distance`.
bool shares_with_neighbour(const WarpRequest& request, int distance) {
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if (((request.active >> lane) & 1U) == 0) continue;
    const int other = lane ^ distance;
    if (((request.active >> other) & 1U) == 0 ||
        request.addresses[static_cast<std::size_t>(lane)] !=
            request.addresses[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

}  // namespace

bool is_matrix(AccessKind kind) {
  return kind == AccessKind::matrix_load || kind == AccessKind::matrix_store;
}

int group_lanes(int width) { return width <= 4 ? 32 : width <= 8 ? 16 : 8; }

int lanes_a_group(const WarpRequest& request, int width, AccessKind kind) {
  const int lanes = group_lanes(width);
  if (width != 16 || is_matrix(kind) || request.active == 0) return lanes;
  const bool paired = shares_with_neighbour(request, 1) || shares_with_neighbour(request, 2) ||
                      all_at_one_address(request);
  return paired ? 2 * lanes : lanes;
}

std::uint32_t group_mask(int lanes, int group) {
  return lanes == warp_lanes ? every_lane : ((1U << lanes) - 1) << (group * lanes);
}

std::array<std::int64_t, shared_banks> words_by_bank(const WarpRequest& request, int width,
                                                     std::uint32_t mask) {
  const SortedBytes s = sorted_bytes(request, width, request.active & mask);
  std::array<std::int64_t, shared_banks> words{};
  std::uint64_t next = 0;
  for (int i = 0; i < s.count; ++i) {
    const ByteInterval& part = s.intervals[static_cast<std::size_t>(i)];
    constexpr auto kWord = static_cast<std::uint64_t>(bank_bytes);
    for (std::uint64_t word = std::max(part.low / kWord, next); word <= part.high / kWord; ++word) {
      ++words[word % shared_banks];
      next = word + 1;
    }
  }
  return words;
}

}  // namespace warpscope
