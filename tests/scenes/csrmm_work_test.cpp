// tests/scenes/csrmm_work_test.cpp: the work model of csrmm's rows beyond the seed, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/csrmm/automatic.h"
#include "scenes/csrmm/csrmm.h"

namespace warpscope {
namespace {

using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = csrmm_scene();
  return made;
}

// Fixed rows of floor(k·p) entries that name all columns.
Workload workload(const Changes& changes) {
  Workload w{*with_values(scene().axes, with_defaults(scene().axes, {}), changes), {}};
  const double row = std::floor(w.real("k") * w.real("p") + 1e-6);
  w.facts = {{"nnz", w.real("m") * row},
             {"mean_row", row},
             {"distinct_columns", w.real("k")},
             {"longest_row", row},
             {"shortest_row", row},
             {"duplicates", 0},
             {"longest_column", row},
             {"empty_rows", 0},
             {"empty_columns", 0},
             {"row_segments", w.real("m")},
             {"column_segments", w.real("k")}};
  return w;
}

std::optional<double> term(const std::string& id, const Changes& changes, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return row.formula(workload(changes), *find_variant(scene(), variant));
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

TEST(CsrmmWork, CountsStripsOfTheFormThatTheWidthAllows) {
  for (const char* variant : {"row_swizzle", "row_split", "merge_path", "row_queue"}) {
    // Not a multiple of 4: one column a lane, two strips. 132 columns: 528 bytes are 17 sectors.
    EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", {{"n", "33"}}, variant),
                     2e6 * 160 + 2 * 2e6 * 8);
    EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", {{"n", "132"}}, variant),
                     2e6 * 544 + 2 * 2e6 * 8);
    EXPECT_DOUBLE_EQ(*term("model.l1_wavefronts", {}, variant), 6.0 * 2e6);
  }
}

TEST(CsrmmWork, ChargesRowSplitForClearingC) {
  const double once = 2e6 * 8 + 4 * 10001 + 10000 * 512 + 10000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", {}, "merge_path"), once);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", {}, "row_split"), once + 10000 * 512);
}

TEST(CsrmmWork, ReadsColumnPointersWhereAIsInColumns) {
  const Changes changes = {{"op", "T"}, {"k", "3000"}};  // 60 entries a row
  const double entries = 600e3, columns = 4 * 3001, b = 10000 * 512, c = 3000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_csc_gather"),
                   entries * 8 + columns + b + c);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_vector_reductions"),
                   entries * 8 + 4 * 10001 + b + 2 * c);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_shared_slab"),
                   entries * 8 + 4 * 10001 + b + c);
  EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", changes, "t_csc_gather"),
                   entries * 512 + entries * 8);
  EXPECT_DOUBLE_EQ(*term("model.instructions", changes, "t_vector_reductions"), entries * 4);
}

// Bytes of L2 per entry beyond the streams, in sectors: one of mask and those of what is kept.
double sectors_of_values(const Changes& changes, const char* variant) {
  const Workload w = workload(changes);
  const double b = 4 * w.real("k") * w.real("n"), streams = 8;
  return (*term("model.l2_gather_bytes", changes, variant) - b) / w.fact("nnz") / 32 -
         streams / 32 - 1;
}

TEST(CsrmmWork, ExpectsTheSectorsOfACompressedRowOfB) {
  // Nothing is zero: 128 columns are 16 sectors. Everything is: none.
  for (const char* v : {"compressed_b_gather", "compressed_b_pairs", "compressed_b_quads"}) {
    EXPECT_NEAR(sectors_of_values({{"db", "1"}}, v), 16, 1e-9) << v;
    EXPECT_NEAR(sectors_of_values({{"db", "0"}}, v), 0, 1e-9) << v;
    // Four columns never fill a sector: one if any of them is kept, 1 − 0.9⁴ of the time.
    EXPECT_NEAR(sectors_of_values({{"n", "4"}}, v), 1 - std::pow(0.9, 4), 1e-9) << v;
    // Zeros in whole rows, or in 2 strips of 4 sectors each.
    EXPECT_NEAR(sectors_of_values({{"zeros", "rows"}, {"db", "0.25"}}, v), 4, 1e-9) << v;
    EXPECT_NEAR(sectors_of_values({{"zeros", "strips"}, {"db", "0.25"}, {"n", "64"}}, v), 2, 1e-9)
        << v;
  }
  // 16 columns at one half: one sector unless all are zero, a second above 8 kept.
  const double none = 1 / 65536.0, eight = 12870 / 65536.0;
  EXPECT_NEAR(sectors_of_values({{"n", "16"}, {"db", "0.5"}}, "compressed_b_gather"),
              1 - none + (1 - eight) / 2, 1e-9);
}

