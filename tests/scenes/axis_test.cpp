// tests/scenes/axis_test.cpp: typed values become configurations, keys and sweeps, or a sentence.
#include "scenes/base/axis.h"

#include <gtest/gtest.h>

#include <utility>

#include "scenes/catalogue.h"
#include "scenes/host/nearest.h"

namespace warpscope {
namespace {

std::vector<Axis> axes() {
  Axis m;
  m.name = "m";
  m.scale = AxisScale::log;
  m.minimum = 1000;
  m.maximum = 200000;
  m.typed_maximum = 1e6;
  m.default_value = std::int64_t{10000};
  Axis k = m;
  k.name = "k";
  k.linked_to = "m";
  Axis p;
  p.name = "p";
  p.kind = AxisKind::real;
  p.scale = AxisScale::log;
  p.typed_maximum = 1;
  p.default_value = 0.02;
  Axis rows;
  rows.name = "rows";
  rows.kind = AxisKind::choice;
  rows.choices = {"fixed", "power_law"};
  rows.default_value = std::string("fixed");
  Axis alpha;
  alpha.name = "alpha";
  alpha.kind = AxisKind::real;
  alpha.typed_minimum = 1.1;
  alpha.typed_maximum = 10;
  alpha.default_value = 2.0;
  alpha.applies = [](const Configuration& c) { return c.text("rows") == "power_law"; };
  return {m, k, p, rows, alpha};
}

using Changes = std::map<std::string, std::string>;

Result<Configuration> changed(const Changes& changes) {
  return with_values(axes(), default_configuration(axes()), changes);
}

TEST(Axis, ALinkedAxisFollowsUntilItIsNamed) {
  EXPECT_EQ(changed({{"m", "500"}})->integer("k"), 500);
  EXPECT_EQ(changed({{"m", "500"}, {"k", "7"}})->integer("k"), 7);
  EXPECT_EQ(changed({{"k", "7"}})->integer("m"), 10000);
  EXPECT_EQ(changed({{"p", "0.5"}})->integer("k"), 10000);
}

TEST(Axis, ReadsNumbersOfEveryForm) {
  EXPECT_EQ(changed({{"m", "1e5"}})->integer("m"), 100000);
  EXPECT_EQ(changed({{"m", "+20"}})->integer("m"), 20);
  EXPECT_EQ(changed({{"m", "0"}})->integer("m"), 0);
  EXPECT_EQ(changed({{"p", "1e-5"}})->real("p"), 1e-5);
  EXPECT_EQ(changed({{"p", "1"}})->real("p"), 1.0);
  EXPECT_EQ(changed({{"rows", "power_law"}})->text("rows"), "power_law");
}

TEST(Axis, RefusesBadTextNamingAxisAndWhatIsAllowed) {
  struct Case {
    Changes changes;
    const char *axis, *says;
  };
  for (const Case& c :
       {Case{{{"m", ""}}, "axis m", "0 to 1e+06"}, Case{{{"m", "12x"}}, "axis m", "not a number"},
        Case{{{"m", "+-5"}}, "axis m", "not a number"},
        Case{{{"m", "nan"}}, "axis m", "not a number"},
        Case{{{"p", "inf"}}, "axis p", "not a number"},
        Case{{{"m", "1000001"}}, "axis m", "out of range"},
        Case{{{"m", "-1"}}, "axis m", "out of range"},
        Case{{{"m", "1.5"}}, "axis m", "whole number"}, Case{{{"p", "1.0001"}}, "axis p", "0 to 1"},
        Case{{{"rows", "power-law"}}, "axis rows", "did you mean power_law?"},
        Case{{{"rows", "7"}}, "axis rows", "fixed, power_law"},
        Case{{{"alhpa", "2"}}, "axis alhpa", "did you mean alpha?"}}) {
    const auto result = changed(c.changes);
    ASSERT_FALSE(result) << c.says;
    EXPECT_EQ(result.error().kind, ErrorKind::usage);
    EXPECT_EQ(result.error().where, c.axis);
    EXPECT_NE(sentence(result.error()).find(c.says), std::string::npos) << sentence(result.error());
  }
}

TEST(Axis, KeysNameTheApplyingAxesInOrder) {
  EXPECT_EQ(problem_key(axes(), *changed({{"p", "0.05"}})), "m=10000,k=10000,p=0.05,rows=fixed");
  EXPECT_EQ(problem_key(axes(), *changed({{"rows", "power_law"}, {"alpha", "2.5"}})),
            "m=10000,k=10000,p=0.02,rows=power_law,alpha=2.5");
}

TEST(Axis, TextsReadBackAsTheSameValue) {
  const Axis& p = axes()[2];
  for (const double value : {0.1, 1e-5, 1.0 / 3, 0.020000000000000004, 1.0}) {
    EXPECT_EQ(std::get<double>(*parse_axis_value(p, to_text(AxisValue(value)))), value);
  }
  EXPECT_EQ(to_text(AxisValue(0.02)), "0.02");
  EXPECT_EQ(to_text(AxisValue(std::int64_t{10000})), "10000");
}

std::vector<std::string> range(std::size_t axis, const std::string& text) {
  const auto values = parse_axis_range(axes()[axis], text);
  if (!values) return {sentence(values.error())};
  std::vector<std::string> texts;
  for (const AxisValue& value : *values) texts.push_back(to_text(value));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Axis, SweepsListValuesAndRanges) {
  EXPECT_EQ(range(0, "1,2,4"), (Texts{"1", "2", "4"}));
  EXPECT_EQ(range(0, "1:1000:4"), (Texts{"1", "10", "100", "1000"}));  // log axis
  EXPECT_EQ(range(0, "0:10:3"), (Texts{"0", "5", "10"}));              // no logarithm of 0
  EXPECT_EQ(range(0, "1:3:9"), (Texts{"1", "2", "3"}));                // whole and unique
  EXPECT_EQ(range(0, "5,1:5:2,7"), (Texts{"5", "1", "7"}));
  EXPECT_EQ(range(2, "0.01:1:3"), (Texts{"0.01", "0.1", "1"}));
  EXPECT_EQ(range(4, "2:3:3"), (Texts{"2", "2.5", "3"}));  // linear axis
  EXPECT_EQ(range(3, "fixed,power_law"), (Texts{"fixed", "power_law"}));
}

TEST(Axis, SweepsIncludeTheirEndsExactly) {
  const Texts values = range(2, "0.0123456:0.9999999:5");
  ASSERT_EQ(values.size(), 5u);
  EXPECT_EQ(values.front(), "0.0123456");
  EXPECT_EQ(values.back(), "0.9999999");
}

// The problem's n, and the tile of two variants with a default of its own in one of them.
std::vector<Axis> tuned() {
  Axis n = axes()[0];
  n.name = "n";
  Axis tile = n;
  tile.name = "tile";
  tile.default_value = std::int64_t{8};
  tile.of_variants = {"tiled", "swizzled"};
  tile.defaults_of = {{"swizzled", std::int64_t{16}}};
  return {n, tile};
}

TEST(Axis, OfAVariantStandsAtEachOnesDefaultUntilAPersonSetsIt) {
  const Configuration nothing_set = default_configuration(tuned());
  EXPECT_FALSE(nothing_set.has("tile"));
  EXPECT_EQ(for_variant(tuned(), nothing_set, "tiled").integer("tile"), 8);
  EXPECT_EQ(for_variant(tuned(), nothing_set, "swizzled").integer("tile"), 16);
  EXPECT_FALSE(for_variant(tuned(), nothing_set, "naive").has("tile"));
  const Configuration set = *with_values(tuned(), nothing_set, {{"tile", "4"}});
  EXPECT_EQ(for_variant(tuned(), set, "tiled").integer("tile"), 4);
  EXPECT_EQ(for_variant(tuned(), set, "swizzled").integer("tile"), 4);
  EXPECT_FALSE(for_variant(tuned(), set, "naive").has("tile"));
  EXPECT_EQ(with_defaults(tuned(), nothing_set).integer("tile"), 8);
}

TEST(Axis, OfAVariantIsInItsKeysAlone) {
  const Configuration set = *with_values(tuned(), default_configuration(tuned()), {{"tile", "4"}});
  EXPECT_EQ(configuration_key(tuned(), set, "tiled"), "n=10000,tile=4");
  EXPECT_EQ(configuration_key(tuned(), set, "naive"), "n=10000");
  EXPECT_EQ(configuration_key(tuned(), default_configuration(tuned()), "swizzled"),
            "n=10000,tile=16");
  EXPECT_EQ(problem_key(tuned(), set), "n=10000");
}

TEST(Axis, KeysReadBackAsTheirValues) {
  Axis layers = tuned()[1];
  layers.name = "layers";
  layers.kind = AxisKind::list;
  layers.default_value = std::string("92,46,23");
  const std::vector<Axis> all = {tuned()[0], layers, tuned()[1]};
  const auto read = parse_key(all, "n=5,layers=92,46,23,tile=4");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->integer("n"), 5);
  EXPECT_EQ(read->text("layers"), "92,46,23");
  EXPECT_EQ(read->integer("tile"), 4);
  EXPECT_FALSE(parse_key(all, "m=5"));
  EXPECT_FALSE(parse_key(all, "elsewhere"));
  EXPECT_FALSE(parse_key(all, "n=many"));
  EXPECT_FALSE(parse_key(all, ""));
}

TEST(Axis, AListIsNumbersBetweenCommasAndOneValueOfASweep) {
  Axis list;
  list.name = "layers";
  list.kind = AxisKind::list;
  list.typed_minimum = 1;
  list.typed_maximum = 100;
  list.minimum_items = 2;
  list.maximum_items = 3;
  list.default_value = std::string("92,46,23");
  const auto value = parse_axis_value(list, "92, 46,23");
  ASSERT_TRUE(value) << sentence(value.error());
  EXPECT_EQ(to_text(*value), "92,46,23");
  Configuration c;
  c.set("layers", *value);
  EXPECT_EQ(c.list("layers"), (std::vector<double>{92, 46, 23}));
  const auto swept = parse_axis_range(list, "92,46,23");
  ASSERT_TRUE(swept);
  EXPECT_EQ(swept->size(), 1u);
  for (const auto& [text, says] :
       {std::pair("92", "there are 1 numbers"), std::pair("1,2,3,4", "there are 4 numbers"),
        std::pair("92,x", "“x” is not a number"), std::pair("92,", "is not a number"),
        std::pair("", "“” is not"), std::pair("92,101", "101 is out of range")}) {
    const auto refused = parse_axis_value(list, text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().where, "axis layers");
    EXPECT_NE(sentence(refused.error()).find(says), std::string::npos) << sentence(refused.error());
    EXPECT_NE(refused.error().remedy.find("2 to 3 numbers from 1 to 100"), std::string::npos);
  }
}

TEST(Axis, ATextIsHeldToItsRule) {
  Axis mask;
  mask.name = "mask";
  mask.kind = AxisKind::text;
  mask.default_value = std::string("1111");
  mask.admit_text = [](std::string_view text) -> Result<void> {
    if (text.find_first_not_of("01") == std::string_view::npos) return {};
    return failure(ErrorKind::usage, "a mask has only 0 and 1", "", "write, for example, 1100");
  };
  EXPECT_EQ(to_text(*parse_axis_value(mask, "1100")), "1100");
  const auto refused = parse_axis_value(mask, "12");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().where, "axis mask");
  mask.admit_text = nullptr;
  const auto swept = parse_axis_range(mask, "a,b:c");
  ASSERT_TRUE(swept);
  EXPECT_EQ(to_text(swept->at(0)), "a,b:c");
}

