// tests/scenes/choice_test.cpp: fitted choices are read, written, asked, and fit their scenes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenes/catalogue.h"
#include "scenes/choice_scenes.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kText =
    "warpscope choice 2\n"
    "scene csrmm\n"
    "device NVIDIA H200\n"
    "driver 580.159.04\n"
    "date 2026-11-29\n"
    "build 0.1.0\n"
    "times cold\n"
    "configurations 2\n"
    "measured 3\n"
    "from one.wsj\n"
    "\n"
    "row auto\n"
    "scale root\n"
    "feature n\n"
    "feature dtype is two_words\n"
    "cost slow 0.31\n"
    "cost quads lanes=8 turns=1 0.2 never dtype f16 never dtype bf16\n"
    "tree 0<64 . 1<0.5 . . : -120 40 0 15 80 -3\n"
    "time 10.2\n"
    "time_tree . : 25\n"
    "point 00000000000000ff quads turns=1 1200\n";

ChoiceModel model_of(const std::string& text) {
  Result<ChoiceModel> model = parse_choice_model(text, "choice.txt");
  EXPECT_TRUE(model) << sentence(model.error());
  return model ? *model : ChoiceModel{};
}

TEST(ChoiceText, IsWrittenAsItWasRead) {
  const ChoiceModel model = model_of(kText);
  EXPECT_EQ(to_text(model), kText);
  EXPECT_TRUE(model.cold);
  const CostTable* table = model.table("auto");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->features[1].is, "two_words");
  EXPECT_EQ(to_text(table->rows[1].row), "quads lanes=8 turns=1");
  EXPECT_EQ(table->rows[1].never.size(), 2u);
  EXPECT_EQ(table->trees[0].nodes.size(), 5u);
  EXPECT_EQ(table->trees[0].nodes[2].below, 0.5);
  EXPECT_EQ(table->points[0].place, 255u);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ChoiceText, SaysWhatIsWrongAndWhere) {
  const struct {
    std::string from, to, words, line;
  } cases[] = {
      {"warpscope choice 2", "hello", "its first line must be", ":1"},
      {"times cold", "times lukewarm", "warm or cold", ":7"},
      {"measured 3", "measured many", "not a count", ":9"},
      {"from one.wsj", "form one.wsj", "not a line of the origin", ":10"},
      {"time 10.2", "time soon", "not a line of a table", ":19"},
      {"scale root", "scale cube", "“cube” is not a scale", ":13"},
      {"feature n\n", "feature n log\n", "a feature is a name", ":14"},
      {"cost slow 0.31", "cost slow", "lacks its row", ":16"},
      {"cost slow 0.31", "cost slow 0.31 always", "lacks its row", ":16"},
      {"0<64 .", "2<64 .", "“2<64” asks for no feature", ":18"},
      {"0<64 .", "0<x .", "“0<x” asks for no feature", ":18"},
      {"0<64 .", "64 .", "“64” asks for no feature", ":18"},
      {"1<0.5 . . :", "1<0.5 . :", "ends before its last leaf", ":18"},
      {"1<0.5 . . :", "1<0.5 . . . :", "apart by a colon", ":18"},
      {"80 -3", "80", "has 5 steps, and needs 6", ":18"},
      {"80 -3", "80 -0.5", "“-0.5” is not a whole number", ":18"},
      {"time_tree . : 25", "time_tree . : 25 26", "has 2 steps, and needs 1", ":20"},
      {"turns=1 1200", "turns=1", "a point lacks its place", ":21"},
      {"turns=1 1200", "turns=1 0", "a point lacks its place", ":21"},
      {"00000000000000ff", "ff", "a point lacks its place", ":21"},
      {"00000000000000ff", "00000000000000fg", "a point lacks its place", ":21"},
      {"scene csrmm\n", "", "the scene is not named", ":20"},
      {"time 10.2\n", "time 10.2\nfeature m\n", "features and costs stand before", ":20"},
      {"time 10.2\n", "time 10.2\ncost m 1\n", "features and costs stand before", ":20"},
  };
  for (const auto& each : cases) {
    const auto read = parse_choice_model(replaced(kText, each.from, each.to), "choice.txt");
    ASSERT_FALSE(read) << each.to;
    EXPECT_THAT(read.error().what, HasSubstr(each.words));
    EXPECT_EQ(read.error().where, "choice.txt" + each.line) << each.to;
    EXPECT_FALSE(read.error().remedy.empty()) << each.to;
  }
  const auto twice = parse_choice_model(std::string(kText) + "\nrow auto\n", "t");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().what, HasSubstr("two tables"));
  const auto empty = parse_choice_model("warpscope choice 2\nscene s\nrow auto\n", "t");
  ASSERT_FALSE(empty);
  EXPECT_THAT(empty.error().what, HasSubstr("lacks features"));
}

