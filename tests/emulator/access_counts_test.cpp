// tests/emulator/access_counts_test.cpp: what addresses cost, against closed forms and walks over
// lanes.
#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/patterns/shapes.h"
#include "tests/emulator/emulated_scene.h"

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

EmulatedCounts emulated_patterns(const char* variant, const Changes& changes) {
  return counts_of("patterns", variant, changes);
}
EmulatedCounts csrmm(const char* variant, const Changes& changes) {
  return counts_of("csrmm", variant, changes);
}

TEST(AccessCounts, OfACopyEqualAWalkOverAllLanes) {
  for (const std::int64_t width : {4, 8, 16}) {
    for (const std::int64_t stride : {1, 3, 8}) {
      for (const std::int64_t offset : {0, 4, 12}) {
        const Changes changes = {{"n", "1000"},
                                 {"width", std::to_string(width)},
                                 {"stride", std::to_string(stride)},
                                 {"offset", std::to_string(offset)}};
        const EmulatedCounts found = emulated_patterns("copy", changes);
        const Scene& scene = **built_in_catalogue().find("patterns");
        const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
        const std::int64_t count = patterns::copied_vectors(*axes);
        double loads = 0, stores = 0;
        std::set<std::int64_t> read, written, all;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::int64_t from = (offset * 4 + i * stride * width) / 32, to = i * width / 32;
          loads += read.insert(from).second ? 1 : 0;
          stores += written.insert(to).second ? 1 : 0;
          all.insert(from);
          if (i % 32 == 31) read.clear(), written.clear();
        }
        const std::string at =
            std::to_string(width) + " " + std::to_string(stride) + " " + std::to_string(offset);
        EXPECT_EQ(found.loads, loads) << at;
        EXPECT_EQ(found.stores, stores) << at;
        EXPECT_EQ(found.load_requests, std::ceil(static_cast<double>(count) / 32)) << at;
        EXPECT_EQ(found.unique, static_cast<double>(all.size()) + stores) << at;
        EXPECT_EQ(found.asked, loads + stores) << at;
      }
    }
  }
}

TEST(AccessCounts, OfStructuresFollowFromTheirLayout) {
  const double count = 4096 / 8;
  const Changes three = {{"op", "structures"}, {"n", "4096"}, {"fields", "3"}};
  const EmulatedCounts fields = emulated_patterns("structures_fields", three),
                       vectors = emulated_patterns("structures_vectors", three),
                       arrays = emulated_patterns("structures_arrays", three);
  EXPECT_EQ(fields.sectors_per_load(), 32);
  EXPECT_EQ(fields.bytes(), (3 * 32 + 4) * count);
  EXPECT_EQ(32 * fields.unique, (32 + 4) * count) << "L1 may have it from the first field on";
  EXPECT_EQ(vectors.bytes(), (32 + 4) * count);
  EXPECT_EQ(arrays.sectors_per_load(), 4);
  const Changes five = {{"op", "structures"}, {"n", "4096"}, {"fields", "5"}};
  EXPECT_EQ(emulated_patterns("structures_vectors", five).bytes(), (2 * 32 + 4) * count);
}

TEST(AccessCounts, OfTransposesFollowFromRowsAndTiles) {
  const double n = 64 * 64;
  const Changes square = {{"op", "transpose"}, {"rows", "64"}, {"columns", "64"}};
  EXPECT_EQ(emulated_patterns("transpose_naive", square).bytes(), 4 * n + 32 * n);
  const EmulatedCounts tiled = emulated_patterns("transpose_tiled", square),
                       swizzled = emulated_patterns("transpose_swizzled", square);
  EXPECT_EQ(tiled.bytes(), 8 * n);
  EXPECT_EQ(tiled.shared_stores, n / 32);
  EXPECT_EQ(tiled.shared_loads, n) << "a column of the tile lies in one bank";
  EXPECT_EQ(swizzled.shared_loads + swizzled.shared_stores, 2 * n / 32);
  // 3 × 5: rows of 20 bytes at 0, 20, 40 touch 1, 2, 1 sectors; rows of the result, 12 bytes each,
  // 1, 1, 2, 1, 1; written down, the lanes of each row touch 2.
  const Changes small = {{"op", "transpose"}, {"rows", "3"}, {"columns", "5"}};
  EXPECT_EQ(emulated_patterns("transpose_padded", small).bytes(), 32 * (4 + 6));
  EXPECT_EQ(emulated_patterns("transpose_naive", small).bytes(), 32 * (4 + 6));
  EXPECT_EQ(emulated_patterns("transpose_naive", small).sectors_per_load(), 4.0 / 3);
}

