// tests/emulator/cost_test.cpp: costs added up while running are the costs of
// profiling/access/access.h.
#include "profiling/emulator/memory/cost.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <ostream>
#include <random>

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

WarpRequest request_of(std::uint32_t active, const std::function<std::uint64_t(int)>& address) {
  WarpRequest r;
  r.active = active;
  for (int lane = 0; lane < warp_lanes; ++lane) {
    if ((active >> lane & 1U) != 0) r.addresses[static_cast<std::size_t>(lane)] = address(lane);
  }
  return r;
}

AccessTotals added_global(const WarpRequest& r, int width, AccessKind kind) {
  AccessTotals t;
  add_global(t, r.addresses.data(), r.active, width, kind);
  return t;
}

AccessTotals added_shared(const WarpRequest& r, int width, AccessKind kind) {
  AccessTotals t;
  add_shared(t, r.addresses.data(), r.active, width, kind);
  return t;
}

// Requests whose addresses are multiples of the width, as the emulator lets through: strided,
// lanes that share addresses at some distance, few addresses, scattered; masks full and partial.
class Random {
 public:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  WarpRequest request(int width) {
    const auto w = static_cast<std::uint64_t>(width);
    std::uint32_t active = 0xFFFFFFFFU;
    switch (below(6)) {
      case 0:
        active = static_cast<std::uint32_t>(random_());
        break;
      case 1:
        active >>= below(32);
        break;
      case 2:
        active = 0xFFFFU << 16 * below(2);
        break;
      case 3:
        active = 0xFFU << 8 * below(4);
        break;
      default:
        break;
    }
    if (active == 0) active = 1;
    const std::uint64_t base = w * below(64), stride = w * below(40), range = 1 + below(200);
    const std::uint64_t distance = below(2) == 0 ? 1 : 2;
    std::array<std::uint64_t, warp_lanes> scattered;
    for (std::uint64_t& place : scattered) place = w * below(range);
    switch (below(3)) {
      case 0:
        return request_of(
            active, [&](int lane) { return base + stride * static_cast<std::uint64_t>(lane); });
      case 1:  // pairs share, with conflicts between them or not
        return request_of(active, [&](int lane) {
          const std::uint64_t pair = static_cast<std::uint64_t>(lane) & ~distance;
          return range % 2 == 0 ? base + stride * pair : base + scattered[pair];
        });
      default:
        return request_of(
            active, [&](int lane) { return base + scattered[static_cast<std::size_t>(lane)]; });
    }
  }

 private:
  std::mt19937 random_{20};
};

TEST(Cost, OfGlobalRequestsIsThatOfTheAnalysis) {
  Random random;
  for (int i = 0; i < 60000; ++i) {
    const int width = 1 << random.below(5);
    const AccessKind kind = std::array{load, store, atomic, reduction, async_copy}[random.below(5)];
    const WarpRequest r = random.request(width);
    ASSERT_EQ(added_global(r, width, kind), global_cost(r, width, kind))
        << i << ": width " << width << ", " << to_text(kind);
  }
}

TEST(Cost, OfSharedRequestsIsThatOfTheAnalysis) {
  Random random;
  for (int i = 0; i < 60000; ++i) {
    const int width = 1 << random.below(5);
    const AccessKind kind =
        std::array{load, store, atomic, matrix_load, matrix_store}[random.below(5)];
    const WarpRequest r = random.request(width);
    ASSERT_EQ(added_shared(r, width, kind), shared_cost(r, width, kind))
        << i << ": width " << width << ", " << to_text(kind);
  }
}

TEST(Cost, OfContiguousLanesIsThatOfTheAnalysis) {
  for (int width = 1; width <= 16; width *= 2) {
    for (int offset = 0; offset < 128; offset += width) {
      const auto first = static_cast<std::uint64_t>(offset);
      const WarpRequest r = request_of(
          0xFFFFFFFFU, [&](int lane) { return first + static_cast<std::uint64_t>(lane * width); });
      AccessTotals in_global, in_shared;
      add_contiguous_global(in_global, first, width);
      add_contiguous_shared(in_shared, first, width);
      EXPECT_EQ(in_global, global_cost(r, width, load)) << width << " at " << offset;
      EXPECT_EQ(in_shared, shared_cost(r, width, load)) << width << " at " << offset;
    }
  }
}

TEST(Cost, OfSixteenByteNeighboursOnOneAddressGrowsWithTheirBankConflicts) {
  // Sixteen addresses, all in banks 0 to 3: each is a wavefront.
  const WarpRequest conflicting =
      request_of(0xFFFFFFFFU, [](int lane) { return static_cast<std::uint64_t>(lane / 2) * 128; });
  EXPECT_EQ(added_shared(conflicting, 16, load).wavefronts, 16);
  const WarpRequest contiguous =
      request_of(0xFFFFFFFFU, [](int lane) { return static_cast<std::uint64_t>(lane / 2) * 16; });
  EXPECT_EQ(added_shared(contiguous, 16, load).wavefronts, 2);
}

// 32 lanes of 16 bytes fill 16 sectors of shared memory. Read from the middle of a sector on, they
// come from five lines, and four sectors are of two of them each.
TEST(CopiedSectors, CountWhatIsFilledOnceForEveryLineItComesFrom) {
  std::array<std::uint64_t, warp_lanes> from{}, to{};
  for (std::size_t lane = 0; lane < warp_lanes; ++lane)
    from[lane] = 4096 + 16 + 16 * lane, to[lane] = 64 + 16 * lane;
  constexpr std::uint32_t kAll = 0xFFFFFFFFU;
  EXPECT_EQ(distinct_sectors(from.data(), kAll), 17);
  EXPECT_EQ(copied_sectors(from.data(), to.data(), kAll), 16 + 4);
  // Shifted alike, lines and sectors begin together; 17 sectors are touched.
  for (std::uint64_t& address : to) address += 16;
  EXPECT_EQ(copied_sectors(from.data(), to.data(), kAll), 17);
  // From whole sectors of four lines into halves: three sectors are of two lines.
  for (std::uint64_t& address : from) address -= 16;
  EXPECT_EQ(copied_sectors(from.data(), to.data(), kAll), 17 + 3);
  for (std::uint64_t& address : to) address -= 16;
  EXPECT_EQ(copied_sectors(from.data(), to.data(), kAll), 16);
  EXPECT_EQ(copied_sectors(from.data(), to.data(), 0x3U), 1);
  EXPECT_EQ(copied_sectors(from.data(), to.data(), 0), 0);
  EXPECT_EQ(distinct_sectors(from.data(), 0), 0);
}

// Of 14224 rows of two lanes into whole sectors an H200 counted a second sector for the 1708 that
// cross a line, and for no other, though 6832 begin in the middle of a sector.
TEST(CopiedSectors, OfTwoLanesAreTwoOnlyAcrossALine) {
  for (std::uint64_t first = 0; first < 128; first += 16) {
    std::array<std::uint64_t, warp_lanes> from{}, to{};
    from[0] = 4096 + first, from[1] = from[0] + 16;
    to[0] = 96, to[1] = 112;
    EXPECT_EQ(copied_sectors(from.data(), to.data(), 0x3U), first == 112 ? 2 : 1) << first;
  }
}

}  // namespace
}  // namespace warpscope