TEST(CsrmmWork, CountsWavefrontsOfACompressedRowOfBByTheWidthOfItsLoads) {
  // Four loads of one word, two of two, one of four, less those of which all 32 granules are zero;
  // four, two, one words of mask; four indices and four weights in four wavefronts each.
  EXPECT_NEAR(*term("model.l1_wavefronts", {}, "compressed_b_gather"),
              2e6 * (4 * (1 - std::pow(0.9, 32)) + 4 + 2), 1);
  EXPECT_NEAR(*term("model.l1_wavefronts", {{"weights", "homo"}}, "compressed_b_pairs"),
              2e6 * (4 * (1 - std::pow(0.9, 64)) + 2 + 1), 1);
  EXPECT_NEAR(*term("model.l1_wavefronts", {{"db", "1"}}, "compressed_b_quads"), 2e6 * (4 + 1 + 2),
              1);
  // An H200 counted 20.29, 16.13 and 15.25 million at the default.
  EXPECT_NEAR(*term("model.l1_wavefronts", {}, "compressed_b_gather"), 20.29e6, 0.03 * 20.29e6);
  EXPECT_NEAR(*term("model.l1_wavefronts", {}, "compressed_b_pairs"), 16.13e6, 0.03 * 16.13e6);
}

// The figures are those that an H200 counted of l1tex__t_bytes.sum, at the default and where rows
// of 50 entries begin anywhere in a sector.
TEST(CsrmmWork, CountsTheSectorsOfEveryRequestAsAnH200Does) {
  const Changes rows_of_50 = {{"m", "1000"}, {"k", "1000"}, {"p", "0.05"}, {"n", "32"}};
  const struct {
    const char* variant;
    double mega_bytes;
    bool exact;
    Changes changes;
  } cases[] = {{"warp_row_unroll4", 1543.68, true, {}},
               {"warp_row_unroll4", 1288.96, true, {{"weights", "homo"}}},
               {"warp_row_shuffle", 1095.68, true, {}},
               {"block_row", 1561.60, true, {}},
               {"block_row", 1315.84, true, {{"weights", "homo"}}},
               {"float4_columns", 1157.76, true, {}},
               {"row_cache_2", 1062.40, true, {}},
               {"row_cache", 1045.76, true, {}},
               {"column_slab", 583.68, true, {}},
               {"t_csc_gather", 1157.76, true, {{"op", "T"}}},
               {"warp_row_shuffle", 7.088, true, rows_of_50},
               {"row_cache", 7.088, true, rows_of_50},
               // What is zero, and how rows are shared out, depends on the input.
               {"warp_row_zero_test", 1534.804, false, {}},
               {"row_split", 1163.64, false, {}},
               {"merge_path", 1161.26, false, {}},
               {"compressed_b_gather", 525.84, false, {}},
               {"compressed_b_pairs", 517.44, false, {}},
               {"compressed_b_quads", 513.07, false, {}},
               {"row_split", 9.987104, false, rows_of_50},
               {"compressed_b_gather", 4.532192, false, rows_of_50},
               {"compressed_b_quads", 6.409856, false, rows_of_50}};
  for (const auto& c : cases) {
    const double bytes = *term("model.l1_bytes", c.changes, c.variant);
    EXPECT_NEAR(bytes, c.mega_bytes * 1e6, c.exact ? 5e3 : 0.005 * bytes) << c.variant;
  }
}

TEST(CsrmmWork, CountsRowsThatBeginInsideASector) {
  // Rows of 33 floats begin at eight places of a sector in turn. The strip of 32 columns touches 4
  // sectors at one of them and 5 at seven, the last column one. Per entry and strip an index and a
  // weight, per row and strip two pointers; C in the same pieces.
  const double strips = (4 + 7 * 5) / 8.0 + 1;
  EXPECT_NEAR(*term("model.l1_bytes", {{"n", "33"}}, "warp_row_unroll4"),
              32 * (2e6 * (strips + 2 * 2) + 10000 * (strips + 2 * 2)), 1);
}