TEST(AccessCounts, OfReductionsFollowFromPieces) {
  const double n = 4096, pieces = 16;
  const Changes sums = {{"op", "reduction"}, {"n", "4096"}};
  EXPECT_EQ(emulated_patterns("reduction_shuffle", sums).bytes(), 4 * n + 32 * pieces);
  EXPECT_EQ(emulated_patterns("reduction_shuffle", sums).sectors_per_load(), 4);
  EXPECT_EQ(emulated_patterns("reduction_warp", sums).sectors_per_load(), 16);
  EXPECT_EQ(emulated_patterns("reduction_warp", sums).shared_loads, 0);
  // 600 elements are 18 warps and 24 lanes, and three pieces.
  EXPECT_EQ(emulated_patterns("reduction_sequential", {{"op", "reduction"}, {"n", "600"}}).bytes(),
            32 * (18 * 4 + 3 + 3));
}

TEST(AccessCounts, OfGathersAndAtomicsFollowFromIndicesAndKeys) {
  const Changes mixed = {{"op", "gather"}, {"n", "4096"}, {"locality", "0.5"}};
  const double stream = 4096 / 8;
  const EmulatedCounts one = emulated_patterns("gather", mixed),
                       four = emulated_patterns("gather_in_flight", mixed);
  EXPECT_EQ(one.loads, stream + one.facts.at("gather_sectors"));
  EXPECT_EQ(four.loads, stream + four.facts.at("quad_sectors"));
  EXPECT_EQ(one.unique, 2 * stream + one.facts.at("distinct_sectors"));
  EXPECT_EQ(four.unique, one.unique) << "whatever the requests are";
  const Changes keys = {{"op", "atomics"}, {"n", "1000"}, {"bins", "50"}, {"contention", "8"}};
  EXPECT_EQ(emulated_patterns("atomics_global", keys).reduction_lanes, 1000);
  const EmulatedCounts merged = emulated_patterns("atomics_aggregated", keys);
  EXPECT_EQ(merged.reduction_lanes, merged.facts.at("warp_bins"));
  const double of_a_block = emulated_patterns("atomics_shared", keys).reduction_lanes;
  EXPECT_TRUE(of_a_block > 0 && of_a_block <= 50) << "one block, at most one a bin: " << of_a_block;
}

// The sectors of an entry: those of a row of B in strips of `width` columns, and the broadcasts of
// an index and a weight a strip; two pointers and a row of C a row and strip.
double csrmm_bytes(double m, double nnz, double row_sectors, double strips) {
  return 32 * (nnz * (row_sectors + 2 * strips) + m * (row_sectors + 2 * strips));
}

TEST(AccessCounts, OfGatheredRowsFollowFromStrips) {
  const Changes changes = {{"m", "64"}, {"k", "200"}, {"p", "0.1"}};  // 20 entries per row
  const double m = 64, nnz = 64 * 20;
  EXPECT_EQ(csrmm("warp_row_branch_free", changes).bytes(), csrmm_bytes(m, nnz, 16, 4));
  EXPECT_EQ(csrmm("float4_columns", changes).bytes(), csrmm_bytes(m, nnz, 16, 1));
  // Eight warps share a row: each reads the pointers.
  EXPECT_EQ(csrmm("block_row", changes).bytes(), csrmm_bytes(m, nnz, 16, 4) + 32 * m * 4 * 2 * 7);
  // One weight for all is one more broadcast a row and strip instead of one an entry.
  Changes homo = changes;
  homo["weights"] = "homo";
  EXPECT_EQ(csrmm("warp_row_branch_free", homo).bytes(),
            csrmm_bytes(m, nnz, 16, 4) + 32 * 4 * (m - nnz));
  // B is met once by each strip at least, whatever L1 has.
  const EmulatedCounts found = csrmm("float4_columns", changes);
  const double entries = std::ceil(nnz * 4 / 32);
  EXPECT_EQ(found.unique - m * 16,
            found.facts.at("distinct_columns") * 16 + 2 * entries + std::ceil(65 * 4 / 32.0));
}

