// tests/profiling/access/access_test.cpp: sectors, banks and sentences of warp requests against
// counting.
#include "profiling/access/access.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <random>
#include <set>

namespace warpscope {
namespace {

using enum AccessKind;

// Lane i at base + i · stride.
WarpRequest strided(std::uint64_t base, std::int64_t stride, std::uint32_t active = kAllLanes) {
  WarpRequest r;
  r.active = active;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((active >> lane & 1U) == 0) continue;
    r.addresses[static_cast<std::size_t>(lane)] = base + static_cast<std::uint64_t>(lane * stride);
  }
  return r;
}

WarpRequest placed(const std::function<std::uint64_t(int)>& address,
                   std::uint32_t active = kAllLanes) {
  WarpRequest r;
  r.active = active;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((active >> lane & 1U) != 0) r.addresses[static_cast<std::size_t>(lane)] = address(lane);
  }
  return r;
}

std::vector<int> active_lanes(const WarpRequest& r) {
  std::vector<int> lanes;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((r.active >> lane & 1U) != 0) lanes.push_back(lane);
  }
  return lanes;
}

std::set<std::uint64_t> bytes_of(const WarpRequest& r, int width) {
  std::set<std::uint64_t> bytes;
  for (const int lane : active_lanes(r)) {
    for (int i = 0; i < width; ++i)
      bytes.insert(r.addresses[static_cast<std::size_t>(lane)] + static_cast<std::uint64_t>(i));
  }
  return bytes;
}

std::set<std::uint64_t> blocks_of(const std::set<std::uint64_t>& bytes, std::uint64_t unit) {
  std::set<std::uint64_t> blocks;
  for (const std::uint64_t byte : bytes) blocks.insert(byte / unit);
  return blocks;
}

// Counted with sets, byte by byte; atomics pass by pass.
AccessTotals counted_global(const WarpRequest& r, int width, AccessKind kind) {
  AccessTotals t;
  const std::set<std::uint64_t> bytes = bytes_of(r, width);
  t.requests = r.active == 0 ? 0 : 1;
  t.lanes = static_cast<std::int64_t>(active_lanes(r).size());
  t.lane_bytes = t.lanes * width;
  t.unique_bytes = static_cast<std::int64_t>(bytes.size());
  t.ideal_sectors = (t.unique_bytes + 31) / 32;
  t.lines = static_cast<std::int64_t>(blocks_of(bytes, 128).size());
  if (kind != reduction && kind != atomic) {
    t.sectors = static_cast<std::int64_t>(blocks_of(bytes, 32).size());
    return t;
  }
  std::vector<int> waiting = active_lanes(r);
  while (!waiting.empty()) {
    std::set<std::uint64_t> served;
    std::vector<int> next;
    WarpRequest pass = r;
    pass.active = 0;
    for (const int lane : waiting) {
      if (served.insert(r.addresses[static_cast<std::size_t>(lane)]).second) {
        pass.active |= 1U << lane;
      } else {
        next.push_back(lane);
      }
    }
    t.sectors += static_cast<std::int64_t>(blocks_of(bytes_of(pass, width), 32).size());
    waiting = next;
  }
  return t;
}

AccessTotals counted_shared(const WarpRequest& r, int width, AccessKind kind) {
  AccessTotals t;
  t.requests = r.active == 0 ? 0 : 1;
  const std::vector<int> lanes = active_lanes(r);
  t.lanes = static_cast<std::int64_t>(lanes.size());
  t.lane_bytes = t.lanes * width;
  t.unique_bytes = static_cast<std::int64_t>(bytes_of(r, width).size());
  const auto address = [&](int lane) { return r.addresses[static_cast<std::size_t>(lane)]; };
  const auto agrees = [&](int distance) {
    return std::all_of(lanes.begin(), lanes.end(), [&](int lane) {
      return (r.active >> (lane ^ distance) & 1U) == 0 || address(lane) == address(lane ^ distance);
    });
  };
  int group = width <= 4 ? 32 : width == 8 ? 16 : 8;
  if (kind == load && group < 32 && (agrees(1) || agrees(2))) group *= 2;
  for (int first = 0; first < kWarpLanes; first += group) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words;  // by bank
    for (const int lane : lanes) {
      if (lane < first || lane >= first + group) continue;
      for (int i = 0; i < width; ++i) {
        const std::uint64_t word = (address(lane) + static_cast<std::uint64_t>(i)) / 4;
        words[word % 32].insert(word);
      }
    }
    std::int64_t ways = 0;
    for (const auto& [bank, distinct] : words)
      ways = std::max(ways, static_cast<std::int64_t>(distinct.size()));
    t.wavefronts += ways;
    t.ideal_wavefronts += ways > 0 ? 1 : 0;
    t.worst_ways = std::max(t.worst_ways, ways);
  }
  return t;
}

