// tests/scenes/csrmm_work_test.cpp: the work model of csrmm's rows beyond the published kernels, by
// hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "scenes/csrmm/automatic.h"
#include "scenes/csrmm/csrmm.h"
#include "scenes/csrmm/steps/skewed.h"

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
             {"sell_entries", w.real("m") * row},
             {"column_segments", w.real("k")}};
  return w;
}

std::optional<double> term(const std::string& id, const Changes& changes, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, workload(changes), *find_variant(scene(), variant));
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

TEST(CsrmmWork, ChargesRowSplitForClearingC) {
  const double once = 2e6 * 8 + 4 * 10001 + 10000 * 512 + 10000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", {}, "merge_path"), once);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", {}, "row_split"), once + 10000 * 512);
}

TEST(CsrmmWork, ReadsColumnPointersWhereAIsInColumns) {
  const Changes changes = {{"op", "T"}, {"k", "3000"}};  // 60 entries per row
  const double entries = 600e3, columns = 4 * 3001, b = 10000 * 512, c = 3000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_csc_gather"),
                   entries * 8 + columns + b + c);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_vector_reductions"),
                   entries * 8 + 4 * 10001 + b + 2 * c);
  EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "t_shared_slab"),
                   entries * 8 + 4 * 10001 + b + c);
}

TEST(CsrmmWork, ReadsFromDramAllButC) {
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", {}, "row_split"),
                   2e6 * 8 + 4 * 10001 + 10000 * 512);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", {{"op", "T"}, {"k", "3000"}}, "t_csc_gather"),
                   600e3 * 8 + 4 * 3001 + 10000 * 512);
}

TEST(CsrmmWork, HalvesTheValuesOf16BitStorage) {
  for (const char* type : {"f16", "bf16"}) {
    const Changes changes = {{"dtype", type}};
    EXPECT_DOUBLE_EQ(*term("model.dram_bytes", changes, "float4_columns"),
                     2e6 * 6 + 4 * 10001 + 2 * 10000 * 256);
    // 128 columns are 8 sectors. A strip with eight columns per lane is 256 wide, so one strip is
    // enough. 36 columns are not a multiple of eight: one column per lane, two strips, 72 bytes in
    // 3 sectors.
  }
}

// An H200 counted 1003.8 and 977.2 MB at the default, and 37.9 MB at the smaller one, where
// merge_path then had shares of 128 steps.
TEST(CsrmmWork, ExpectsWhatL1DoesNotKeepFromL2) {
  const auto read = [](const Changes& changes, const char* variant) {
    return *term("model.l2_read_bytes", changes, variant);
  };
  const Changes small = {{"m", "1000"}, {"k", "1000"}, {"p", "0.1"}};
  EXPECT_NEAR(read({}, "float4_columns"), 1003.8e6, 0.03 * 1003.8e6);
  EXPECT_NEAR(read({}, "warp_row_zero_test"), 977.2e6, 0.03 * 977.2e6);
  EXPECT_NEAR(read(small, "merge_path"), 37.9e6, 0.06 * 37.9e6);
  // 3000 steps are 24 blocks of 8 · 16: not all multiprocessors fetch B. row_swizzle has 250
  // blocks.
  const Changes few = {{"m", "1000"}, {"k", "20"}, {"p", "0.1"}, {"n", "32"}};
  EXPECT_LT(read(few, "merge_path"), 0.5 * read(few, "row_swizzle"));
  // By hand: one entry a row, so hardly a row of B is met twice: 10000 · 512 bytes, less those of
  // 10000 / 132 rows of 10000 that one multiprocessor meets again; and the entries.
  const double met = 10000 / 132.0, fetched = 10000 * (1 - std::exp(-met / 10000));
  EXPECT_NEAR(read({{"p", "0.0001"}}, "float4_columns"), 132 * fetched * 512 + 10000 * 8, 1);
  // Strips of 32 columns: B is met a quarter a time, the entries four times.
  EXPECT_NEAR(read({{"p", "0.0001"}}, "rows_per_block"), 132 * fetched * 512 + 4 * 10000 * 8, 1);
  // Rows of 33 columns: 132 bytes are a strip of four sectors and one of one.
  EXPECT_NEAR(read({{"p", "0.0001"}, {"n", "33"}}, "row_swizzle"),
              132 * fetched * 160 + 2 * 10000 * 8, 1);
  // Slabs of four columns: 128 blocks fetch 16 of the 32 bytes of a sector of each row.
  EXPECT_DOUBLE_EQ(read({}, "column_slab"), 128.0 * 10000 * 32 + 32 * 2e6 * 8);
  for (const char* v : {"compressed_b_gather", "t_csc_gather", "cusparse_alg3"})
    EXPECT_FALSE(term("model.l2_read_bytes", {}, v)) << v;
}