Axis number(const char* name) {
  return number_axis(name, name, "", "", AxisKind::integer, AxisScale::linear, Binding::argument, 0,
                     1000, std::int64_t{0});
}

Workload at(std::int64_t n, const std::string& dtype = "f32") {
  Workload w;
  w.axes.set("n", n);
  w.axes.set("dtype", dtype);
  return w;
}

std::vector<Axis> axes() { return {number("n"), choice_axis("dtype", "type", "", {"f32", "f64"})}; }

ChoiceFeatures features() {
  ChoiceFeatures all;
  for (const Axis& axis : axes()) all.push_back(axis_feature(axis));
  return all;
}

std::vector<Variant> variants() {
  Variant slow, quads;
  slow.name = "slow";
  slow.label = "slow row";
  quads.name = "quads";
  quads.label = "quads of columns";
  quads.constraints = {{"n must be even", [](const Workload& w, const DeviceLimits&) {
                          return w.integer("n") % 2 != 0 ? std::optional<std::string>("n is odd")
                                                         : std::nullopt;
                        }}};
  quads.applies = [](const Configuration& c) { return c.text("dtype") == "f32"; };
  return {slow, quads};
}

// Quads are shorter than slow below n = 100, and longer above. The fastest row takes e^10 ns.
constexpr const char* kQuadsBelow =
    "warpscope choice 2\nscene test\ndevice NVIDIA H200\nrow auto\n"
    "feature n\nfeature dtype is f64\n"
    "cost slow 0.5\ncost quads 0.5\n"
    "tree 0<100 . . : 500 -500 -500 250\n"
    "time 10\ntime_tree 0<100 . . : 0 100\n";

// With points at n = 200, where quads were the fastest, and at n = 0, where slow was.
std::string with_points() {
  const CostTable table = model_of(kQuadsBelow).tables[0];
  const auto line = [&](std::int64_t n, const char* rest) {
    char text[80];
    std::snprintf(
        text, sizeof text, "point %016llx %s\n",
        static_cast<unsigned long long>(place_of(feature_values(table, features(), at(n)))), rest);
    return std::string(text);
  };
  return kQuadsBelow + line(200, "quads 21000") + line(0, "slow 900");
}

AutomaticChoice choice_of(const std::string& text) {
  static std::deque<ChoiceModel> models;  // each outlives the choices of its table
  models.push_back(model_of(text));
  return AutomaticChoice(&models.back(), "auto", features(), variants(), axes());
}

TEST(ExpectedTimes, AreSumsOfTheStepsOfTrees) {
  const CostTable table = model_of(kQuadsBelow).tables[0];
  const auto above = expected_times(table, features(), at(100));
  ASSERT_EQ(above.size(), 2u);
  EXPECT_FALSE(above[0].measured);
  EXPECT_EQ(above[0].row.variant, "slow");
  EXPECT_NEAR(above[0].ns, std::exp(10 + 0.1 + 0.5 - 0.5), 1e-6);
  EXPECT_NEAR(above[1].ns, std::exp(10 + 0.1 + 0.5 + 0.25), 1e-6);
  const auto below = expected_times(table, features(), at(99));
  EXPECT_EQ(below[0].row.variant, "quads");
  EXPECT_NEAR(below[0].ns, std::exp(10 + 0.5 - 0.5), 1e-6);
  EXPECT_NEAR(below[1].ns, std::exp(10 + 0.5 + 0.5), 1e-6);
}

TEST(ExpectedTimes, AreOfRootsWhereTheTableSaysSo) {
  const CostTable table =
      model_of(replaced(kQuadsBelow, "row auto\n", "row auto\nscale root\n")).tables[0];
  const auto above = expected_times(table, features(), at(100));
  ASSERT_EQ(above.size(), 2u);
  EXPECT_EQ(above[0].row.variant, "slow");
  EXPECT_NEAR(above[0].ns, std::exp(10 + 0.1 - 0.02), 1e-6) << "a root of 0.5 - 0.5";
  EXPECT_NEAR(above[1].ns, std::exp(10 + 0.1 + 0.75 * 0.75 - 0.02), 1e-6);
  for (const double cost : {0.0, 0.01, 0.3, 1.5})
    EXPECT_NEAR(cost_of_scaled(scaled_cost(cost)), cost, 1e-12);
  EXPECT_LT(cost_of_scaled(-0.1), cost_of_scaled(0)) << "the order of predictions stays";
}