// Requests of every shape: uniform, strided with every sign and alignment, few distinct addresses,
// scattered; full, partial, single and empty masks.
WarpRequest random_request(std::mt19937& random, int width) {
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint64_t>(random()) % n; };
  std::uint32_t active = kAllLanes;
  switch (below(5)) {
    case 0:
      active = static_cast<std::uint32_t>(random());
      break;
    case 1: {  // a run of lanes
      const std::uint32_t length = static_cast<std::uint32_t>(below(32));
      active = ((1U << length) - 1) << below(32 - length + 1);
      break;
    }
    case 2:
      active = below(4) == 0 ? 0 : 1U << below(32);
      break;
    default:
      break;
  }
  const std::uint64_t alignment = below(4) == 0 ? 1 : static_cast<std::uint64_t>(width);
  const std::uint64_t base = 0x10000 + below(512) * alignment;
  const auto a = static_cast<std::int64_t>(alignment);
  switch (below(4)) {
    case 0:
      return strided(base, (static_cast<std::int64_t>(below(12)) - 5) * a, active);
    case 1:
      return strided(base, (static_cast<std::int64_t>(below(300)) - 150) * a, active);
    case 2: {
      const std::uint64_t distinct = 1 + below(8), shift = below(4);
      return placed(
          [&](int lane) {
            return base + (static_cast<std::uint64_t>(lane) >> shift) % distinct * alignment * 8;
          },
          active);
    }
    default: {
      const std::uint64_t range = 1 + below(2000);
      return placed([&](int) { return base + below(range) * alignment; }, active);
    }
  }
}