TEST(CsrmmWork, CountsRowsOfAThatBeginInsideASector) {
  // 50 indices are 200 bytes, so rows begin at 0, 8, 16 and 24 bytes of a sector in turn: 32 of
  // them touch 4 sectors at the first and 5 at the others, the last 18 touch 3. One strip of 32
  // columns: 50 rows of B of 4 sectors, two pointers and a row of C a row of A.
  const Changes homo = {
      {"m", "1000"}, {"k", "1000"}, {"p", "0.05"}, {"n", "32"}, {"weights", "homo"}};
  const double stream = (4 + 3 * 5) / 4.0 + 3;
  EXPECT_NEAR(*term("model.l1_bytes", homo, "warp_row_shuffle"),
              32 * 1000 * (50 * 4 + stream + 2 + 1 + 4), 1);
  // One row has all entries and begins at a sector.
  Workload w = workload({{"weights", "homo"}});
  w.facts["longest_row"] = 2e6;
  w.facts["shortest_row"] = 0;
  w.facts["empty_rows"] = 9999;
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id != "model.l1_bytes") continue;
    EXPECT_NEAR(*row.formula(w, *find_variant(scene(), "warp_row_shuffle")),
                32 * (2e6 * 16 + 4 * 2e6 / 8 + 10000 * 4 * 3 + 10000 * 16), 1);
  }
}

TEST(CsrmmWork, SendsWhatIsGatheredAndCOverL2) {
  EXPECT_DOUBLE_EQ(*term("model.l2_bytes", {}, "float4_columns"), 1040e6 + 10000 * 512);
  // C is cleared before.
  EXPECT_DOUBLE_EQ(*term("model.l2_bytes", {}, "row_split"), 1040e6 + 2 * 10000 * 512);
  // 16 of the 32 bytes of a sector: a row of C is 32 of them.
  EXPECT_DOUBLE_EQ(*term("model.l2_bytes", {}, "column_slab"),
                   128.0 * 10000 * 32 + 32 * 2e6 * 8 + 10000 * 32 * 32);
  EXPECT_FALSE(term("model.l2_bytes", {}, "cusparse_alg3"));
}

TEST(CsrmmWork, ReadsFromDramAllButC) {
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", {}, "row_split"),
                   2e6 * 8 + 4 * 10001 + 10000 * 512);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", {{"op", "T"}, {"k", "3000"}}, "t_csc_gather"),
                   600e3 * 8 + 4 * 3001 + 10000 * 512);
}

TEST(CsrmmWork, CountsASlabOfBAndTheWalksOverA) {
  // 32 slabs with four blocks each: 128 times 10000 rows in sectors, and A 32 times.
  EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", {}, "column_slab"),
                   128.0 * 10000 * 32 + 32 * 2e6 * 8);
  const double shared = 2e6 * 128 * 4 + 128.0 * 10000 * 16;
  EXPECT_DOUBLE_EQ(*term("model.shared_bytes", {}, "column_slab"), shared);
  // Eight lanes in eight groups of banks: the fullest has 2.5972 of them on average (counted over
  // all 8⁸ ways). 7 turns of 32 entries, 6 shuffles, 2 pointers and a store a row and slab.
  const double rows = 32 * 10000.0;
  EXPECT_NEAR(*term("model.l1_wavefronts", {}, "column_slab"),
              32 * 2e6 / 8 * 2.5972328 + rows * (7 * 2 + 6 + 2 + 1) + 128.0 * 10000 * (1 + 1 / 8.0),
              10);
  EXPECT_FALSE(term("model.shared_bytes", {}, "float4_columns"));
}

TEST(CsrmmWork, CountsOneBroadcastOfAStagedEntryAndItsStaging) {
  EXPECT_DOUBLE_EQ(*term("model.l1_wavefronts", {}, "row_cache"), 2e6 * (4 + 1 + 4 / 32.0));
  EXPECT_DOUBLE_EQ(*term("model.l1_wavefronts", {}, "row_cache_2"), 2e6 * (4 + 2 + 8 / 32.0));
}