TEST(DecisionTrees, LeadToTheLeafOfTheirAnswers) {
  const std::string text = "0<2.5 1<10 . . 1<20 . 0<7 . . : 1 2 3 4 5";
  std::vector<std::string_view> words;
  for (std::size_t from = 0, to = 0; from < text.size(); from = to + 1) {
    to = std::min(text.find(' ', from), text.size());
    words.push_back(std::string_view(text).substr(from, to - from));
  }
  const Result<DecisionTree> tree = parse_tree(words, 0, 2, 1);
  ASSERT_TRUE(tree) << sentence(tree.error());
  EXPECT_EQ(to_text(*tree), text);
  const auto step = [&](double a, double b) {
    std::vector<double> sums = {0};
    add_steps(*tree, {a, b}, sums);
    return sums[0];
  };
  EXPECT_EQ(step(2, 9), 0.001);
  EXPECT_EQ(step(2, 10), 0.002);
  EXPECT_EQ(step(2.5, 19), 0.003);
  EXPECT_EQ(step(6, 20), 0.004);
  EXPECT_EQ(step(7, 20), 0.005);
}

TEST(AutomaticChoice, TakesTheShortestExpectedTimeAndSaysSo) {
  const AutomaticChoice choice = choice_of(kQuadsBelow);
  EXPECT_EQ(choice.picked(at(40)).name, "quads");
  EXPECT_EQ(choice.picked(at(160)).name, "slow");
  EXPECT_THAT(
      choice.why(at(160)),
      StartsWith("slow row: fitted costs: 24.3 µs expected on an NVIDIA H200; the next, quads "
                 "of columns, "));
}

TEST(RowLabels, AreTheVariantsLabelAndTheRowsOwnAxes) {
  EXPECT_EQ(label_of(variants(), {"quads", {}}), "quads of columns");
  EXPECT_EQ(label_of(variants(), {"quads", {{"lanes", "8"}, {"turns", "1"}}}),
            "quads of columns lanes=8 turns=1");
  EXPECT_EQ(label_of(variants(), {"gone", {{"turns", "1"}}}), "gone turns=1");
  EXPECT_EQ(to_text(ChosenRow{"quads", {{"turns", "1"}}}), "quads turns=1");
  EXPECT_EQ(to_text(ChosenRow{"quads", {{"turns", "1"}}}, "a name"), "a name turns=1");
}

TEST(AutomaticChoice, TakesWhatWasMeasuredAtAPointOfItsTable) {
  const AutomaticChoice choice = choice_of(with_points());
  EXPECT_EQ(choice.picked(at(200)).name, "quads");
  EXPECT_EQ(choice.why(at(200)), "quads of columns: measured here: 21 µs on an NVIDIA H200");
  EXPECT_EQ(choice.picked(at(0)).name, "slow");
  EXPECT_EQ(choice.picked(at(2)).name, "quads") << "near a point is not at it";
  EXPECT_EQ(choice.picked(at(200, "f64")).name, "slow") << "what was measured cannot run";
}

TEST(AutomaticChoice, CannotRunWithoutAModel) {
  const auto choice =
      std::make_shared<const AutomaticChoice>(nullptr, "auto", features(), variants(), axes());
  Variant row;
  act_as_picked(row, choice, {});
  EXPECT_EQ(unavailable(row, at(1), {}), "no fitted choice of this row is compiled in");
  EXPECT_TRUE(row.steps(at(1)).empty());
  EXPECT_THAT(row.choice(at(1)), HasSubstr("no row that was fitted can run here"));
}

TEST(AutomaticChoice, NeverTakesARowThatCannotRunOrDoesNotApply) {
  const AutomaticChoice choice = choice_of(kQuadsBelow);
  EXPECT_EQ(choice.picked(at(41)).name, "slow") << "n is odd";
  EXPECT_THAT(choice.why(at(41)), HasSubstr("quads of columns cannot run here"));
  EXPECT_EQ(choice.picked(at(40, "f64")).name, "slow") << "quads do not apply";
  EXPECT_EQ(choice.why(at(40, "f64")).find("quads"), std::string::npos);
}

TEST(AutomaticChoice, NeverTakesARowWithAChoiceWithWhichItWasWrong) {
  std::string text = replaced(kQuadsBelow, "cost quads 0.5", "cost quads 0.5 never dtype f32");
  EXPECT_EQ(choice_of(text).picked(at(40)).name, "slow");
  text = replaced(kQuadsBelow, "cost quads 0.5", "cost quads 0.5 never dtype f64");
  EXPECT_EQ(choice_of(text).picked(at(40)).name, "quads");
}