TEST(Access, CostsOfRandomRequestsAreWhatSetsCount) {
  std::mt19937 random(7);
  int scattered = 0;
  for (int i = 0; i < 20000; ++i) {
    const int width = 1 << random() % 5;
    const WarpRequest r = random_request(random, width);
    for (const AccessKind kind : {load, atomic, reduction})
      ASSERT_EQ(global_cost(r, width, kind), counted_global(r, width, kind))
          << "case " << i << ", width " << width << ", " << to_text(kind);
    WarpRequest own = r;
    for (std::uint64_t& address : own.addresses) address %= kOwnSharedBytes;
    for (const AccessKind kind : {load, matrix_load}) {
      const AccessTotals t = shared_cost(own, width, kind);
      ASSERT_EQ(t, counted_shared(own, width, kind)) << "case " << i << ", width " << width;
      ASSERT_EQ(static_cast<std::int64_t>(wavefronts(own, width, kind).size()), t.wavefronts) << i;
      scattered += t.worst_ways > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(scattered, 1000) << "the requests had no conflicts to count";
}

// … of every stride and offset, which do not ask which lane has which address.
TEST(Access, CostsOfStridesAreWhatSetsCount) {
  for (const int width : {1, 2, 4, 8, 16}) {
    for (int stride = -40; stride <= 40; ++stride) {
      for (std::uint64_t shift = 0; shift < 64; shift += 3) {
        const WarpRequest regular = strided(0x20000 + shift, stride);
        EXPECT_EQ(global_cost(regular, width, load), counted_global(regular, width, load))
            << width << " " << stride << " " << shift;
        EXPECT_EQ(global_cost(regular, width, reduction), counted_global(regular, width, reduction))
            << width << " " << stride << " " << shift;
        EXPECT_EQ(shared_cost(regular, width, load), counted_shared(regular, width, load))
            << width << " " << stride << " " << shift;
        WarpRequest shuffled = regular;
        std::swap(shuffled.addresses[3], shuffled.addresses[17]);
        std::swap(shuffled.addresses[8], shuffled.addresses[30]);
        EXPECT_EQ(global_cost(shuffled, width, load), global_cost(regular, width, load))
            << width << " " << stride << " " << shift;
      }
    }
  }
}

// profiling/emulator/README.md, Hardware rules: 1, 2, 4, 8 and 16 sectors for coalesced lanes of 1
// to 16 bytes.
TEST(Access, CoalescedLanesTouchAsManySectorsAsTheirWidth) {
  for (const int width : {1, 2, 4, 8, 16}) {
    const AccessTotals t = global_cost(strided(0x1000, width), width, load);
    EXPECT_EQ(t.sectors, width);
    EXPECT_EQ(t.ideal_sectors, width);
    EXPECT_EQ(t.lines, std::max(1, width / 4));
    EXPECT_EQ(t.requests, 1);
    EXPECT_DOUBLE_EQ(t.sector_efficiency(), 1.0);
  }
}

TEST(Access, ABroadcastIsOneSectorAndNeverMoreThanWholeUse) {
  const AccessTotals t = global_cost(strided(0x1000, 0), 4, load);
  EXPECT_EQ(t.sectors, 1);
  EXPECT_EQ(t.lane_bytes, 128);
  EXPECT_EQ(t.unique_bytes, 4);
  EXPECT_DOUBLE_EQ(t.sector_efficiency(), 0.125);
}

TEST(Access, AStrideOfThirtyTwoWordsTouchesASectorALane) {
  const AccessTotals t = global_cost(strided(0x1000, 128), 4, load);
  EXPECT_EQ(t.sectors, 32);
  EXPECT_EQ(t.lines, 32);
  EXPECT_DOUBLE_EQ(t.sectors_per_request(), 32);
}

TEST(Access, MisalignmentAddsASector) {
  EXPECT_EQ(global_cost(strided(0x1004, 4), 4, load).sectors, 5);
  EXPECT_EQ(global_cost(strided(0x1004, 4), 4, load).lines, 2);
}

TEST(Access, NoActiveLaneIsNoRequest) {
  EXPECT_EQ(global_cost(strided(0x1000, 4, 0), 4, load), AccessTotals{});
  EXPECT_EQ(shared_cost(strided(0, 4, 0), 4, load), AccessTotals{});
  EXPECT_DOUBLE_EQ(AccessTotals{}.sector_efficiency(), 1.0);
  EXPECT_DOUBLE_EQ(AccessTotals{}.sectors_per_request(), 0.0);
}

// Measured on an H200, with and without use of the old value: eight lanes on each of four
// neighbouring words count 8 sectors, pairs of lanes on sixteen words 4, distinct addresses 4.
TEST(Access, AtomicsCountASectorForEachSerialPass) {
  const WarpRequest four = placed([](int lane) { return 0x1000 + 4ULL * (lane & 3); });
  const WarpRequest pairs = placed([](int lane) { return 0x1000 + 4ULL * (lane / 2); });
  for (const AccessKind kind : {atomic, reduction}) {
    EXPECT_EQ(global_cost(four, 4, kind).sectors, 8) << to_text(kind);
    EXPECT_EQ(global_cost(pairs, 4, kind).sectors, 4) << to_text(kind);
    EXPECT_EQ(global_cost(strided(0x1000, 4), 4, kind).sectors, 4) << to_text(kind);
    EXPECT_EQ(global_cost(strided(0x1000, 0), 4, kind).sectors, 32) << to_text(kind);
  }
}

TEST(Access, ASentenceSaysThatTheCompilerAddsLanesUpFirst) {
  WarpRequest leader = strided(0x1000, 0, 1U << 31);
  AccessSite site;
  site.kind = reduction;
  site.merged = true;
  EXPECT_EQ(describe(leader, site),
            "1 of 32 lanes × 4 B → 1 sector in 1 line: the compiler has the warp add its lanes up, "
            "and one lane goes");
  site.space = Space::shared;
  EXPECT_EQ(describe(leader, site),
            "1 of 32 lanes × 4 B → 1 wavefront: the compiler has the warp add its lanes up, and "
            "one lane goes");
}

// Measured: strides of 1, 2, 4, 8, 16, 32 and 33 words.
TEST(Access, BankConflictsFollowTheStride) {
  const std::vector<std::pair<int, int>> ways = {{1, 1},   {2, 2},   {4, 4}, {8, 8},
                                                 {16, 16}, {32, 32}, {33, 1}};
  for (const auto& [words, expected] : ways) {
    const AccessTotals t = shared_cost(strided(0, words * 4), 4, load);
    EXPECT_EQ(t.wavefronts, expected) << words;
    EXPECT_EQ(t.worst_ways, expected) << words;
    EXPECT_EQ(t.ideal_wavefronts, 1) << words;
  }
}

TEST(Access, LanesThatShareAWordShareAWavefront) {
  EXPECT_EQ(shared_cost(strided(64, 0), 4, load).wavefronts, 1);
  EXPECT_EQ(shared_cost(strided(0, 1), 1, load).wavefronts, 1);  // four lanes a word
  const WarpRequest two_words_one_bank = placed([](int lane) { return lane < 16 ? 0ULL : 128ULL; });
  EXPECT_EQ(shared_cost(two_words_one_bank, 4, load).wavefronts, 2);
}

// Measured: 8-byte lanes 2, with a gap 4; both halves on the same words still 2.
TEST(Access, EightByteLanesGoByHalfWarps) {
  EXPECT_EQ(shared_cost(strided(0, 8), 8, load).wavefronts, 2);
  EXPECT_EQ(shared_cost(strided(0, 8), 8, load).ideal_wavefronts, 2);
  EXPECT_EQ(shared_cost(strided(0, 16), 8, load).wavefronts, 4);
  const WarpRequest halves = placed([](int lane) { return 8ULL * (lane & 15); });
  EXPECT_EQ(shared_cost(halves, 8, load).wavefronts, 2);
}

// Measured: 16-byte lanes 4, with a gap 8, lane·8 rows apart 32; 16 when quarters take four banks.
TEST(Access, SixteenByteLanesGoByQuarterWarps) {
  EXPECT_EQ(shared_cost(strided(0, 16), 16, load).wavefronts, 4);
  EXPECT_EQ(shared_cost(strided(0, 32), 16, load).wavefronts, 8);
  EXPECT_EQ(shared_cost(strided(0, 128), 16, load).wavefronts, 32);
  const WarpRequest columns =
      placed([](int lane) { return 16ULL * static_cast<unsigned>((lane & 7) * 4 + lane / 8); });
  EXPECT_EQ(shared_cost(columns, 16, load).wavefronts, 16);
}

// Measured (64 where quarter-warps predict 128 over 32 requests): 2 wavefronts when all lanes share
// an address, or each with its neighbour at distance 1 or 2. Not at distance 4, not for ldmatrix.
TEST(Access, SixteenByteLanesThatShareWithANeighbourTakeTwo) {
  EXPECT_EQ(shared_cost(strided(256, 0), 16, load).wavefronts, 2);
  const WarpRequest pairs =
      placed([](int lane) { return 16ULL * static_cast<unsigned>(lane / 2); });
  EXPECT_EQ(shared_cost(pairs, 16, load).wavefronts, 2);
  EXPECT_EQ(shared_cost(pairs, 16, matrix_load).wavefronts, 4);
  const WarpRequest distance_two =
      placed([](int lane) { return 16ULL * static_cast<unsigned>((lane & 1) + (lane >> 2 << 1)); });
  EXPECT_EQ(shared_cost(distance_two, 16, load).wavefronts, 2);
  const WarpRequest distance_four =
      placed([](int lane) { return 16ULL * static_cast<unsigned>((lane & 3) + (lane >> 3 << 2)); });
  EXPECT_EQ(shared_cost(distance_four, 16, load).wavefronts, 4);
}

// Measured: loads of 8 bytes are served whole if neighbours share an address; stores never.
TEST(Access, EightByteLanesThatShareWithANeighbourTakeOne) {
  EXPECT_EQ(shared_cost(strided(256, 0), 8, load).wavefronts, 1);
  const WarpRequest pairs = placed([](int lane) { return 8ULL * static_cast<unsigned>(lane / 2); });
  EXPECT_EQ(shared_cost(pairs, 8, load).wavefronts, 1);
  EXPECT_EQ(shared_cost(pairs, 8, store).wavefronts, 2);
}

// Measured (float4_*_lanes_apart): lanes of two quarters are not served together, however few they
// are. A lane whose neighbours are inactive is as one that shares with them.
TEST(Access, FewLanesAreServedAsAWholeWarpIs) {
  const auto own = [](int lane) { return 16ULL * static_cast<unsigned>(lane / 8 * 4 + lane % 4); };
  EXPECT_EQ(shared_cost(placed(own, 0x00000f0fU), 16, load).wavefronts, 2);
  EXPECT_EQ(shared_cost(placed(own, 0x80000f0fU), 16, load).wavefronts, 3);
  const auto thirds = [](int lane) { return 16ULL * static_cast<unsigned>(lane / 8 * 3); };
  EXPECT_EQ(shared_cost(placed(thirds, 0x08080808U), 16, load).wavefronts, 2);
  EXPECT_EQ(shared_cost(placed(thirds, 0x08080808U), 16, store).wavefronts, 4);
  const auto halves = [](int lane) {
    return 8ULL * static_cast<unsigned>(lane / 16 * 8 + lane % 8);
  };
  EXPECT_EQ(shared_cost(placed(halves, 0x00ff00ffU), 8, load).wavefronts, 2);
}

// Sixteen addresses, all in banks 0 to 3: each is a wavefront.
TEST(Access, SixteenByteNeighboursOnOneAddressGrowWithTheirBankConflicts) {
  const WarpRequest conflicting =
      placed([](int lane) { return static_cast<std::uint64_t>(lane / 2) * 128; });
  EXPECT_EQ(shared_cost(conflicting, 16, load).wavefronts, 16);
}

TEST(Access, WavefrontsServeEveryLaneOnceAndOneWordABank) {
  const WarpRequest r =
      placed([](int lane) { return 4ULL * static_cast<unsigned>(lane * lane % 97); });
  const std::vector<Wavefront> list = wavefronts(r, 4, load);
  std::uint32_t served = 0;
  for (const Wavefront& w : list) {
    for (std::size_t bank = 0; bank < kSharedBanks; ++bank) {
      EXPECT_EQ(w.word[bank] == -1, w.lanes[bank] == 0);
      if (w.word[bank] != -1) {
        EXPECT_EQ(w.word[bank] % kSharedBanks, static_cast<std::int64_t>(bank));
      }
      EXPECT_EQ(served & w.lanes[bank], 0U);
      served |= w.lanes[bank];
    }
  }
  EXPECT_EQ(served, r.active);
}

TEST(Access, TouchedLinesSayWhichLaneTouchesWhichWord) {
  // Lanes of 8 bytes from byte 96 on: a quarter in the first line, the rest after it.
  const std::vector<TouchedLine> lines = touched_lines(strided(0x1060, 8), 8);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].address, 0x1000u);
  EXPECT_EQ(lines[0].sectors, 0b1000);
  EXPECT_EQ(lines[0].used_bytes(), 32);
  EXPECT_EQ(lines[0].fetched_bytes(), 32);
  EXPECT_EQ(lines[0].word_lanes[24], 1U);
  EXPECT_EQ(lines[0].word_lanes[25], 1U);
  EXPECT_EQ(lines[0].word_lanes[26], 2U);
  EXPECT_EQ(lines[1].sectors, 0b1111);
  EXPECT_EQ(lines[2].sectors, 0b0111);
  const std::vector<TouchedLine> bytes = touched_lines(strided(0x1001, 1, 0b111), 1);
  ASSERT_EQ(bytes.size(), 1u);
  EXPECT_EQ(bytes[0].word_bytes[0], 0b1110);
  EXPECT_EQ(bytes[0].used_bytes(), 3);
  EXPECT_EQ(bytes[0].fetched_bytes(), 32);
}