TEST(Axis, RefusesRangesThatAreNone) {
  for (const char* text : {"1:2", "1:2:1", "1:2:x", "1:2:3:4", "1:2:2.5", "1:2:9999", "", "1,,2",
                           "1:2000000:3", "::"}) {
    EXPECT_FALSE(parse_axis_range(axes()[0], text)) << text;
  }
}

TEST(Axis, AllScenesDefaultsAreAllowedValues) {
  for (const Scene& scene : built_in_catalogue().scenes()) {
    for (const Axis& axis : scene.axes) {
      if (axis.kind == AxisKind::file) continue;
      const auto value = parse_axis_value(axis, to_text(axis.default_value));
      ASSERT_TRUE(value) << sentence(value.error());
      EXPECT_EQ(*value, axis.default_value) << axis.name;
      EXPECT_FALSE(axis.label.empty()) << axis.name;
      EXPECT_FALSE(axis.description.empty()) << axis.name;
      for (const double stop : axis.stops) {
        EXPECT_TRUE(stop >= axis.minimum && stop <= axis.maximum) << axis.name << " " << stop;
      }
      if (axis.kind != AxisKind::integer && axis.kind != AxisKind::real) continue;
      EXPECT_LT(axis.minimum, axis.maximum) << axis.name;
      EXPECT_LE(axis.typed_minimum, axis.minimum) << axis.name;
      EXPECT_GE(axis.typed_maximum, axis.maximum) << axis.name;
    }
  }
}

