// tests/emulator/cost_test.cpp: closed forms of costs equal the rules of profiling/access/access.h.
#include "profiling/emulator/memory/cost.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

namespace warpscope {

// What a failed comparison prints.
static void PrintTo(const AccessTotals& t, std::ostream* out) {
  *out << "requests " << t.requests << " lanes " << t.lanes << " lane bytes " << t.lane_bytes
       << " unique bytes " << t.unique_bytes << " sectors " << t.sectors << " ideal "
       << t.ideal_sectors << " lines " << t.lines << " wavefronts " << t.wavefronts << " ideal "
       << t.ideal_wavefronts << " worst " << t.worst_ways;
}

namespace {

using enum AccessKind;

WarpRequest request_of(const std::function<std::uint64_t(int)>& address) {
  WarpRequest r;
  r.active = kAllLanes;
  for (int lane = 0; lane < kWarpLanes; ++lane)
    r.addresses[static_cast<std::size_t>(lane)] = address(lane);
  return r;
}

TEST(Cost, OfContiguousLanesIsThatOfTheAnalysis) {
  for (int width = 1; width <= 16; width *= 2) {
    for (int offset = 0; offset < 128; offset += width) {
      const auto first = static_cast<std::uint64_t>(offset);
      const WarpRequest r =
          request_of([&](int lane) { return first + static_cast<std::uint64_t>(lane * width); });
      AccessTotals in_global, in_shared;
      add_contiguous_global(in_global, first, width);
      add_contiguous_shared(in_shared, first, width);
      EXPECT_EQ(in_global, global_cost(r, width, load)) << width << " at " << offset;
      EXPECT_EQ(in_shared, shared_cost(r, width, load)) << width << " at " << offset;
    }
  }
}

TEST(Cost, OfLoadsOfOneAddressIsThatOfTheAnalysis) {
  for (int width = 1; width <= 16; width *= 2) {
    for (int offset = 0; offset < 128; offset += width) {
      const WarpRequest r = request_of([&](int) { return static_cast<std::uint64_t>(offset); });
      AccessTotals added;
      add_broadcast_global(added, width);
      EXPECT_EQ(added, global_cost(r, width, load)) << width << " at " << offset;
    }
  }
}

}  // namespace
}  // namespace warpscope