TEST(Access, TheEndOfTheAddressSpaceEndsARequest) {
  const WarpRequest r = strided(~0ULL - 3, 0, 1);
  EXPECT_EQ(global_cost(r, 16, load).unique_bytes, 4);
  EXPECT_EQ(touched_lines(r, 16).size(), 1u);
  EXPECT_EQ(wavefronts(r, 16, load).size(), 1u);
}

TEST(Access, TotalsAddUpAndKeepTheWorstConflict) {
  AccessTotals sum = shared_cost(strided(0, 16), 4, load);
  sum += shared_cost(strided(0, 4), 4, load);
  EXPECT_EQ(sum.requests, 2);
  EXPECT_EQ(sum.wavefronts, 5);
  EXPECT_EQ(sum.worst_ways, 4);
}

TEST(Access, SentencesSayWhatARequestCosts) {
  AccessSite site;
  site.width_bytes = 16;
  EXPECT_EQ(describe(strided(0x1000, 16), site), "32 lanes × 16 B → 16 sectors in 4 lines: ideal");
  site.width_bytes = 4;
  EXPECT_EQ(describe(strided(0x1000, 0), site),
            "32 lanes × 4 B → 1 sector in 1 line: a broadcast, all at one address");
  EXPECT_EQ(
      describe(strided(0x1000, 128), site),
      "32 lanes × 4 B → 32 sectors in 32 lines where 4 sectors would do: 12.50 % of the bytes "
      "fetched are used");
  EXPECT_EQ(describe(strided(0x1000, 4, 0xFF), site),
            "8 of 32 lanes × 4 B → 1 sector in 1 line: ideal");
  EXPECT_EQ(describe(strided(0x1000, 4, 0), site), "no lane takes part: no request");
  site.kind = reduction;
  EXPECT_EQ(describe(placed([](int lane) { return 0x1000 + 4ULL * (lane & 3); }), site),
            "32 lanes × 4 B → 8 sectors in 1 line: lanes that share an address are served one "
            "after another, 8 times");
  site.kind = load;
  site.space = Space::shared;
  EXPECT_EQ(describe(strided(0, 4), site), "32 lanes × 4 B → 1 wavefront: no bank conflict");
  EXPECT_EQ(describe(strided(0, 0), site),
            "32 lanes × 4 B → 1 wavefront: a broadcast, no bank conflict");
  // Banks 0, 8, 16 and 24 with three words each.
  const WarpRequest three =
      placed([](int lane) { return 32ULL * static_cast<unsigned>(lane % 12); });
  EXPECT_EQ(describe(three, site),
            "32 lanes × 4 B → 3 wavefronts where 1 would do (3-way conflict on banks 0, 8, 16, "
            "24)");
  EXPECT_EQ(describe(strided(0, 128), site),
            "32 lanes × 4 B → 32 wavefronts where 1 would do (32-way conflict on bank 0)");
  EXPECT_EQ(describe(strided(0, 8), site),
            "32 lanes × 4 B → 2 wavefronts where 1 would do (2-way conflict on banks 0, 2, 4, 6, "
            "8, 10, 12, 14 and 8 more)");
  site.space = Space::constant;
  EXPECT_EQ(describe(strided(0, 0), site),
            "32 lanes × 4 B → 1 address: the constant cache serves it in one pass");
  EXPECT_EQ(describe(strided(0, 4, 0b11), site),
            "2 of 32 lanes × 4 B → 2 addresses: the constant cache serves one at a time");
}

