// tests/emulator/deform_access_test.cpp: accesses of `deform`, emulated: per request what the scene
// says of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/emulator/emulated_scene.h"
#include "tests/engine/compiling_test.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

// What requests for one array cost together.
struct Cost {
  double requests = 0, sectors = 0, lines = 0, unique_bytes = 0;
  double sectors_each() const { return sectors / requests; }
  double lines_each() const { return lines / requests; }
};

class Gather {
 public:
  // 4 warps of the first image, whose samples lie anywhere in one large level.
  explicit Gather(const char* variant, const Changes& more = {}) {
    Changes changes = {{"batch", "1"},    {"queries", "32"}, {"levels", "1"},
                       {"height0", "92"}, {"width0", "160"}, {"locality", "uniform"}};
    for (const auto& [axis, value] : more) changes[axis] = value;
    counts_ = counts_of("deform", variant, changes);
  }
  Cost load(const char* buffer) const {
    Cost cost;
    for (const Trace& trace : counts_.traces) {
      for (const AccessSite& site : trace.sites) {
        if (site.space != Space::global || site.kind != AccessKind::load || site.buffer != buffer)
          continue;
        cost.requests += static_cast<double>(site.totals.requests);
        cost.sectors += static_cast<double>(site.totals.sectors);
        cost.lines += static_cast<double>(site.totals.lines);
        cost.unique_bytes += static_cast<double>(site.totals.unique_bytes);
      }
    }
    return cost;
  }
  double shared_loads() const { return counts_.shared_loads; }
  const EmulatedCounts& counts() const { return counts_; }

 private:
  EmulatedCounts counts_;
};

using DeformAccess = CompilingTest;

// 4 corners of 8 points for each of 4 warps: each request has eight corners of 64 bytes, half a
// line each.
TEST_F(DeformAccess, OfTheBaselineIsSixteenWholeSectorsInUpToEightLines) {
  for (const char* variant :
       {"runtime_point_loop", "interleaved_compile_time_points", "scalar_metadata",
        "metadata_ahead", "branch_free", "sorted_queries"}) {
    const Cost value = Gather(variant).load("value");
    EXPECT_EQ(value.requests, 4 * 8 * 4) << variant;
    EXPECT_EQ(value.unique_bytes, 32 * value.sectors) << variant << ": no byte for nothing";
    EXPECT_LE(value.sectors_each(), 16) << variant;
    EXPECT_GT(value.sectors_each(), 15.9) << variant << ": two queries rarely share a corner";
    EXPECT_LE(value.lines_each(), 8) << variant;
    EXPECT_GT(value.lines_each(), 7.9) << variant;
  }
}

// Two corners of a row are 128 bytes from any multiple of 64: one line half of the time, else two.
TEST_F(DeformAccess, OfCornersInPairsIsTheSameRequestsInSixLinesOfEight) {
  for (const auto& [variant, levels] : {std::pair("pair_row_gather", 1),
                                        {"pair_rows_tensor", 1},
                                        {"pair_rows_two_passes", 2},
                                        {"pair_rows_bulk", 2}}) {
    const Cost value =
        Gather(variant, {{"levels", std::to_string(levels)}, {"turns", "1"}}).load("value");
    EXPECT_EQ(value.requests, levels * 4 * 8 * 4) << variant;
    EXPECT_EQ(value.unique_bytes, 32 * value.sectors) << variant << ": no byte for nothing";
    EXPECT_GT(value.sectors_each(), 15.8) << variant;
    EXPECT_NEAR(value.lines_each(), 6, 0.4) << variant;
  }
}

// A query's locations and weights come by bulk copies, once in each of two passes, and lanes read
// their slots' pieces without a conflict of banks: three quads for each lane of a warp.
TEST_F(DeformAccess, OfMetadataByBulkCopyIsNoLoadOfTheLanes) {
  const Changes changes = {{"levels", "4"}, {"turns", "1"}};
  const EmulatedCounts counts = Gather("pair_rows_bulk", changes).counts();
  double shared_requests = 0, shared_wavefronts = 0;
  for (const Trace& trace : counts.traces) {
    for (const AccessSite& site : trace.sites) {
      if (site.kind == AccessKind::load && (site.buffer == "loc" || site.buffer == "weight"))
        ADD_FAILURE() << "a lane loads " << site.buffer;
      if (site.kind != AccessKind::load || site.space != Space::shared) continue;
      shared_requests += static_cast<double>(site.totals.requests);
      shared_wavefronts += static_cast<double>(site.totals.wavefronts);
    }
  }
  constexpr double kWarps = 4, kPasses = 2, kQuads = 3, kQuarters = 4;
  EXPECT_EQ(shared_requests, kWarps * kPasses * kQuads);
  EXPECT_EQ(shared_wavefronts, kQuarters * shared_requests) << "a wavefront for eight lanes";
}

