// tests/scenes/csrmm_k_tiles_test.cpp: the sizes of the K-tiled stream follow their rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "scenes/csrmm/csrmm.h"
#include "scenes/csrmm/steps/k_tiles.h"

namespace warpscope::csrmm {
namespace {

// Facts as describe() would give them for rows and columns of these lengths.
Workload workload(const std::map<std::string, std::string>& changes,
                  std::span<const std::int32_t> rows, std::span<const std::int32_t> columns) {
  const Scene scene = csrmm_scene();
  Workload w{*with_values(scene.axes, with_defaults(scene.axes, {}), changes), {}};
  double nnz = 0;
  for (const std::int32_t length : rows) nnz += length;
  const auto describe = [&](const char* one, const char* all,
                            std::span<const std::int32_t> lengths) {
    const double count = static_cast<double>(lengths.size());
    w.facts[std::string("longest_") + one] =
        lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
    w.facts[std::string(one) + "_segments"] =
        static_cast<double>(count_segments(lengths, segment_limit(nnz, count)));
    if (std::string(one) == "row")
      w.facts["wide_row_segments"] =
          static_cast<double>(count_segments(lengths, wide_segment_limit(nnz, count)));
    w.facts[std::string("empty_") + all] =
        static_cast<double>(std::count(lengths.begin(), lengths.end(), 0));
  };
  w.facts["nnz"] = nnz;
  describe("row", "rows", rows);
  describe("column", "columns", columns);
  return w;
}

TEST(KTiles, CutsOnlyRowsOfMoreThanTwiceTheMean) {
  EXPECT_EQ(segment_limit(2e6, 10000), 400);
  EXPECT_EQ(segment_limit(2.01e6, 10000), 408);  // 402 in steps of 8
  EXPECT_EQ(segment_limit(100, 100), 64);
  EXPECT_EQ(segment_limit(0, 0), 64);
  EXPECT_EQ(count_segments(std::array<std::int32_t, 4>{0, 1, 64, 65}, 64), 4);
}

TEST(KTiles, FillsTheMultiprocessorsOnceAtTheDefault) {
  const std::vector<std::int32_t> lengths(10000, 200);
  const KTiles s = k_tiles(workload({}, lengths, lengths));
  EXPECT_EQ(s.tile, 256);
  EXPECT_EQ(s.steps, 40);
  EXPECT_EQ(s.segments, 10000);
  EXPECT_FALSE(s.clears);
  // 33 blocks of 19 · 16 rows in each of four strips: 132 blocks, one a multiprocessor.
  EXPECT_EQ(s.warps, 19);
  EXPECT_EQ(s.blocks, 33);
  EXPECT_LE(s.shared_bytes, 232448);  // source: CUDA C++ Programming Guide, sm_90
  EXPECT_GE(s.capacity * 4, 250);
}

// 12 800 segments of at most 400 entries need 34 blocks of 24 · 16 in each of four strips, which is
// more than 132 multiprocessors. With at most 504, the 1400 long rows need one segment less each.
TEST(KTiles, WithJoinedPartsTakesLongerSegmentsWhereAllBlocksThenRunAtOnce) {
  std::vector<std::int32_t> rows(10000, 86);
  std::fill(rows.begin(), rows.begin() + 1400, 900);
  const std::vector<std::int32_t> columns(10000, 200);
  const Workload w = workload({}, rows, columns);
  const KTiles each = k_tiles(w), joined = k_tiles(w, PartSums::joined);
  EXPECT_EQ(each.limit, 400);
  EXPECT_EQ(each.segments, 8600 + 3 * 1400);
  EXPECT_EQ(joined.limit, 504);
  EXPECT_EQ(joined.segments, 8600 + 2 * 1400);
  EXPECT_LE(joined.blocks * 4, 132);
  Workload without = w;
  without.facts.erase("wide_row_segments");
  EXPECT_EQ(k_tiles(without, PartSums::joined).limit, each.limit);
}

TEST(KTiles, ListsNoEmptyRowsWhereCIsClearedFirst) {
  std::vector<std::int32_t> rows(1000, 0);
  rows[500] = 6400;
  const std::vector<std::int32_t> columns(1000, 6);
  const KTiles s = k_tiles(workload({{"m", "1000"}, {"k", "1000"}}, rows, columns));
  EXPECT_TRUE(s.clears);
  EXPECT_EQ(s.limit, 64);
  EXPECT_EQ(s.segments, 100);
}

TEST(KTiles, TakesTheColumnsOfAForOpT) {
  const std::vector<std::int32_t> rows(300, 10), columns(200, 15);
  const KTiles s = k_tiles(workload({{"m", "300"}, {"k", "200"}, {"op", "T"}}, rows, columns));
  EXPECT_EQ(s.rows, 200);
  EXPECT_EQ(s.inner, 300);
  EXPECT_EQ(s.tile, 64);  // two of the 15 entries of a column in each tile
  EXPECT_EQ(s.steps, 5);
}

TEST(KTiles, RunsNothingButTheClearForAMatrixWithoutEntries) {
  const std::vector<std::int32_t> none(1000, 0);
  const Workload w = workload({{"m", "1000"}, {"k", "1000"}}, none, none);
  const Steps steps = k_tiles_steps(w);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<Memset>(steps[0].action));
  EXPECT_TRUE(k_tiles_scratch(w).empty());
}

}  // namespace
}  // namespace warpscope::csrmm