// 32 lanes of 16 bytes fill 16 sectors of shared memory. Read from the middle of a sector on, they
// come from five lines, and four sectors are of two of them each.
TEST(CopiedSectors, CountWhatIsFilledOnceForEveryLineItComesFrom) {
  std::array<std::uint64_t, kWarpLanes> from{}, to{};
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    from[lane] = 4096 + 16 + 16 * lane, to[lane] = 64 + 16 * lane;
  EXPECT_EQ(touched(sorted_lanes(from, kAllLanes), 16).sectors, 17);
  EXPECT_EQ(copied_sectors(from, to, kAllLanes), 16 + 4);
  // Shifted alike, lines and sectors begin together; 17 sectors are touched.
  for (std::uint64_t& address : to) address += 16;
  EXPECT_EQ(copied_sectors(from, to, kAllLanes), 17);
  // From whole sectors of four lines into halves: three sectors are of two lines.
  for (std::uint64_t& address : from) address -= 16;
  EXPECT_EQ(copied_sectors(from, to, kAllLanes), 17 + 3);
  for (std::uint64_t& address : to) address -= 16;
  EXPECT_EQ(copied_sectors(from, to, kAllLanes), 16);
  EXPECT_EQ(copied_sectors(from, to, 0x3U), 1);
  EXPECT_EQ(copied_sectors(from, to, 0), 0);
  EXPECT_EQ(touched(sorted_lanes(from, 0), 16).sectors, 0);
}