// The two phases of the published kernel load the same data in another order.
TEST_F(DeformAccess, OfTwoPhasesIsThatOfTheBaseline) {
  const Changes seed_shape = {{"levels", "4"}};
  const Cost baseline = Gather("interleaved_compile_time_points", seed_shape).load("value");
  for (const char* variant :
       {"two_phase_unrolled", "two_phase_wide_offsets", "two_phase_capped", "two_phase_unroll"}) {
    const Gather two_phases(variant, seed_shape);
    EXPECT_EQ(two_phases.load("value").requests, baseline.requests) << variant;
    EXPECT_EQ(two_phases.load("value").sectors, baseline.sectors) << variant;
    EXPECT_EQ(two_phases.load("value").lines, baseline.lines) << variant;
  }
}

// A query's 32 bytes of locations and 16 of weights a level, in 16-byte or in single loads.
TEST_F(DeformAccess, OfMetadataIsFewerRequestsOfTheSameSectorsEach) {
  const Gather wide("interleaved_compile_time_points"), narrow("scalar_metadata");
  EXPECT_EQ(wide.load("loc").requests, 4 * 2);
  EXPECT_EQ(wide.load("weight").requests, 4 * 1);
  EXPECT_EQ(narrow.load("loc").requests, 4 * 8);
  EXPECT_EQ(narrow.load("weight").requests, 4 * 8);
  EXPECT_EQ(wide.load("loc").sectors_each(), 8) << "a query's 32 bytes are a sector";
  EXPECT_EQ(narrow.load("loc").sectors_each(), 8);
  EXPECT_EQ(wide.load("weight").sectors_each(), 4) << "two queries' 16 bytes are a sector";
}

TEST_F(DeformAccess, OfSharedMetadataIsOneRequestForAllLanesOfAQuery) {
  for (const auto& [lanes, warps] : {std::pair("4", 4), {"8", 8}}) {
    const Gather shuffled("lane_per_point_shuffle", {{"query_lanes", lanes}});
    const double turns = warps == 4 ? 2 : 1;  // points of a lane
    EXPECT_EQ(shuffled.load("loc").requests, warps * turns) << lanes;
    EXPECT_EQ(shuffled.load("value").requests, 4 * 8 * 4) << lanes << ": the gather stays";
    EXPECT_GT(shuffled.load("value").sectors_each(), 15.8) << lanes;
  }
}

// Each sector of locations and weights once, in tiles of 64 queries.
TEST_F(DeformAccess, OfMetadataCopiedAheadIsEverySectorOnce) {
  const Gather copied("async_metadata", {{"levels", "4"}, {"queries", "128"}});
  EXPECT_EQ(copied.load("value").requests, 16 * 4 * 8 * 4);
  EXPECT_EQ(copied.load("loc").requests, 0) << "copies are not loads";
  EXPECT_GT(copied.shared_loads(), 0);
}

TEST_F(DeformAccess, OfFp8IsHalfTheSectors) {
  const Cost value = Gather("fp8_values").load("converted");
  EXPECT_GT(value.sectors_each(), 7.9);
  EXPECT_LE(value.sectors_each(), 8);
}

// Two of four levels are gathered from shared memory, whose requests are eight corners as well.
TEST_F(DeformAccess, OfStagedLevelsIsHalfTheGatherInSharedMemory) {
  const Changes four = {{"levels", "4"}};
  const Cost whole = Gather("interleaved_compile_time_points", four).load("value");
  const Gather bulk("bulk_staged_levels", four);
  EXPECT_EQ(bulk.load("value").requests, whole.requests / 2);
  EXPECT_GE(bulk.shared_loads(), 4 * whole.requests / 2) << "16 bytes per lane: four at least";
}

// A level that fits the window whole is copied once for two blocks and never gathered. For a larger
// level, only what lies outside the window is gathered.
TEST_F(DeformAccess, OfASharedWindowIsWhatLiesOutside) {
  const Gather inside("sorted_windows", {{"height0", "20"}, {"width0", "22"}});
  EXPECT_EQ(inside.load("value").requests, 0);
  EXPECT_GE(inside.shared_loads(), 4 * 8 * 4);
  const Changes outside = {{"height0", "92"}, {"width0", "160"}};
  EXPECT_GT(Gather("sorted_windows", outside).load("value").requests, 0);
}

// The published kernel loads 16 bytes at the fifth of eight weights.
TEST_F(DeformAccess, OfTheSecondWeightLoadIsAFaultWithItsLineAndLane) {
  const Scene& scene = **built_in_catalogue().find("deform");
  const Variant& variant = *find_variant(scene, "second_weight_load");
  const auto axes =
      configured(scene, variant.name, {{"batch", "1"}, {"queries", "8"}, {"broken", "on"}});
  ASSERT_TRUE(axes) << sentence(axes.error());
  EmulatedStage stage;
  ASSERT_TRUE(stage.set(scene, *axes));
  const auto run = stage.run(variant, {});
  ASSERT_TRUE(run) << sentence(run.error());
  ASSERT_FALSE(run->faults.empty());
  for (const char* part : {"second_weight_load.cu:16", "weight[0, 0, 0, 0, 4]",
                           "8 bytes past a multiple of its 16", "thread (0, 0, 0)"})
    EXPECT_NE(run->faults[0].sentence.find(part), std::string::npos) << run->faults[0].sentence;
}

}  // namespace
}  // namespace warpscope

#endif
