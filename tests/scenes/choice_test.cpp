// tests/scenes/choice_test.cpp: fitted choices are read, written, asked, and fit their scenes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "scenes/catalogue.h"
#include "scenes/choice/scenes.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* kText =
    "warpscope choice 1\n"
    "scene csrmm\n"
    "device NVIDIA H200\n"
    "driver 580.159.04\n"
    "date 2026-11-29\n"
    "build 0.1.0\n"
    "times cold\n"
    "configurations 30\n"
    "measured 300\n"
    "from one.wsj\n"
    "\n"
    "row auto\n"
    "otherwise slow\n"
    "if dtype is two words\n"
    "  take slow; quads turns=1 lanes=8 (12 points, 0.991)\n"
    "else\n"
    "  if n < 12.5\n"
    "    take quads (10 points, 0.950)\n"
    "  else\n"
    "    take slow (8 points, 1.000)\n";

ChoiceModel model_of(const std::string& text) {
  Result<ChoiceModel> model = parse_choice_model(text, "choice.txt");
  EXPECT_TRUE(model) << sentence(model.error());
  return model ? *model : ChoiceModel{};
}

TEST(ChoiceText, IsWrittenAsItWasRead) {
  const ChoiceModel model = model_of(kText);
  EXPECT_EQ(to_text(model), kText);
  EXPECT_TRUE(model.cold);
  const ChoiceTree* tree = model.tree("auto");
  ASSERT_NE(tree, nullptr);
  EXPECT_EQ(tree->nodes[0].is, "two words");
  EXPECT_EQ(to_text(tree->nodes[tree->nodes[0].yes].rows[1]), "quads lanes=8 turns=1");
  EXPECT_EQ(tree->nodes[tree->nodes[0].no].below, 12.5);
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
      {"measured 300", "measured many", "not a count", ":9"},
      {"from one.wsj", "form one.wsj", "not a line of the origin", ":10"},
      {"  take slow; quads", "take slow; quads", "indented by 2", ":15"},
      {"take quads (10 points", "take quads (ten points", "how many points", ":18"},
      {"  else\n    take slow (8 points, 1.000)\n", "", "has no else", ":18"},
      {"    take slow (8 points, 1.000)\n", "", "ends too early", ":19"},
      {"if n < 12.5", "if n < many", "an if asks", ":17"},
      {"if n < 12.5", "when n < 12.5", "expected", ":17"},
      {"take quads (10", "take turns=1 (10", "is not a row", ":18"},
      {"scene csrmm\n", "", "the scene is not named", ":19"},
  };
  for (const auto& each : cases) {
    const auto read = parse_choice_model(replaced(kText, each.from, each.to), "choice.txt");
    ASSERT_FALSE(read) << each.to;
    EXPECT_THAT(read.error().what, HasSubstr(each.words));
    EXPECT_EQ(read.error().where, "choice.txt" + each.line) << each.to;
    EXPECT_FALSE(read.error().remedy.empty()) << each.to;
  }
  const auto twice = parse_choice_model(std::string(kText) + "\nrow auto\ntake slow\n", "t");
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().what, HasSubstr("two trees"));
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
  all.push_back(number_feature(
      "never", "never", [](const Workload&) -> std::optional<double> { return std::nullopt; }));
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

constexpr const char* kQuadsBelow =
    "warpscope choice 1\nscene test\nrow auto\notherwise slow\n"
    "if n < 100\n  take quads\nelse\n  take slow\n";

TEST(AutomaticChoice, TakesTheRowOfItsTreeAndSaysWhichAxisDecided) {
  const AutomaticChoice choice(model_of(kQuadsBelow).trees[0], features(), variants(), axes());
  EXPECT_EQ(choice.picked(at(40)).name, "quads");
  EXPECT_EQ(choice.why(at(40)), "quads of columns: tree: n 40 < 100");
  EXPECT_EQ(choice.picked(at(100)).name, "slow") << "a bound belongs to the side of no";
  EXPECT_EQ(choice.why(at(100)), "slow row: tree: n 100 ≥ 100");
}

TEST(AutomaticChoice, NeverTakesARowThatCannotRunOrDoesNotApply) {
  const AutomaticChoice choice(model_of(kQuadsBelow).trees[0], features(), variants(), axes());
  EXPECT_EQ(choice.picked(at(41)).name, "slow") << "n is odd";
  EXPECT_THAT(choice.why(at(41)),
              HasSubstr("its first choice there, quads of columns, cannot run here"));
  EXPECT_EQ(choice.picked(at(40, "f64")).name, "slow") << "quads do not apply";
}

TEST(AutomaticChoice, AnswersAQuestionThatDoesNotApplyWithNo) {
  const AutomaticChoice choice(model_of(replaced(kQuadsBelow, "n < 100", "never < 100")).trees[0],
                               features(), variants(), axes());
  EXPECT_EQ(choice.picked(at(40)).name, "slow");
  EXPECT_THAT(choice.why(at(40)), HasSubstr("never does not apply"));
}

TEST(FitsScene, NamesWhatATreeAsksForInVain) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"if n < 100", "if m < 100"},     {"if n < 100", "if n is 100"},
      {"if n < 100", "if dtype < 100"}, {"take quads", "take quuads"},
      {"take quads", "take quads m=1"}, {"otherwise slow", "otherwise slower"},
  };
  const auto fits = [](const std::string& text) {
    return fits_scene(model_of(text).trees[0], features(), variants(), axes());
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
    for (const ChoiceTree& tree : model->trees) {
      EXPECT_THAT(about.rows, Contains(tree.row));
      const auto fits = fits_scene(tree, about.features(scene->axes), scene->variants, scene->axes);
      EXPECT_TRUE(fits) << sentence(fits.error());
      std::vector<std::string> alike;
      for (const Variant* variant : choice_candidates(*scene, tree.row))
        alike.push_back(variant->name);
      for (const ChoiceNode& node : tree.nodes) {
        for (const ChosenRow& taken : node.rows) EXPECT_THAT(alike, Contains(taken.variant));
      }
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