// An H200 counted 14224 rows of two lanes into whole sectors. It counted a second sector for the
// 1708 rows that cross a line, and for no other, though 6832 begin in the middle of a sector.
TEST(CopiedSectors, OfTwoLanesAreTwoOnlyAcrossALine) {
  for (std::uint64_t first = 0; first < 128; first += 16) {
    std::array<std::uint64_t, kWarpLanes> from{}, to{};
    from[0] = 4096 + first, from[1] = from[0] + 16;
    to[0] = 96, to[1] = 112;
    EXPECT_EQ(copied_sectors(from, to, 0x3U), first == 112 ? 2 : 1) << first;
  }
}

TEST(BulkCopy, CostsWhatItsCopiesRead) {
  WarpRequest r = strided(4096, 1024, 3);
  r.bulk = {1040, 34, 10};
  const AccessTotals t = global_cost(r, 16, bulk_copy);
  EXPECT_EQ(t.requests, 2);
  EXPECT_EQ(t.lanes, 2);
  EXPECT_EQ(t.lane_bytes, 1040);
  EXPECT_EQ(t.unique_bytes, 1040);
  EXPECT_EQ(t.sectors, 34);
  EXPECT_EQ(t.ideal_sectors, 33);
  EXPECT_EQ(t.lines, 10);
  AccessSite site;
  site.kind = bulk_copy;
  site.width_bytes = 16;
  EXPECT_EQ(describe(r, site), "2 lanes in bulk: 1040 B → 34 sectors in 10 lines");
  r.active = 1;
  EXPECT_EQ(describe(r, site), "1 lane in bulk: 1040 B → 34 sectors in 10 lines");
}

