// tests/scenes/deform_test.cpp: sizes, inputs, constraints and work model of `deform` hold.
#include "scenes/deform/deform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scenes/base/element_inputs.h"
#include "scenes/base/half.h"
#include "scenes/deform/inputs/inputs.h"
#include "scenes/deform/inputs/shapes.h"
#include "scenes/deform/steps.h"

namespace warpscope {
namespace {

using namespace deform;
using Changes = std::map<std::string, std::string>;

const Scene& scene() {
  static const Scene made = deform_scene();
  return made;
}

Configuration configured(const Changes& changes) {
  const auto axes = with_values(scene().axes, with_defaults(scene().axes, {}), changes);
  EXPECT_TRUE(axes) << sentence(axes.error());
  return *axes;
}

// Two images of 500 queries.
Changes small(Changes changes = {}) {
  changes.merge(Changes{{"batch", "2"}, {"queries", "500"}});
  return changes;
}

struct Made {
  Workload w;
  Inputs inputs;
  std::vector<float> array(const char* name) const {
    const HostArray wide = widened(inputs.at(name));
    const auto values = wide.as<float>();
    return {values.begin(), values.end()};
  }
};

Made make(const Changes& changes) {
  Made made{{configured(changes), {}}, {}};
  const auto groups = regenerate_inputs(scene(), nullptr, made.w.axes, made.inputs, made.w.facts);
  EXPECT_TRUE(groups) << sentence(groups.error());
  make_element_inputs(scene(), made.w, made.inputs);
  return made;
}

double term(const char* id, const Workload& w, const char* variant) {
  for (const WorkTerm& row : scene().work_terms) {
    if (row.id == id) return evaluate(row, w, *find_variant(scene(), variant)).value();
  }
  ADD_FAILURE() << id;
  return 0;
}

TEST(Deform, LevelsHalveRoundedUpAndFollowEachOtherWithTheirRings) {
  const Shape s = shape_of(configured({}));
  ASSERT_EQ(s.levels.size(), 4u);
  const std::int64_t sizes[4][3] = {
      {92, 160, 0}, {46, 80, 15228}, {23, 40, 19164}, {12, 20, 20214}};
  for (std::size_t l = 0; l < 4; ++l) {
    EXPECT_EQ(s.levels[l].height, sizes[l][0]);
    EXPECT_EQ(s.levels[l].width, sizes[l][1]);
    EXPECT_EQ(s.levels[l].first_row, sizes[l][2]);
  }
  EXPECT_EQ(s.rows, 20522) << "a query for every row is the default";
  EXPECT_EQ(bare_rows({configured({}), {}}), 19560);
  const Shape listed =
      shape_of(configured({{"level_sizes", "list"}, {"level_list", "92,160,46,80,23,40,12,20"}}));
  EXPECT_EQ(listed.rows, s.rows);
}

TEST(Deform, AListOfHalfALevelIsRefused) {
  const auto refused =
      scene().admit(configured({{"level_sizes", "list"}, {"level_list", "92,160,46"}}));
  ASSERT_FALSE(refused);
  EXPECT_NE(sentence(refused.error()).find("3 numbers"), std::string::npos);
}

// The worked numbers of the operator at 48 images and 20522 queries.
TEST(Deform, WorkOfTheDefaultIsWhatItsFormulasGive) {
  const Workload w{configured({}), {{"valid_ratio", 1.0}}};
  const char* baseline = "interleaved_compile_time_points";
  const double megabyte = 1e6;
  EXPECT_NEAR(term("model.dram_bytes", w, baseline) / megabyte, 315.2, 0.1);
  EXPECT_NEAR(term("model.dram_read_bytes", w, baseline) / megabyte, 252.2, 0.1);
  EXPECT_NEAR(term("model.gather_bytes", w, baseline) / megabyte, 8069.6, 0.1);
  EXPECT_EQ(term("model.flops", w, baseline), 8.0 * 32 * 48 * 20522 * 32);
  // 2·C bytes for each sample, once out and once in.
  EXPECT_NEAR(
      (term("model.dram_bytes", w, "sample_then_reduce") - term("model.dram_bytes", w, baseline)) /
          megabyte,
      2 * 2017.4, 0.2);
  EXPECT_EQ(term("model.gather_bytes", w, "fp8_values"),
            term("model.gather_bytes", w, baseline) / 2);
  EXPECT_NEAR(term("model.dram_bytes", w, "unpadded_values"),
              term("model.dram_bytes", w, baseline) - 48.0 * (20522 - 19560) * 64, 1);
  EXPECT_NEAR(static_cast<double>(staged_bytes(
                  {for_variant(scene().axes, w.axes, "small_levels_in_shared"), w.facts})),
              86900, 50);
  // At 11 of the 47 places where an image ends and another begins, a block does too.
  const Workload staged{for_variant(scene().axes, w.axes, "small_levels_in_shared"), w.facts};
  EXPECT_NEAR(term("model.staged_bytes", staged, "small_levels_in_shared") / megabyte,
              (132 + 36) * 0.0869, 0.02);
  EXPECT_NEAR(term("model.sample_bytes", w, "sample_then_reduce") / megabyte, 2017.4, 0.1);
}

TEST(Deform, LocationsLieWhereTheChoiceSays) {
  for (const auto& [choice, low, high] :
       {std::tuple("seed window", 0.3f, 0.7f), std::tuple("uniform", 0.0f, 1.0f)}) {
    const std::vector<float> loc = make(small({{"locality", choice}})).array("loc");
    const auto [least, most] = std::minmax_element(loc.begin(), loc.end());
    EXPECT_GE(*least, low * 0.999f) << choice;
    EXPECT_LE(*most, high * 1.001f) << choice;
    EXPECT_LT(*least, low + 0.001f) << choice;
    EXPECT_GT(*most, high - 0.001f) << choice;
  }
}

// With no spread a query's samples lie at its reference point: x along the width, before y.
TEST(Deform, LocationsAreXBeforeY) {
  const Made made = make(small({{"locality", "reference + offset"}, {"sigma", "0"}}));
  const std::vector<float> loc = made.array("loc");
  const Shape s = shape_of(made.w.axes);
  const std::int64_t columns = query_columns(s);
  EXPECT_EQ(columns, 29) << "500 queries shaped like 92 by 160";
  for (const std::int64_t query : {0, 28, 29, 499}) {
    const auto at = static_cast<std::size_t>(query * 2 * s.group_samples());
    EXPECT_NEAR(loc[at], (static_cast<double>(query % columns) + 0.5) / 29, 5e-4);
    EXPECT_NEAR(loc[at + 1], (static_cast<double>(query / columns) + 0.5) / 18, 5e-4);
  }
}

// Where there is a query for every row: cell (0, 0) of the ring moves to the border.
TEST(Deform, ReferencePointsAreCentresOfTheirCells) {
  const Shape s = shape_of(configured({}));
  const auto expect_at = [&s](std::int64_t query, double x, double y) {
    const Point point = reference_point(s, query);
    EXPECT_DOUBLE_EQ(point.x, x) << query;
    EXPECT_DOUBLE_EQ(point.y, y) << query;
  };
  expect_at(0, 0, 0);
  expect_at(162 + 1, 0.5 / 160, 0.5 / 92);
  expect_at(15228 + 82 * 46 + 80, 79.5 / 80, 45.5 / 46);
  expect_at(20521, 1, 1);
}

TEST(Deform, AShareOfSamplesLiesOutsideOnAllSides) {
  const Made made = make(small({{"outside", "0.25"}, {"locality", "uniform"}}));
  const std::vector<float> loc = made.array("loc");
  std::array<int, 4> sides{};
  for (std::size_t i = 0; i < loc.size(); ++i) {
    if (loc[i] < 0) ++sides[i % 2];
    if (loc[i] > 1) ++sides[2 + i % 2];
  }
  const double samples = static_cast<double>(loc.size()) / 2;
  for (const int side : sides) EXPECT_NEAR(side / samples, 0.25 / 4, 0.006);
  EXPECT_NEAR(made.w.fact("valid_ratio"), 0.75, 0.01);
  EXPECT_EQ(make(small()).w.fact("valid_ratio"), 1);
  EXPECT_EQ(make(small({{"outside", "1"}})).w.fact("valid_ratio"), 0);
}

TEST(Deform, RingsAreZeroOrHoldDataAndPixelsHoldNormalNumbers) {
  for (const char* ring : {"zero", "data"}) {
    const Made made = make(small({{"ring", ring}, {"heads", "2"}, {"channels", "8"}}));
    const std::vector<float> value = made.array("value");
    const Shape s = shape_of(made.w.axes);
    double squares = 0;
    std::size_t zeros = 0;
    for (const float v : value) squares += v * v, zeros += v == 0 ? 1 : 0;
    const bool is_zero = std::string(ring) == "zero";
    const std::int64_t in_ring = 2 * (s.rows - bare_rows(made.w)) * 16;
    EXPECT_NEAR(static_cast<double>(zeros), is_zero ? static_cast<double>(in_ring) : 0, 60);
    EXPECT_NEAR(squares / static_cast<double>(value.size() - zeros), 1, 0.01);
    EXPECT_EQ(value[0] == 0, is_zero);
    EXPECT_NE(value[static_cast<std::size_t>(163 * 16)], 0);
    // The last pixel of the first level's ring, and the one before it inside of the next.
    EXPECT_EQ(value[static_cast<std::size_t>(15227 * 16)] == 0, is_zero);
  }
}

TEST(Deform, WeightsAreAnEighthEachOrASoftmaxOfTheirLogits) {
  for (const float weight : make(small()).array("weight")) EXPECT_EQ(weight, 0.125f);
  const Made made = make(small({{"weights", "softmax"}}));
  const std::vector<float> weight = made.array("weight"), logits = made.array("logits");
  for (std::size_t group = 0; group < 1000; group += 111) {
    double sum = 0, whole = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      sum += weight[group * 32 + i];
      whole += std::exp(logits[group * 32 + i]);
    }
    EXPECT_NEAR(sum, 1, 2e-3);
    EXPECT_NEAR(weight[group * 32 + 7], std::exp(logits[group * 32 + 7]) / whole, 2e-4);
  }
}

TEST(Deform, ThePictureShowsTheSamplesOfAQueryInItsLevels) {
  const Made made = make(small({{"locality", "reference + offset"},
                                {"sigma", "0"},
                                {"height0", "20"},
                                {"width0", "30"},
                                {"levels", "2"}}));
  const Raster raster = scene().pictures.at(0).draw(made.w, {});
  ASSERT_EQ(raster.width, 32 + 4 + 17);
  ASSERT_EQ(raster.height, 22);
  std::vector<std::pair<int, int>> red;
  for (int y = 0; y < raster.height; ++y) {
    for (int x = 0; x < raster.width; ++x) {
      const std::uint8_t* const pixel = raster.rgb.data() + 3 * (y * raster.width + x);
      if (pixel[0] == 220 && pixel[1] == 40) red.emplace_back(x, y);
    }
  }
  // Query 250 of 27 columns and 19 rows: column 7, row 9. All its points lie there in each level.
  const std::pair<int, int> first = {std::lround(7.5 / 27 * 30 + 0.5),
                                     std::lround(9.5 / 19 * 20 + 0.5)};
  const std::pair<int, int> second = {36 + std::lround(7.5 / 27 * 15 + 0.5),
                                      std::lround(9.5 / 19 * 10 + 0.5)};
  EXPECT_EQ(red, (std::vector<std::pair<int, int>>{second, first}));
}

std::string reason(const char* variant, const Changes& changes) {
  const Variant& v = *find_variant(scene(), variant);
  const Workload w{for_variant(scene().axes, configured(changes), variant), {}};
  return unavailable(v, w, {}).value_or("");
}

// The choice follows the axes alone, and what it picks can run there.
TEST(Deform, AutomaticChoiceNamesARowThatRuns) {
  const Scene scene = deform_scene();
  const Variant& automatic = *find_variant(scene, "auto");
  const std::vector<std::map<std::string, std::string>> places = {
      {},
      {{"locality", "uniform"}},
      {{"levels", "2"}},
      {{"levels", "1"}},
      {{"batch", "1"}},
      {{"batch", "1"}, {"queries", "300"}},
      {{"points", "1"}},
      {{"points", "12"}},
      {{"channels", "64"}},
      {{"channels", "16"}},
      {{"heads", "2"}}};
  std::set<std::string> labels;
  for (const auto& changes : places) {
    const auto axes = with_values(scene.axes, default_configuration(scene.axes), changes);
    ASSERT_TRUE(axes) << sentence(axes.error());
    const Workload w{for_variant(scene.axes, *axes, "auto"), {}};
    const std::string choice = automatic.choice(w);
    SCOPED_TRACE(choice);
    const std::string label = choice.substr(0, choice.find(": "));
    const auto picked = std::ranges::find(scene.variants, label, &Variant::label);
    ASSERT_NE(picked, scene.variants.end());
    labels.insert(label);
    EXPECT_FALSE(unavailable(automatic, w, kDesignDevice));
    EXPECT_FALSE(
        unavailable(*picked, {for_variant(scene.axes, *axes, picked->name), {}}, kDesignDevice));
    EXPECT_EQ(automatic.steps(w).size(),
              picked->steps({for_variant(scene.axes, *axes, picked->name), {}}).size());
  }
  EXPECT_GE(labels.size(), 3u);
}

TEST(Deform, SaysWhyAVariantCannotRun) {
  EXPECT_EQ(reason("interleaved_compile_time_points", {}), "");
  const auto expect_words = [](const char* variant, const Changes& changes, const char* words) {
    EXPECT_NE(reason(variant, changes).find(words), std::string::npos)
        << variant << ": " << reason(variant, changes);
  };
  expect_words("interleaved_compile_time_points", {{"channels", "20"}}, "misaligned");
  expect_words("two_phase_unrolled", {{"points", "4"}}, "fixed to P 8");
  EXPECT_EQ(reason("two_phase_unrolled", {}), "") << "the launch fails, and says so itself";
  expect_words("two_phase_unroll", {{"points", "12"}}, "do not divide 12");
  expect_words("runtime_point_loop",
               {{"batch", "1"},
                {"queries", "4000000"},
                {"channels", "8"},
                {"points", "16"},
                {"levels", "5"},
                {"heads", "4"}},
               "32 bits");
  expect_words("runtime_point_loop",
               {{"batch", "4096"},
                {"queries", "4100"},
                {"levels", "1"},
                {"points", "1"},
                {"channels", "8"},
                {"height0", "8"},
                {"width0", "8"}},
               "exact below 2^24");
  expect_words("small_levels_in_shared", {{"staged_levels", "3"}}, "levels 1 to 3 need 338.");
  expect_words("unpadded_values", {{"ring", "data"}}, "the operator differs");
  expect_words("fused_softmax", {}, "not a softmax");
  expect_words("lane_per_point_shuffle", {{"channels", "128"}}, "16 lanes");
}

// On an H200 a window of 34 × 34 pixels of 56 channels ended in "misaligned address".
TEST(Deform, TheHalvesOfAWindowBeginWhereABulkCopyMayWrite) {
  for (const std::int64_t channels : {8, 16, 24, 40, 56, 64}) {
    for (std::int64_t side = 8; side <= 40; ++side) {
      const std::string said = reason("sorted_windows", {{"channels", std::to_string(channels)},
                                                         {"window_side", std::to_string(side)}});
      const bool aligned = side % 2 == 0 && side / 2 * side * channels * 2 % 128 == 0;
      const bool fits = side * side * channels * 2 <= 128 * 1024;
      if (aligned && !fits) continue;
      EXPECT_EQ(said.empty(), aligned) << side << " of " << channels << ": " << said;
    }
  }
}

}  // namespace
}  // namespace warpscope