TEST(FitsScene, NamesWhatATableAsksForInVain) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"feature n\n", "feature m\n"},
      {"feature n\n", "feature n is 3\n"},
      {"feature dtype is f64", "feature dtype"},
      {"cost quads 0.5", "cost quuads 0.5"},
      {"cost quads 0.5", "cost quads n=1 0.5"},
      {"cost quads 0.5", "cost quads nothing=1 0.5"},
      {"cost quads 0.5", "cost quads 0.5 never n 3"},
  };
  const auto fits = [](const std::string& text) {
    return fits_scene(model_of(text).tables[0], features(), variants(), axes());
  };
  EXPECT_TRUE(fits(kQuadsBelow));
  for (const auto& [from, to] : cases) EXPECT_FALSE(fits(replaced(kQuadsBelow, from, to))) << to;
}

TEST(BuiltInChoices, FitTheirScenesAndTakeRowsWithTheSameResults) {
  for (const ChoiceScene& about : choice_scenes()) {
    const auto& scenes = built_in_scenes();
    const auto scene = std::find_if(scenes.begin(), scenes.end(),
                                    [&](const Scene& s) { return s.name == about.scene; });
    ASSERT_NE(scene, scenes.end()) << about.scene;
    for (const char* row : about.rows) ASSERT_NE(find_variant(*scene, row), nullptr) << row;
    const ChoiceModel* model = built_in_choice(about.scene);
    if (model == nullptr) continue;  // its rows are fitted by hand
    EXPECT_EQ(model->scene, about.scene);
    EXPECT_EQ(model->cold, about.cold);
    for (const std::string& origin : {model->device, model->driver, model->date, model->build})
      EXPECT_FALSE(origin.empty()) << about.scene;
    for (const CostTable& table : model->tables) {
      EXPECT_THAT(about.rows, Contains(table.row));
      const auto fits =
          fits_scene(table, about.features(scene->axes), scene->variants, scene->axes);
      EXPECT_TRUE(fits) << sentence(fits.error());
      std::vector<std::string> alike;
      for (const Variant* variant : choice_candidates(*scene, table.row))
        alike.push_back(variant->name);
      for (const RowCosts& costs : table.rows) EXPECT_THAT(alike, Contains(costs.row.variant));
      for (const CostPoint& point : table.points) EXPECT_THAT(alike, Contains(point.best.variant));
    }
  }
}

// A text that cannot be read would be left out in silence.
TEST(BuiltInChoices, AreThoseOfTheFiles) {
  for (const auto& file : std::filesystem::directory_iterator(source_folder() / "scenes/choice")) {
    if (file.path().extension() != ".txt") continue;
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    const ChoiceModel* model = built_in_choice(file.path().stem().string());
    ASSERT_NE(model, nullptr) << file.path();
    EXPECT_EQ(to_text(*model), text) << file.path();
  }
}

// Whoever makes a scene reads the outline, and whoever asks for a row the trees.
TEST(BuiltInChoices, ReadTheirTreesWhenARowIsPicked) {
  int told_apart = 0;
  for (const ChoiceScene& about : choice_scenes()) {
    const ChoiceModel *whole = built_in_choice(about.scene),
                      *outline = built_in_outline(about.scene);
    if (whole == nullptr) continue;
    ASSERT_NE(outline, nullptr) << about.scene;
    ChoiceModel without = *whole;
    for (CostTable& table : without.tables) {
      EXPECT_FALSE(table.trees.empty()) << about.scene;
      table.trees.clear();
      table.time_trees.clear();
    }
    EXPECT_EQ(to_text(*outline), to_text(without)) << about.scene;
    const auto& scenes = built_in_scenes();
    const Scene& scene = *std::find_if(scenes.begin(), scenes.end(),
                                       [&](const Scene& s) { return s.name == about.scene; });
    Workload w{default_configuration(scene.axes), {}};
    Inputs inputs;
    ASSERT_TRUE(regenerate_inputs_by_page(scene, w.axes, {}, w, inputs)) << about.scene;
    for (const CostTable& table : whole->tables) {
      const auto why = [&](const auto& model) {
        return AutomaticChoice(model, table.row, about.features(scene.axes), scene.variants,
                               scene.axes)
            .why(w);
      };
      EXPECT_EQ(why(std::string(about.scene)), why(whole)) << table.row;
      told_apart += why(whole) != why(outline) ? 1 : 0;
    }
  }
  EXPECT_GT(told_apart, 0) << "trees change what is expected";
}

}  // namespace
}  // namespace warpscope
