// tests/emulator/shadow_test.cpp: words of shared memory taken together are what lanes find alone.
#include "profiling/emulator/shadow/shadow.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <vector>

namespace warpscope {
namespace {

constexpr int kWarps = 4, kWords = 48;

// What lanes found one after the other: the finding and the thread it is about.
using Found = std::vector<std::array<int, 4>>;

void take_lane(SharedShadow& shadow, bool writes, int warp, int lane, std::uint32_t sync,
               std::int64_t offset, int width, bool is_strong, Found& found) {
  const AccessStrength strong = is_strong ? AccessStrength::strong : AccessStrength::weak;
  const SharedFinding f = writes ? shadow.write(warp, lane, sync, offset, width, strong)
                                 : shadow.read(warp, lane, sync, offset, width, strong);
  if (f == SharedFinding::none) return;
  const bool race = f == SharedFinding::race || f == SharedFinding::race_in_warp;
  found.push_back({lane, static_cast<int>(f), race ? shadow.story().warp : -1,
                   race ? shadow.story().lane : -1});
}

// Two shadows see the same random program: accesses of some lanes, to words in a row, shared or
// scattered, now and then narrower, strong or copied; barriers, fences and warp synchronisations.
void run_program(std::uint32_t seed, bool races, bool uninitialised, int& found, int& together) {
  std::mt19937 random{seed};
  const auto below = [&](std::uint32_t n) { return random() % n; };
  SharedShadow lanewise, words;
  lanewise.begin_block(kWords * 4, kWarps, races, uninitialised);
  words.begin_block(kWords * 4, kWarps, races, uninitialised);
  std::array<std::uint32_t, kWarps> sync{};
  const bool quiet = seed % 2 == 0;  // mostly without races, so that words stay plain
  for (int step = 0; step < 150; ++step) {
    const int warp = static_cast<int>(below(kWarps));
    const auto w = static_cast<std::size_t>(warp);
    if (quiet || below(4) == 0) {
      if (below(2) == 0) {
        lanewise.clocks.barrier(15, 15);
        words.clocks.barrier(15, 15);
      } else if (below(3) == 0) {
        lanewise.clocks.fence(warp);
        words.clocks.fence(warp);
      } else {
        ++sync[w];
      }
    }
    const bool writes = below(2) == 0;
    const std::uint32_t lanes = below(2) == 0 ? 0xffffffffu : random();
    std::array<std::uint64_t, 32> offsets{};
    const std::uint32_t vector = 1u << below(3);  // words of a lane
    const std::uint32_t places = kWords / vector;
    const std::uint64_t base = below(places < 32 ? 1 : places - 31), shared = below(3);
    for (std::uint64_t lane = 0; lane < 32; ++lane) {
      offsets[lane] = 4 * vector *
                      (shared == 0   ? (base + lane) % places
                       : shared == 1 ? base + lane / 4
                                     : below(places));
    }
    const int kind = static_cast<int>(below(12));
    Found one, other;
    if (kind < 3) {  // not for words: one lane, some of its bytes, or strong, or a copy
      const int lane = static_cast<int>(below(32)), width = 1 << below(4);
      const auto at = static_cast<std::int64_t>(below(kWords * 4 / 8) * 8);
      for (SharedShadow* shadow : {&lanewise, &words}) {
        if (kind == 2) {
          shadow->begin_copy(warp, lane, at, 8);
          shadow->copies.commit(warp, 1u << lane);
          if (step % 2 == 0) shadow->copies.wait(shadow->clocks, warp, 1u << lane, sync[w], 0);
        } else {
          take_lane(*shadow, writes, warp, lane, sync[w], at, width, kind == 1,
                    shadow == &words ? other : one);
        }
      }
    } else {
      const int width = static_cast<int>(4 * vector);
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        take_lane(lanewise, writes, warp, lane, sync[w],
                  static_cast<std::int64_t>(offsets[static_cast<std::size_t>(lane)]), width, false,
                  one);
      }
      for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        const std::uint32_t before = rest;
        rest = writes ? words.write_words(warp, rest, sync[w], offsets.data(), width / 4)
                      : words.read_words(warp, rest, sync[w], offsets.data(), width / 4);
        together += std::popcount(before & ~rest);
        if (rest == 0) break;
        const int lane = std::countr_zero(rest);
        take_lane(words, writes, warp, lane, sync[w],
                  static_cast<std::int64_t>(offsets[static_cast<std::size_t>(lane)]), width, false,
                  other);
      }
    }
    ASSERT_EQ(one, other) << "seed " << seed << ", step " << step;
    found += static_cast<int>(one.size());
  }
}

TEST(SharedShadow, FindsInWordsTakenTogetherWhatItFindsLaneByLane) {
  int found = 0, together = 0;
  for (std::uint32_t seed = 0; seed < 2000 && !::testing::Test::HasFatalFailure(); ++seed) {
    run_program(seed, seed % 8 != 7, seed % 3 != 0, found, together);
  }
  EXPECT_GT(found, 10000);
  EXPECT_GT(together, 1000000);
}

}  // namespace
}  // namespace warpscope