TEST(CsrmmWork, NeverFetchesMoreThanIsGatheredNorLessThanEachRowOnce) {
  for (const char* p : {"0.0001", "0.001", "0.02", "0.2"}) {
    const Workload w = workload({{"p", p}});
    const double entries = w.fact("nnz") * 8,
                 read = *term("model.l2_read_bytes", {{"p", p}}, "float4_columns");
    EXPECT_LE(read, w.fact("nnz") * 512 + entries) << p;
    EXPECT_GE(read, std::min(w.fact("nnz"), 10000 * (1 - 1 / std::exp(1.0))) * 512 + entries) << p;
  }
}

TEST(CsrmmWork, WalksAOnceAStripWhereItExceedsL2) {
  const Changes large = {{"p", "0.1"}};  // 80 MB of entries
  const double a = 1e7 * 8 + 4 * 10001, b = 10000 * 512;
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", large, "block_row"), 4 * a + b);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", large, "float4_columns"), a + b);
  EXPECT_DOUBLE_EQ(*term("model.dram_read_bytes", {}, "block_row"), 2e6 * 8 + 4 * 10001 + b);
}

TEST(CsrmmWork, LetsTheAutomaticChoiceCostWhatItsPickCosts) {
  for (const char* id : {"model.dram_bytes", "model.dram_read_bytes", "model.l2_read_bytes"}) {
    EXPECT_EQ(term(id, {}, "auto"), term(id, {}, "k_tiles")) << id;
    const Changes half = {{"dtype", "bf16"}, {"m", "1000"}, {"k", "1000"}};
    EXPECT_EQ(term(id, half, "auto"), term(id, half, "row_swizzle")) << id;
  }
}

TEST(CsrmmVariants, SaysWhatTakesWhichType) {
  const Workload half = workload({{"dtype", "f16"}}),
                 odd = workload({{"dtype", "f16"}, {"n", "4"}});
  EXPECT_FALSE(unavailable(*find_variant(scene(), "float4_columns"), half, {}));
  EXPECT_TRUE(unavailable(*find_variant(scene(), "float4_columns"), odd, {}));
  EXPECT_FALSE(unavailable(*find_variant(scene(), scene().baseline), half, {}));
  for (const char* v : {"merge_path", "cublas_dense_fp32", "k_tiles"}) {
    const auto reason = unavailable(*find_variant(scene(), v), half, {});
    ASSERT_TRUE(reason) << v;
    EXPECT_EQ(*reason, "it is written for f32, but the values are f16");
  }
  const Workload wide = workload({{"dtype", "f64"}});
  EXPECT_EQ(unavailable(*find_variant(scene(), "float4_columns"), wide, {}),
            "its sums are f32, but the values are f64");
  // The whole published ladder, and the library's forms of it.
  const std::set<std::string> calls = {"cusparse_default", "cusparse_alg1",     "cusparse_alg2",
                                       "cusparse_alg3",    "cusparse_coo_alg4", "cusparse_t",
                                       "cusparse_csc"};
  const Axis& of_seed = *find_axis(scene().axes, "index_width");
  for (const Variant& v : scene().variants) {
    if (!of_variant(of_seed, v.name) && calls.count(v.name) == 0) continue;
    for (const Workload* w : {&half, &wide}) {
      EXPECT_FALSE(unavailable(v, *w, {})) << v.name;
      const double rounding = std::ldexp(4.0, w == &wide ? -53 : -24);
      EXPECT_EQ(v.tolerance_at(w->axes).accumulation, rounding) << v.name;
    }
  }
}

