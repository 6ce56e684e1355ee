// tests/profiling/plans/point_pool_test.cpp: points are dealt so that devices end together,
// although expected times are wrong.
#include "profiling/plans/point_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>

namespace warpscope {
namespace {

// Seconds of 400 points on an H200: eight variants in turn, longer with more columns.
std::vector<double> costs(std::mt19937& random) {
  std::uniform_real_distribution<double> spread(0.7, 1.4);
  std::vector<double> seconds;
  for (int place = 0; place < 50; ++place) {
    for (int variant = 0; variant < 8; ++variant)
      seconds.push_back((0.05 + 0.01 * variant) * spread(random));
  }
  return seconds;
}

// When the last of so many devices ends. As DeviceTeam does, each asks for more when it has fewer
// than two points.
double end_of(const std::vector<double>& seconds, const std::vector<double>& expected,
              std::size_t devices) {
  PointPool pool(expected);
  std::vector<std::deque<std::size_t>> given(devices);
  std::vector<double> free_at(devices, 0);
  std::size_t measured = 0;
  while (measured < seconds.size()) {
    for (std::deque<std::size_t>& queue : given) {
      if (queue.size() >= 2) continue;
      for (const std::size_t point : pool.take(devices)) queue.push_back(point);
    }
    // The device whose running point ends first.
    std::size_t next = devices;
    for (std::size_t i = 0; i < devices; ++i) {
      if (given[i].empty()) continue;
      const auto end = [&](std::size_t d) { return free_at[d] + seconds[given[d].front()]; };
      if (next == devices || end(i) < end(next)) next = i;
    }
    free_at[next] += seconds[given[next].front()];
    given[next].pop_front();
    ++measured;
  }
  return *std::max_element(free_at.begin(), free_at.end());
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(PointPool, DealsSoThatDevicesEndTogether) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    const std::vector<double> seconds = costs(random);
    const std::vector<double> equal(seconds.size(), 1.0);
    for (const auto& [devices, least] :
         {std::pair<std::size_t, double>(2, 1.97), std::pair<std::size_t, double>(4, 3.85),
          std::pair<std::size_t, double>(8, 7.4)}) {
      EXPECT_GT(sum(seconds) / end_of(seconds, seconds, devices), least) << devices;
      EXPECT_GT(sum(seconds) / end_of(seconds, equal, devices), least) << devices << ", unknown";
    }
  }
}

TEST(PointPool, CopesWithExpectedTimesThatAreFarOff) {
  std::mt19937 random(7);
  const std::vector<double> seconds = costs(random);
  // Two variants are expected to take no time, and one ten times what it takes.
  std::vector<double> expected = seconds;
  for (std::size_t i = 0; i < expected.size(); ++i)
    expected[i] *= i % 8 < 2 ? 0.01 : i % 8 == 5 ? 10 : 1;
  EXPECT_GT(sum(seconds) / end_of(seconds, expected, 4), 3.7);
}

TEST(PointPool, GivesOutEachPointOnceAndWhatCameBackNext) {
  PointPool pool({1, 1, 1, 1, 1, 1, 1, 1, 1});
  const std::vector<std::size_t> first = pool.take(1);
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 1, 2})) << "a third of what there is";
  pool.give_back(1);
  EXPECT_DOUBLE_EQ(pool.waiting_weight(), 7);
  EXPECT_EQ(pool.take(3).front(), 1u);
  std::size_t rest = 0;
  while (!pool.empty()) rest += pool.take(2).size();
  EXPECT_EQ(rest, 6u);
  EXPECT_TRUE(pool.take(1).empty());
}

TEST(PointPool, TakesNoMoreThanIsAskedFor) {
  PointPool pool(std::vector<double>(1000, 1.0));
  EXPECT_EQ(pool.take(1, 32).size(), 32u);
}

}  // namespace
}  // namespace warpscope