TEST(BulkCopy, OutOfSharedMemorySaysHowFarItMayDiffer) {
  WarpRequest r = strided(4096, 1024, 1);
  r.bulk = {1040, 34, 10};
  AccessSite site;
  site.kind = AccessKind::bulk_store;
  EXPECT_EQ(describe(r, site),
            "1 lane in bulk store: 1040 B → 34 sectors in 10 lines (an H200 counts up to 1.24 "
            "times as many off a line)");
}

constexpr std::uint64_t kRankOne = 2 * kOwnSharedBytes;

TEST(OtherBlocks, CountSectorsAndNoWavefronts) {
  const AccessTotals t = shared_cost(strided(kRankOne + 4, 4), 4, load);
  EXPECT_EQ(t.requests, 1);
  EXPECT_EQ(t.lanes, 32);
  EXPECT_EQ(t.unique_bytes, 128);
  EXPECT_EQ(t.wavefronts, 0);
  EXPECT_EQ(t.ideal_wavefronts, 0);
  EXPECT_EQ(t.remote_requests(), 1);
  EXPECT_EQ(t.remote_sectors(), 5);
  EXPECT_EQ(shared_cost(strided(kOwnSharedBytes - 128, 4), 4, load).remote_requests(), 0);
}

// Half of the lanes conflict in the own block, half go elsewhere.
TEST(OtherBlocks, AreApartFromTheBlocksOwnMemoryInOneRequest) {
  WarpRequest r = strided(0, 128);
  for (std::size_t lane = 16; lane < 32; ++lane) r.addresses[lane] = kRankOne + lane * 32;
  const AccessTotals t = shared_cost(r, 4, load);
  EXPECT_EQ(t.requests, 1);
  EXPECT_EQ(t.lanes, 32);
  EXPECT_EQ(t.wavefronts, 16);
  EXPECT_EQ(t.remote_requests(), 1);
  EXPECT_EQ(t.remote_sectors(), 16);
  const std::vector<Wavefront> rows = wavefronts(r, 4, load);
  ASSERT_EQ(rows.size(), 20u);  // 16 and, of words 8 banks apart, 4
  EXPECT_EQ(rows[15].lanes[0], 1u << 15);
  EXPECT_EQ(rows[16].lanes[0], 1u << 16);
  AccessSite site;
  site.space = Space::shared;
  site.kind = load;
  EXPECT_EQ(describe(r, site),
            "16 of 32 lanes × 4 B → 16 wavefronts where 1 would do (16-way conflict on bank 0); 16 "
            "of 32 lanes × 4 B → 16 sectors of another block's shared memory: no wavefront is "
            "counted there");
}

TEST(OtherBlocks, SayWhatIsKnownOfEachKind) {
  AccessSite site;
  site.space = Space::shared;
  const std::string sectors = "32 lanes × 4 B → 4 sectors of another block's shared memory";
  const auto said = [&](AccessKind kind) {
    site.kind = kind;
    return describe(strided(kRankOne, 4), site);
  };
  EXPECT_EQ(said(load), sectors + ": no wavefront is counted there");
  EXPECT_EQ(said(AccessKind::store), sectors + ": no wavefront is counted there");
  EXPECT_EQ(said(AccessKind::reduction), sectors + ": what they cost there is not known");
}

}  // namespace
}  // namespace warpscope