// The defaults are those of the published listing; the first recordings used other sources.
TEST(CsrmmVariants, StandAtTheSeedAsItIsListed) {
  const auto kernel_at = [](const char* variant, const Changes& changes) {
    Workload w = workload(changes);
    const Configuration typed =
        *with_values(scene().axes, default_configuration(scene().axes), changes);
    w.axes = for_variant(scene().axes, typed, variant);
    const auto steps = find_variant(scene(), variant)->steps(w);
    const auto kernel = std::ranges::find_if(
        steps, [](const Step& step) { return std::holds_alternative<KernelLaunch>(step.action); });
    return std::get<KernelLaunch>(kernel->action);
  };
  const auto constant = [](const KernelLaunch& kernel, const std::string& name) {
    for (const auto& [key, value] : kernel.defines) {
      if (key == name) return value;
    }
    return std::string("absent");
  };
  for (const auto& [variant, source] : {std::pair("warp_row_unroll4", "csrmm/warp_row.cu"),
                                        std::pair("warp_row_shuffle", "csrmm/warp_row_shuffle.cu"),
                                        std::pair("t_scatter_atomics", "csrmm/t_scatter.cu")}) {
    const char* const op = std::string(variant).starts_with("t_") ? "T" : "NT";
    const KernelLaunch listed = kernel_at(variant, {{"op", op}});
    EXPECT_TRUE(listed.source.starts_with("csrmm/seed_")) << listed.source;
    EXPECT_EQ(constant(listed, "INDEX_WIDTH"), "32");
    EXPECT_EQ(constant(listed, "LAUNCH_BOUNDS"), "0");
    for (const std::string width : {"32", "64"}) {
      for (const std::string bounds : {"none", "32"}) {
        const KernelLaunch kernel =
            kernel_at(variant, {{"op", op}, {"index_width", width}, {"launch_bounds", bounds}});
        if (width == "64" && bounds == "32") {
          EXPECT_EQ(kernel.source, source);
          EXPECT_EQ(constant(kernel, "LAUNCH_BOUNDS"), "absent");
          continue;
        }
        EXPECT_TRUE(kernel.source.starts_with("csrmm/seed_")) << kernel.source;
        EXPECT_EQ(constant(kernel, "INDEX_WIDTH"), width);
        EXPECT_EQ(constant(kernel, "LAUNCH_BOUNDS"), bounds == "32" ? "32" : "0");
      }
    }
  }
  // Eight warps: one file has both widths.
  for (const char* variant : {"block_row_zero_test", "block_row", "block_row_unroll4"}) {
    EXPECT_EQ(constant(kernel_at(variant, {}), "WIDE"), "0") << variant;
    EXPECT_EQ(constant(kernel_at(variant, {{"index_width", "32"}}), "WIDE"), "0") << variant;
    EXPECT_EQ(constant(kernel_at(variant, {{"index_width", "64"}}), "WIDE"), "1") << variant;
  }
}

