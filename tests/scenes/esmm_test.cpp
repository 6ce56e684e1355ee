// tests/scenes/esmm_test.cpp: inputs, patterns, tiles, constraints and work model of `esmm` hold.
#include "scenes/esmm/esmm.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "scenes/base/element_inputs.h"
#include "scenes/esmm/inputs/operands.h"
#include "scenes/esmm/inputs/pattern_counts.h"
#include "scenes/esmm/steps.h"
#include "scenes/esmm/tiles.h"
#include "scenes/esmm/variants/exhibits.h"

namespace warpscope {
namespace {

using namespace esmm;
using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = esmm_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  const auto axes = with_values(scene().axes, default_configuration(scene().axes), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return *axes;
}

Changes sized(const char* m, const char* n, const char* k, Changes changes = {}) {
  changes.merge(Changes{{"m", m}, {"n", n}, {"k", k}});
  return changes;
}

struct Made {
  Workload w;
  Inputs inputs;
  std::span<const float> of(const char* array) const { return inputs.at(array).as<float>(); }
};

Made make(const Changes& changes) {
  Made made{{configured(changes), {}}, {}};
  const auto groups = regenerate_inputs(scene(), nullptr, made.w.axes, made.inputs, made.w.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  make_element_inputs(scene(), made.w, made.inputs);
  return made;
}

std::optional<double> term(const char* id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id != id) continue;
    const Variant& v = *find_variant(scene(), variant);
    return evaluate(row, {for_variant(scene().axes, w.axes, variant), w.facts, w.late}, v);
  }
  ADD_FAILURE() << "no term " << id;
  return std::nullopt;
}

std::optional<std::string> reason(const Changes& changes, const char* variant) {
  const Configuration axes = configured(changes);
  return unavailable(*find_variant(scene(), variant),
                     {for_variant(scene().axes, axes, variant), {}}, DeviceLimits{});
}

// Bit k of a group of rows of A, or columns of B, the slow way.
bool bit(std::span<const float> values, std::int64_t rows, std::int64_t columns, bool along_rows,
         std::int64_t group, std::int64_t size, std::int64_t k) {
  const std::int64_t extent = along_rows ? rows : columns;
  for (std::int64_t i = group * size; i < std::min(extent, (group + 1) * size); ++i) {
    const std::int64_t at = along_rows ? i * columns + k : k * columns + i;
    if (values[static_cast<std::size_t>(at)] != 0.0f) return true;
  }
  return false;
}

const std::vector<std::string>& zeros_of(const char* axis) {
  return find_axis(scene().axes, axis)->choices;
}

TEST(EsmmPatterns, AreTheNonzerosOfTheValuesAtEverySizeAndRule) {
  std::vector<Changes> all;
  for (const std::string& a : zeros_of("a_zeros"))
    if (a != "file")
      all.push_back(sized("50", "41", "19", {{"a_zeros", a}, {"band", "7"}, {"da", "0.3"}}));
  for (const std::string& b : zeros_of("b_zeros"))
    if (b != "file")
      all.push_back(sized("9", "70", "33", {{"b_zeros", b}, {"b_string", "10010011"}}));
  for (const Changes& changes : all) {
    const Made made = make(changes);
    for (const char* array : {"a", "b"}) {
      const Operand o = operand_of(made.w.axes, array);
      const Result<Pattern> finest = pattern_of(o);
      ASSERT_TRUE(finest);
      for (const std::int64_t times : {1, 4, 8}) {
        const Pattern p = joined(*finest, times);
        const std::int64_t depth = o.k_along_rows ? o.columns : o.rows;
        for (std::int64_t g = 0; g < p.groups; ++g) {
          for (std::int64_t k = 0; k < 8 * p.k_blocks; ++k) {
            const bool expected =
                k < depth && bit(made.of(array), o.rows, o.columns, o.k_along_rows, g, p.group, k);
            ASSERT_EQ(p.at(g, k / 8) >> (k % 8) & 1, expected ? 1 : 0)
                << array << " " << o.zeros << ", group " << g << " of " << p.group << ", k " << k;
          }
        }
      }
    }
  }
}

TEST(EsmmPatterns, CountTheStepsOfAllPairsOfGroups) {
  const Made made = make(sized("96", "80", "24", {{"da", "0.4"}, {"db", "0.6"}}));
  const Pattern a = joined(*pattern_of(operand_a(made.w.axes)), 4);
  const Pattern b = joined(*pattern_of(operand_b(made.w.axes)), 4);
  std::int64_t bits = 0, blocks = 0;
  for (std::int64_t i = 0; i < a.groups; ++i) {
    for (std::int64_t j = 0; j < b.groups; ++j) {
      for (std::int64_t block = 0; block < a.k_blocks; ++block) {
        bits += std::popcount(static_cast<unsigned>(a.at(i, block) & b.at(j, block)));
        blocks += (a.at(i, block) & b.at(j, block)) != 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(bits, 0);
  EXPECT_EQ(made.w.fact("joint_32_32"), static_cast<double>(bits));
  EXPECT_EQ(made.w.fact("joint_blocks_32_32"), static_cast<double>(blocks));
}

TEST(EsmmPatterns, CountSquareBlocksOfA) {
  const Made made = make(sized("64", "16", "96", {{"a_zeros", "causal"}}));
  // Blocks that the diagonal of 64 rows touches or leaves below itself.
  EXPECT_EQ(made.w.fact("a_sparse_blocks_8"), 8 * 9 / 2);
  EXPECT_EQ(made.w.fact("a_most_blocks_8"), 8);
  EXPECT_EQ(made.w.fact("a_sparse_blocks_32"), 3);
  EXPECT_EQ(made.w.fact("a_most_blocks_32"), 2);
  EXPECT_EQ(*term("model.flops", made.w, "cusparse_bsr"), 2.0 * 36 * 64 * 16);
  EXPECT_EQ(*term("model.flops", made.w, "cusparse_blocked_ell"), 2.0 * 64 * 64 * 16);
}

TEST(EsmmPatterns, AreDrawnAPixelABit) {
  const Made made = make(sized("1100", "1100", "200", {{"b_zeros", "column_pattern"}}));
  const Raster raster = pattern_picture(made.w);
  ASSERT_EQ(raster.width, 128);
  ASSERT_EQ(raster.height, 100);
  const auto dark = [&raster](int row, int k) {
    return raster.rgb[static_cast<std::size_t>(3 * (row * raster.width + k))] < 200;
  };
  const Pattern a = joined(*pattern_of(operand_a(made.w.axes)), 4);
  for (int group = 0; group < 32; ++group) {
    for (int k = 0; k < 128; ++k) {
      const bool of_a = (a.at(group, k / 8) >> (k % 8) & 1) != 0, of_b = k % 8 < 4;
      ASSERT_EQ(dark(group, k), of_a) << group << " " << k;
      ASSERT_EQ(dark(34 + group, k), of_a && of_b) << group << " " << k;
      ASSERT_EQ(dark(68 + group, k), of_b) << group << " " << k;
    }
  }
}

// The rules' shares of set bits, from closed forms.
TEST(EsmmPatterns, SaturateAsThirtyTwoRowsSay) {
  const auto share = [](const Changes& changes) {
    const Made made = make(sized("1024", "64", "1024", changes));
    return made.w.fact("a_bits_32") / (32.0 * 1024);
  };
  const auto any = [](double d, double of) { return 1 - std::pow(1 - d, of); };
  // A kept element is 0 once in 25.
  for (const double d : {0.02, 0.05, 0.125}) {
    const std::string density = to_text(AxisValue(d));
    EXPECT_NEAR(share({{"a_zeros", "unstructured"}, {"da", density}}), any(d * 24 / 25, 32), 0.02);
    EXPECT_NEAR(share({{"a_zeros", "unstructured"}, {"da", density}, {"values", "normal"}}),
                any(d, 32), 0.02);
    EXPECT_NEAR(share({{"a_zeros", "relu_like"}, {"da", density}}), any(d, 4), 0.02);
    EXPECT_NEAR(share({{"da", density}}), d, 0.02) << "blockwise";
    EXPECT_NEAR(share({{"da", density}, {"a_bit_rows", "8"}}), any(d, 4), 0.02);
    EXPECT_NEAR(share({{"a_zeros", "zero_k_blocks"}, {"da", density}}), d, 0.1);
  }
  EXPECT_NEAR(share({{"a_zeros", "unstructured"}, {"da", "0.25"}}), 1, 0.0005);
  EXPECT_EQ(share({{"a_zeros", "column_pattern"}, {"a_string", "11000001"}}), 3.0 / 8);
  EXPECT_NEAR(share({{"a_zeros", "causal"}}), 0.5, 0.02);
}

TEST(EsmmPatterns, LeaveTheShareThatIndependentBitsDo) {
  const Made made = make(sized("1024", "1024", "1024"));
  EXPECT_NEAR(*term("model.executed_share", made.w, "a_skip"), 0.5, 0.01);
  EXPECT_NEAR(*term("model.executed_share", made.w, "a_skip_tuned"), 0.75, 0.01);
  EXPECT_NEAR(*term("model.executed_share", made.w, "joint_lookup"), 0.25, 0.01);
  EXPECT_NEAR(*term("model.executed_share", made.w, "joint_64"), 0.5625, 0.01);
  EXPECT_EQ(*term("model.expected_share", made.w, "joint_64"), 0.5625);
  EXPECT_EQ(*term("model.expected_share", made.w, "a_skip_tuned"), 0.75);
  EXPECT_EQ(*term("model.executed_share", made.w, "dense_warp_tile"), 1);
  EXPECT_EQ(*term("model.flops", made.w, "dense_warp_tile"), std::ldexp(1.0, 31));
}

TEST(EsmmInputs, FollowTheOriginsLaw) {
  const Made made = make(sized("512", "8", "512", {{"da", "1"}}));
  std::map<float, int> counts;
  int negative = 0;
  for (const float value : made.of("a")) {
    ++counts[std::abs(value)];
    negative += std::signbit(value) ? 1 : 0;
  }
  constexpr double kAll = 512 * 512;
  EXPECT_EQ(counts.size(), 25u);
  for (const auto& [value, count] : counts) {
    EXPECT_NEAR(count / kAll, 1.0 / 25, 0.003) << value;
    const double part = value - std::floor(value);
    EXPECT_TRUE(value < 4.05 && part < 0.045) << value;
  }
  EXPECT_NEAR(negative / kAll, 0.5, 0.01);
  EXPECT_NE(make(sized("64", "64", "64")).of("a")[5],
            make(sized("64", "64", "64", {{"seed", "1"}})).of("a")[5]);
}

TEST(EsmmInputs, RefuseAPatternThatIsNotEightBits) {
  for (const char* text : {"1111000", "111100001", "1111000x", ""}) {
    const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}),
                                  {{"a_zeros", "column_pattern"}, {"a_string", text}});
    ASSERT_FALSE(axes) << text;
    EXPECT_NE(sentence(axes.error()).find("eight"), std::string::npos) << sentence(axes.error());
  }
  const Made zero =
      make(sized("32", "32", "16", {{"a_zeros", "column_pattern"}, {"a_string", "00000000"}}));
  EXPECT_EQ(zero.w.fact("a_bits_32"), 0);
  EXPECT_EQ(*term("model.flops", zero.w, "joint_lookup"), 0);
}

TEST(EsmmTiles, AreLegalWhereTheyAreTheirOwn) {
  for (const Variant& v : scene().variants) {
    if (!v.own_kernels) continue;
    EXPECT_EQ(broken_rule(own_tile(v.name)), std::nullopt) << v.name;
  }
  EXPECT_EQ(own_tile("a_skip").wmiter(), 2);
  EXPECT_EQ(own_tile("a_skip_tuned").wmiter(), 4);
  EXPECT_EQ(own_tile("transposed_b").wmiter(), 8);
  EXPECT_EQ(own_tile("joint_table").threads(), 256);
}

TEST(EsmmTiles, NameTheRuleThatTheyBreak) {
  const auto rule = [](auto change) {
    Tile tile;
    change(tile);
    return broken_rule(tile).value_or("legal");
  };
  EXPECT_EQ(rule([](Tile&) {}), "legal");
  EXPECT_EQ(rule([](Tile& t) { t.wm = 48; }), "WM = 48 must divide BM = 128");
  EXPECT_EQ(rule([](Tile& t) { t.wn = 96; }), "WN = 96 must divide BN = 128");
  EXPECT_EQ(rule([](Tile& t) { t.bk = 12; }), "BK = 12 must be a multiple of 8");
  EXPECT_EQ(rule([](Tile& t) {
              t.wm = 8;
              t.wn = 16;
            }),
            "BM/WM · BN/WN = 128 warps, and a block has at most 32");
  EXPECT_EQ(rule([](Tile& t) { t.wniter = 3; }), "WNITER = 3 must divide WN = 64");
  EXPECT_NE(rule([](Tile& t) {
              t.tm = 8;
              t.wniter = 8;
            }).find("WMITER"),
            std::string::npos);
  EXPECT_NE(rule([](Tile& t) {
              t.tm = 8;
              t.tn = 1;
              t.wniter = 1;
              t.wm = 32;
              t.wn = 64;
            }).find("per lane, 32 in all"),
            std::string::npos);
}

TEST(EsmmConstraints, SayWhatIsMissing) {
  EXPECT_EQ(reason(sized("256", "256", "256"), "a_skip"), std::nullopt);
  EXPECT_EQ(reason(sized("200", "256", "256"), "a_skip"),
            "M = 200 is not a multiple of 128: partial tiles are not supported");
  EXPECT_EQ(reason(sized("256", "256", "20"), "k_major_b"),
            "K = 20 is not a multiple of 8: partial tiles are not supported");
  EXPECT_EQ(reason(sized("256", "256", "8192"), "joint_table"), std::nullopt);
  EXPECT_NE(reason(sized("256", "256", "8200"), "joint_table"), std::nullopt);
  EXPECT_EQ(reason(sized("256", "256", "8200"), "block_list"), std::nullopt);
  EXPECT_EQ(reason(sized("256", "256", "64"), "global_list"),
            "row groups differ: one list would drop nonzeros");
  EXPECT_EQ(reason(sized("256", "256", "64", {{"a_zeros", "column_pattern"}}), "global_list"),
            std::nullopt);
  EXPECT_EQ(
      reason(sized("256", "256", "64", {{"bk", "16"}}), "joint_table"),
      "BK must be 8, not 16: a mask byte covers eight k, and the kernel takes one byte at a time");
}

TEST(EsmmExhibits, AreHiddenUntilTheyAreAskedFor) {
  for (const Variant& v : exhibits()) {
    EXPECT_FALSE(applies(v, configured({}))) << v.name;
    EXPECT_TRUE(applies(v, configured({{"broken", "on"}}))) << v.name;
    EXPECT_EQ(v.family, "lesson") << v.name;
  }
}

// Those that depend on the patterns are wrong where bytes differ, and right where rows are alike.
TEST(EsmmExhibits, GoWrongByThePatternsOfTheRun) {
  const auto fault = [](const Made& made, const char* variant) {
    return find_variant(scene(), variant)->expected_fault(made.w).has_value();
  };
  const Made alike =
      make(sized("256", "256", "64", {{"broken", "on"}, {"a_zeros", "column_pattern"}}));
  const Made sparse =
      make(sized("256", "256", "64", {{"broken", "on"}, {"da", "0.05"}, {"db", "1"}}));
  const Made dense = make(sized("256", "256", "64", {{"broken", "on"}, {"da", "1"}}));
  for (const char* variant : {"skip_before_barrier", "shared_pattern_tile", "global_list"}) {
    EXPECT_FALSE(fault(alike, variant)) << variant;
    EXPECT_FALSE(fault(dense, variant)) << variant;
    EXPECT_TRUE(fault(sparse, variant)) << variant;
  }
  for (const char* variant : {"half_of_the_rows", "stride_of_128", "byte_loop"})
    EXPECT_TRUE(fault(alike, variant)) << variant;
}

TEST(EsmmWork, ReadsTheValuesOnceMoreWherePatternsAreMadeInTheCall) {
  const auto reads = [](const char* preprocessing, const char* variant) {
    Workload w{configured({{"preprocessing", preprocessing}}), {}};
    return *term("model.dram_read_bytes", w, variant);
  };
  const double matrix = 4.0 * 4096 * 4096;
  EXPECT_EQ(reads("both_per_call", "dense_warp_tile"), 2 * matrix);
  EXPECT_EQ(reads("both_per_call", "a_skip"), 3 * matrix);
  EXPECT_EQ(reads("b_prepared", "a_skip"), 3 * matrix);
  EXPECT_EQ(reads("both_prepared", "a_skip"), 2 * matrix);
  EXPECT_EQ(reads("both_per_call", "joint_lookup"), 4 * matrix);
  EXPECT_EQ(reads("b_prepared", "joint_lookup"), 3 * matrix);
  EXPECT_EQ(reads("both_per_call", "transposed_b"), 4 * matrix);
  EXPECT_EQ(reads("b_prepared", "transposed_b"), 2 * matrix);
}

// The scene's table: bytes from L2 at the model's rate of 7.2 TB/s.
TEST(EsmmWork, AsksL2ForWhatAnyWarpOfABlockNeeds) {
  const auto milliseconds = [](const char* density, const char* variant) {
    Made made{
        {configured({{"da", density}, {"db", density}, {"preprocessing", "both_prepared"}}), {}},
        {}};
    EXPECT_TRUE(
        measure_patterns(with_defaults(scene().axes, made.w.axes), made.inputs, made.w.facts));
    return *term("model.l2_read_bytes", made.w, variant) / 7.2e12 * 1e6;
  };
  // Blocks of 64×128: 895 µs dense, 895, 843 and 499 with skipping.
  EXPECT_NEAR(milliseconds("0.5", "joint_table"), 895, 9);
  EXPECT_NEAR(milliseconds("0.25", "joint_table"), 843, 9);
  EXPECT_NEAR(milliseconds("0.125", "joint_table"), 499, 9);
  EXPECT_NEAR(milliseconds("0.5", "dense_warp_tile"), 597, 6) << "blocks of 128×128";
}

TEST(EsmmWork, CountsFloatsAsTheSeedDid) {
  const Workload w{configured({}), {}};
  EXPECT_EQ(*term("model.seed_floats", w, "a_skip"), 98);
  EXPECT_EQ(*term("model.seed_floats", w, "transposed_b"), 129);
}

// Which steps belong to the call, by the axis.
TEST(EsmmSteps, PrepareWhatTheAxisSays) {
  const auto prepared = [](const char* preprocessing, const char* variant) {
    const Variant& v = *find_variant(scene(), variant);
    const Configuration axes = configured({{"preprocessing", preprocessing}});
    std::set<std::string> names;
    for (const Step& step : v.steps({for_variant(scene().axes, axes, variant), {}})) {
      if (step.phase == Phase::prepare) names.insert(step.name);
    }
    return names;
  };
  using Names = std::set<std::string>;
  EXPECT_EQ(prepared("both_per_call", "joint_table"), Names{});
  EXPECT_EQ(prepared("b_prepared", "joint_table"), Names{"patterns of B"});
  EXPECT_EQ(prepared("both_prepared", "joint_table"), (Names{"patterns of A", "patterns of B"}));
  EXPECT_EQ(prepared("b_prepared", "transposed_b"), (Names{"patterns of B", "transpose B"}));
  EXPECT_EQ(prepared("b_prepared", "a_skip"), Names{});
}

// Products that share a preparation of B pay one part in so many each.
TEST(EsmmSteps, MakeAPartOfBWhereProductsShareIt) {
  const auto blocks = [](const char* reuse, const char* variant, Phase phase) {
    const Configuration axes = configured({{"reuse", reuse}});
    std::map<std::string, std::int64_t> all;
    for (const Step& step :
         find_variant(scene(), variant)->steps({for_variant(scene().axes, axes, variant), {}})) {
      const auto* kernel = std::get_if<KernelLaunch>(&step.action);
      if (kernel == nullptr || step.phase != phase || step.tags.count("operand") == 0) continue;
      all[step.name] = kernel->launch.grid.x * kernel->launch.grid.y;
    }
    return all;
  };
  using Blocks = std::map<std::string, std::int64_t>;
  EXPECT_EQ(blocks("1", "transposed_b", Phase::run),
            (Blocks{{"patterns of B", 8192}, {"transpose B", 16384}}));
  EXPECT_EQ(blocks("1", "transposed_b", Phase::prepare), Blocks{});
  EXPECT_EQ(blocks("16", "transposed_b", Phase::prepare),
            (Blocks{{"patterns of B", 8192}, {"transpose B", 16384}}));
  EXPECT_EQ(blocks("16", "transposed_b", Phase::run),
            (Blocks{{"patterns of B, a part", 512}, {"transpose B, a part", 1024}}));
  // Both operands go in one launch where each product prepares both.
  EXPECT_EQ(blocks("1", "class_lists", Phase::run), Blocks{});
  EXPECT_EQ(blocks("3", "class_lists", Phase::run), (Blocks{{"patterns of B, a part", 171}}));
  const auto reads = [](const char* reuse) {
    return *term("model.dram_read_bytes", Workload{configured({{"reuse", reuse}}), {}},
                 "joint_lookup");
  };
  const double matrix = 4.0 * 4096 * 4096;
  EXPECT_EQ(reads("1"), 4 * matrix);
  EXPECT_EQ(reads("4"), 3.25 * matrix);
}

}  // namespace
}  // namespace warpscope