TEST(AccessCounts, OfRowsThatBeginInsideASectorAreThoseOfEachPlace) {
  // Rows of 33 floats begin at eight places of a sector in turn. The strip of 32 columns touches 4
  // sectors at one of them and 5 at seven, the last column one.
  const EmulatedCounts rows =
      csrmm("warp_row_branch_free", {{"m", "64"}, {"k", "200"}, {"p", "0.1"}, {"n", "33"}});
  EXPECT_EQ(rows.stores, 64 * ((4 + 7 * 5) / 8.0 + 1));
  // 50 indices are 200 bytes, so rows begin at 0, 8, 16 and 24 bytes of a sector in turn: 32 of
  // them touch 4 sectors at the first and 5 at the others, the last 18 touch 3.
  const EmulatedCounts lanes =
      csrmm("warp_row_shuffle",
            {{"m", "64"}, {"k", "1000"}, {"p", "0.05"}, {"n", "32"}, {"weights", "homo"}});
  const double stream = (4 + 3 * 5) / 4.0 + 3;
  EXPECT_EQ(lanes.bytes(), 32 * 64 * (50 * 4 + stream + 2 + 1 + 4));
}

TEST(AccessCounts, OfStagedEntriesAreOneBroadcastAnEntry) {
  const Changes changes = {{"m", "64"}, {"k", "320"}, {"p", "0.1"}};  // 32 entries per row
  const double nnz = 64 * 32;
  const EmulatedCounts four = csrmm("row_cache", changes), two = csrmm("row_cache_2", changes);
  EXPECT_EQ(four.shared_loads, 2 * nnz) << "an index and a weight";
  EXPECT_EQ(four.shared_stores, 2 * 2 * nnz / 32) << "side by side in pairs: two ways each";
  EXPECT_EQ(two.shared_loads, 2 * four.shared_loads) << "two strips";
}

TEST(AccessCounts, OfACompressedBAreThoseOfWhatIsKept) {
  // Nothing is zero: what a lane keeps lies side by side, so each of its loads touches all 16
  // sectors of the 128 columns.
  const Changes full = {{"m", "64"}, {"k", "160"}, {"p", "0.1"}, {"db", "1"}};  // 16 entries per
                                                                                // row
  const Changes none = {{"m", "64"}, {"k", "160"}, {"p", "0.1"}, {"db", "0"}};
  const double nnz = 64 * 16;
  for (const auto& [v, loads_of_a_lane] :
       {std::pair("compressed_b_gather", 4), std::pair("compressed_b_pairs", 2),
        std::pair("compressed_b_quads", 1)}) {
    const EmulatedCounts all = csrmm(v, full), empty = csrmm(v, none);
    ASSERT_EQ(all.traces.size(), 2u);
    const auto loads = [](const EmulatedCounts& counts) {
      return *value_of(emulated_metrics(counts.traces.back()), "emulated.l1.sectors_load");
    };
    EXPECT_EQ(loads(all) - loads(empty), nnz * 16 * loads_of_a_lane) << v;
  }
}

TEST(AccessCounts, OfLedFollowFromBlocksAndWindows) {
  const Changes changes = {{"leds", "24"},  {"channels", "1"}, {"height", "64"},
                           {"width", "64"}, {"block", "32"},   {"frames", "4"}};
  const double products = 4 * 24.0 * 1024, patterns_once = 24.0 * 1024 / 8, blocks = 24;
  const auto led = [&](const char* variant) { return counts_of("led", variant, changes); };
  // A lane walks a row of its own: every lane of a pixel's request is in a sector of its own.
  const EmulatedCounts single = led("single_frame_repeated");
  EXPECT_EQ(single.sectors_per_load() > 20, true);
  // A pattern is loaded once by a block of four warps, by the warp of every frame in the direct
  // kernel; each warp loads its position.
  const EmulatedCounts loop = led("grid2d_frame_loop"), direct = led("direct_global");
  const double pixels = loop.facts.at("block_sectors");
  EXPECT_EQ(loop.loads, pixels + patterns_once + 4 * blocks);
  EXPECT_EQ(direct.loads, pixels + 4 * (patterns_once + blocks));
  // With one run per lane all words of a store lie in one bank; side by side they lie in 32 banks.
  const EmulatedCounts runs = led("grid3d_shared_pattern"), sides = led("grid3d_column_lanes");
  EXPECT_EQ(runs.shared_stores, products);
  EXPECT_EQ(sides.shared_stores, products / 32);
  EXPECT_EQ(sides.shared_loads, products / 32);
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