TEST(CsrmmWork, HalvesTheValuesOf16BitStorage) {
  for (const char* type : {"f16", "bf16"}) {
    const Changes changes = {{"dtype", type}};
    EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "float4_columns"),
                     2e6 * 6 + 4 * 10001 + 2 * 10000 * 256);
    // 128 columns are 8 sectors; the strip of eight columns a lane is 256 wide, so one serves.
    EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", changes, "float4_columns"),
                     2e6 * 256 + 2e6 * 6);
    EXPECT_DOUBLE_EQ(*term("model.l1_wavefronts", changes, "float4_columns"), 2e6 * (2 + 2));
    EXPECT_DOUBLE_EQ(
        *term("model.l2_gather_bytes", {{"dtype", type}, {"n", "512"}}, "float4_columns"),
        2e6 * 1024 + 2 * 2e6 * 6);
    // 36 columns are no multiple of eight: one a lane, two strips, 72 bytes in 3 sectors.
    EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", {{"dtype", type}, {"n", "36"}}, "row_swizzle"),
                     2e6 * 96 + 2 * 2e6 * 6);
    EXPECT_DOUBLE_EQ(*term("model.l2_gather_bytes", changes, "warp_row_unroll4"),
                     2e6 * 256 + 4 * 2e6 * 6);
  }
}

TEST(CsrmmVariants, SaysWhatTakesWhichType) {
  const Workload half = workload({{"dtype", "f16"}}),
                 odd = workload({{"dtype", "f16"}, {"n", "4"}});
  EXPECT_FALSE(unavailable(*find_variant(scene(), "float4_columns"), half, {}));
  EXPECT_TRUE(unavailable(*find_variant(scene(), "float4_columns"), odd, {}));
  EXPECT_FALSE(unavailable(*find_variant(scene(), scene().baseline), half, {}));
  for (const char* v : {"merge_path", "cusparse_alg3", "block_row"}) {
    const auto reason = unavailable(*find_variant(scene(), v), half, {});
    ASSERT_TRUE(reason) << v;
    EXPECT_EQ(*reason, "it is written for f32, and the values are f16");
  }
}

TEST(CsrmmVariants, AutoPicksByTheInputAndSaysWhy) {
  const Variant& automatic = *find_variant(scene(), "auto");
  for (const std::string& name : csrmm::automatic_candidates()) {
    ASSERT_NE(find_variant(scene(), name), nullptr) << name;
    EXPECT_TRUE(find_variant(scene(), name)->repeatable || !automatic.repeatable) << name;
  }
  const auto expect = [&](const Changes& changes, double longest, const char* label) {
    Workload w = workload(changes);
    w.facts["longest_row"] = longest;
    const std::string choice = automatic.choice(w);
    EXPECT_TRUE(choice.starts_with(std::string(label) + ": ")) << choice;
    const auto picked = std::ranges::find(scene().variants, std::string(label), &Variant::label);
    ASSERT_NE(picked, scene().variants.end()) << label;
    const std::vector<Step> ours = automatic.steps(w), theirs = picked->steps(w);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i].name, theirs[i].name);
    EXPECT_EQ(automatic.scratch(w).size(), picked->scratch ? picked->scratch(w).size() : 0);
  };
  expect({}, 200, "K-tiled stream");
  expect({{"op", "T"}}, 200, "transpose, then K-tiled stream");
  expect({{"db", "1"}, {"n", "129"}}, 200, "rows per block");
  expect({{"db", "1"}, {"n", "129"}, {"op", "T"}}, 9801, "transpose, then gather");
  expect({{"p", "0.001"}, {"n", "512"}, {"db", "1"}}, 10, "float4 columns");
  expect({{"m", "1000"}, {"k", "1000"}}, 20, "row swizzle");
  expect({}, 9801, "K-tiled stream");
  expect({}, 1.9e6, "row split");
  expect({{"n", "129"}}, 9801, "merge path");
  expect({{"dtype", "f16"}}, 9801, "row swizzle");
  expect({{"dtype", "bf16"}}, 200, "float4 columns");
  expect({{"dtype", "bf16"}, {"n", "132"}}, 200, "rows per block");
}

TEST(CsrmmVariants, SaysHowManyBytesASlabNeeds) {
  const Variant& slab = *find_variant(scene(), "column_slab");
  EXPECT_FALSE(unavailable(slab, workload({{"k", "14528"}}), {}));
  const auto reason = unavailable(slab, workload({{"k", "14529"}}), {});
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("k ≤ 14528"), std::string::npos) << *reason;
}

}  // namespace
}  // namespace warpscope
