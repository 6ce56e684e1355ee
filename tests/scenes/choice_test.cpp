// tests/scenes/choice_test.cpp: fitted choices are read, written, asked, and fit their scenes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
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
    "warpscope choice 1\n"
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
    "width 3\n"
    "feature n log 3.9 1.1\n"
    "feature dtype is two_words 0.2 0.4\n"
    "point 1.2 -0.5: slow 28090\n"
    "point -0.3 2: quads turns=1 1200\n"
    "cost slow 10.2: 0.31 -0.02\n"
    "cost quads lanes=8 turns=1 9.8 never dtype f16 never dtype bf16: 0 0.2\n";

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
  EXPECT_EQ(table->rows[0].weights[1], -0.02);
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
      {"warpscope choice 1", "hello", "its first line must be", ":1"},
      {"times cold", "times lukewarm", "warm or cold", ":7"},
      {"measured 3", "measured many", "not a count", ":9"},
      {"from one.wsj", "form one.wsj", "not a line of the origin", ":10"},
      {"width 3", "width 0", "not a line of a table", ":13"},
      {"feature n log 3.9 1.1", "feature n log 3.9 0", "is not positive", ":14"},
      {"feature n log 3.9 1.1", "feature n log 3.9", "has 1 numbers, and needs 2", ":14"},
      {"point 1.2 -0.5:", "point 1.2:", "has 1 numbers, and needs 2", ":16"},
      {"point 1.2 -0.5:", "point 1.2 x:", "“x” is not a number", ":16"},
      {"point 1.2 -0.5:", "point 1.2 -0.5", "a point lacks its colon", ":16"},
      {"slow 28090", "slow", "a point lacks its colon", ":16"},
      {"slow 28090", "slow 0", "a point lacks its colon", ":16"},
      {"cost slow 10.2: 0.31", "cost slow 10.2 0.31", "lacks its row", ":18"},
      {"cost slow 10.2: 0.31 -0.02", "cost slow 10.2: 0.31", "needs 2", ":18"},
      {"scene csrmm\n", "", "the scene is not named", ":18"},
      {"turns=1 1200\n", "turns=1 1200\nfeature m 0 1\n", "features stand before", ":18"},
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
  const auto empty = parse_choice_model("warpscope choice 1\nscene s\nrow auto\n", "t");
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

// The linear part makes quads shorter than slow below about n = 100, and longer above.
constexpr const char* kQuadsBelow =
    "warpscope choice 1\nscene test\ndevice NVIDIA H200\nrow auto\nwidth 3\n"
    "feature n 100 50\nfeature dtype is f64 0 1\n"
    "point -2 0: quads 900\npoint 2 0: slow 21000\n"
    "cost slow 10: 0 0\n"
    "cost quads 10: -1 1\n";

AutomaticChoice choice_of(const std::string& text) {
  const ChoiceModel model = model_of(text);
  return AutomaticChoice(&model, "auto", features(), variants(), axes());
}

TEST(ExpectedTimes, FollowTheFormula) {
  const CostTable table = model_of(kQuadsBelow).tables[0];
  const auto times = expected_times(table, features(), at(150));
  EXPECT_FALSE(times[0].measured);
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0].row.variant, "slow");
  EXPECT_NEAR(times[0].ns, std::exp(10), 1e-6);
  // n = 150 is one deviation above the mean. With two features: d² / (2 · 9 · 2 / 10).
  const auto similarity = [](double point) {
    return std::exp(-(point - 1) * (point - 1) / 3.6) + 0.9 * point / 2 + 1;
  };
  EXPECT_NEAR(times[1].ns, std::exp(10 - similarity(-2) + similarity(2)), 1e-6 * times[1].ns);
}

TEST(AutomaticChoice, TakesTheShortestExpectedTimeAndSaysSo) {
  const AutomaticChoice choice = choice_of(kQuadsBelow);
  EXPECT_EQ(choice.picked(at(40)).name, "quads");
  EXPECT_EQ(choice.picked(at(160)).name, "slow");
  EXPECT_THAT(
      choice.why(at(160)),
      StartsWith("slow row: fitted costs: 22 µs expected on an NVIDIA H200; the next, quads "
                 "of columns, "));
}

TEST(AutomaticChoice, TakesWhatWasMeasuredAtAPointOfItsTable) {
  // The costs would take slow at n = 200 and quads at n = 0.
  const std::string text =
      replaced(replaced(kQuadsBelow, "quads 900", "slow 900"), "slow 21000", "quads 21000");
  const AutomaticChoice choice = choice_of(text);
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
  std::string text = replaced(kQuadsBelow, "cost quads 10:", "cost quads 10 never dtype f32:");
  EXPECT_EQ(choice_of(text).picked(at(40)).name, "slow");
  text = replaced(kQuadsBelow, "cost quads 10:", "cost quads 10 never dtype f64:");
  EXPECT_EQ(choice_of(text).picked(at(40)).name, "quads");
}

TEST(FitsScene, NamesWhatATableAsksForInVain) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"feature n 100", "feature m 100"},
      {"feature n 100 50", "feature n is 3 100 50"},
      {"feature dtype is f64 0 1", "feature dtype 0 1"},
      {"cost quads 10", "cost quuads 10"},
      {"cost quads 10", "cost quads n=1 10"},
      {"cost quads 10", "cost quads nothing=1 10"},
      {"cost quads 10:", "cost quads 10 never n 3:"},
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

}  // namespace
}  // namespace warpscope