// What it picks follows fitted costs; whatever it is, it runs there as that row does.
TEST(CsrmmVariants, AutoRunsTheRowThatItNames) {
  const Variant& automatic = *find_variant(scene(), "auto");
  std::set<std::string> picked_rows;
  for (const char* op : {"NT", "T"}) {
    for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
      for (const auto& [n, longest] :
           std::vector<std::pair<std::string, double>>{{"128", 200}, {"129", 9801}, {"8", 200}}) {
        Workload w = workload({{"op", op}, {"dtype", dtype}, {"n", n}});
        w.facts["longest_row"] = longest;
        const std::string choice = automatic.choice(w);
        SCOPED_TRACE(choice);
        const std::string label = choice.substr(0, choice.find(": "));
        const auto picked = std::ranges::find(scene().variants, label, &Variant::label);
        ASSERT_NE(picked, scene().variants.end());
        EXPECT_TRUE(picked->repeatable || !automatic.repeatable);
        EXPECT_TRUE(applies(*picked, w.axes));
        EXPECT_FALSE(unavailable(*picked, w, {}));
        EXPECT_FALSE(unavailable(automatic, w, {}));
        picked_rows.insert(picked->name);
        const std::vector<Step> ours = automatic.steps(w), theirs = picked->steps(w);
        ASSERT_EQ(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_EQ(ours[i].name, theirs[i].name);
        EXPECT_EQ(automatic.scratch(w).size(), picked->scratch ? picked->scratch(w).size() : 0);
      }
    }
  }
  EXPECT_GE(picked_rows.size(), 6u);
}

// On an H200 these sum 16-bit values so that outputs are wrong.
TEST(CsrmmVariants, AutoNeverTakesALibraryThatIsWrongInSixteenBits) {
  const Variant& automatic = *find_variant(scene(), "auto");
  for (const char* dtype : {"f16", "bf16"}) {
    for (const char* m : {"500", "5000", "40000"}) {
      for (const char* n : {"8", "64", "256"}) {
        const std::string choice =
            automatic.choice(workload({{"dtype", dtype}, {"m", m}, {"k", m}, {"n", n}}));
        for (const char* wrong :
             {"cusparse_default", "cusparse_alg1", "cusparse_alg2", "cusparse_coo_alg4"})
          EXPECT_FALSE(choice.starts_with(find_variant(scene(), wrong)->label + ": ")) << choice;
      }
    }
  }
}

TEST(CsrmmVariants, SaysHowManyBytesASlabNeeds) {
  const Variant& slab = *find_variant(scene(), "column_slab");
  EXPECT_FALSE(unavailable(slab, workload({{"k", "14528"}}), {}));
  const auto reason = unavailable(slab, workload({{"k", "14529"}}), {});
  ASSERT_TRUE(reason);
  EXPECT_NE(reason->find("k ≤ 14528"), std::string::npos) << *reason;
}

// Rows, entries and the longest row of public matrices, and the share that was fastest on an H200.
TEST(CsrmmShares, AreShortWhereRowsAreShortOrFew) {
  struct Case {
    const char* matrix;
    std::int64_t m, entries, longest, share;
  };
  for (const Case& c :
       {Case{"cora", 2708, 10556, 168, 16}, Case{"bcsstk13", 2003, 83883, 95, 32},
        Case{"wiki-Vote", 8297, 103689, 893, 32}, Case{"ca-CondMat", 23133, 186936, 280, 64},
        Case{"email-Enron", 36692, 367662, 1383, 128}, Case{"dc2", 116835, 766396, 114190, 128},
        Case{"scircuit", 170998, 958936, 353, 32}, Case{"ogbn-arxiv", 169343, 2315598, 13161, 64},
        Case{"webbase-1M", 1000005, 3105536, 4700, 32},
        Case{"the default", 10000, 2000000, 200, 256},
        Case{"one huge row", 10000, 2000000, 2000000, 256}}) {
    Workload w = workload({{"m", std::to_string(c.m)}, {"k", std::to_string(c.m)}});
    w.facts["nnz"] = static_cast<double>(c.entries);
    w.facts["longest_row"] = static_cast<double>(c.longest);
    EXPECT_EQ(csrmm::merge_path_share(w), c.share) << c.matrix;
  }
}

}  // namespace
}  // namespace warpscope