TEST(Nearest, FindsTheNameThatWasMeant) {
  EXPECT_EQ(nearest_name("flaot4_columns", {"warp_row", "float4_columns"}), "float4_columns");
  EXPECT_EQ(nearest_name("zzzzzz", {"warp_row", "float4_columns"}), "");
  EXPECT_EQ(suggest("zz", {"one", "two"}), "there are one, two");
}

TEST(Catalogue, ExplainsUnknownNames) {
  ASSERT_TRUE(built_in_catalogue().find("csrmm"));
  const auto scene = built_in_catalogue().find("csrm");
  ASSERT_FALSE(scene);
  EXPECT_NE(sentence(scene.error()).find("did you mean csrmm?"), std::string::npos);
  const auto variant =
      find_variant_or_explain(**built_in_catalogue().find("csrmm"), "float4_column");
  ASSERT_FALSE(variant);
  EXPECT_NE(sentence(variant.error()).find("float4_columns"), std::string::npos);
}

TEST(Error, SentencesLeaveOutEmptyParts) {
  EXPECT_EQ(sentence({ErrorKind::input, "what", "where", "remedy"}), "where: what; remedy");
  EXPECT_EQ(sentence({ErrorKind::input, "what", "", ""}), "what");
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::input, ErrorKind::environment,
                               ErrorKind::resource, ErrorKind::fault, ErrorKind::internal}) {
    EXPECT_EQ(error_kind_from_text(to_text(kind)), kind);
  }
}

TEST(Configuration, IsEqualByItsValuesWhoeverChangedThem) {
  Configuration a;
  a.set("n", std::int64_t{4});
  Configuration copy = a;
  EXPECT_EQ(copy, a);
  copy.set("n", std::int64_t{5});
  EXPECT_FALSE(copy == a);
  copy.set("n", std::int64_t{4});
  EXPECT_EQ(copy, a);
  copy.unset("m");
  EXPECT_EQ(copy, a);
  copy.unset("n");
  EXPECT_FALSE(copy == a);
  EXPECT_EQ(copy, Configuration{});
  // What was moved from has lost its values and does not pass for what has them.
  const Configuration kept = a, taken = std::move(a);
  EXPECT_EQ(taken, kept);
  EXPECT_FALSE(a == kept);
}

}  // namespace
}  // namespace warpscope
