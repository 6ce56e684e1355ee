// tests/profiling/session/recorded_stops_test.cpp: the stops of every axis, from hand-made
// sessions.
#include "profiling/session/recorded_stops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two linked sizes on a log scale, a share, a choice with an axis that only one of its values has,
// and an axis of one variant.
Scene small_scene() {
  Scene scene;
  scene.name = "small";
  const auto number = [](const char* name, AxisKind kind, AxisScale scale, double low, double high,
                         AxisValue at) {
    return number_axis(name, name, "", "", kind, scale, Binding::argument, low, high, at);
  };
  const auto integer = AxisKind::integer;
  Axis m = number("m", integer, AxisScale::log, 1, 1e6, std::int64_t{1000});
  Axis k = number("k", integer, AxisScale::log, 1, 1e6, std::int64_t{1000});
  k.linked_to = "m";
  Axis p = number("p", AxisKind::real, AxisScale::linear, 0, 1, 0.1);
  Axis rows = choice_axis("rows", "rows", "", {"fixed", "power_law"});
  Axis alpha = number("alpha", AxisKind::real, AxisScale::linear, 1, 3, 2.0);
  alpha.applies = [](const Configuration& c) { return c.text("rows") == "power_law"; };
  Axis tile = number("tile", integer, AxisScale::linear, 1, 64, std::int64_t{8});
  tile.of_variants = {"tiled"};
  tile.before = AxisValue(std::int64_t{4});
  scene.axes = {m, k, p, rows, alpha, tile};
  for (const char* name : {"plain", "tiled"}) {
    Variant variant;
    variant.name = name;
    scene.variants.push_back(variant);
  }
  return scene;
}

class RecordedStopsTest : public testing::Test {
 protected:
  void record(const std::map<std::string, std::string>& values,
              const std::string& variant = "plain", const std::string& device = "GPU-1") {
    Measurement m;
    m.scene = scene.name;
    m.variant = variant;
    m.axes = *with_values(scene.axes, default_configuration(scene.axes), values);
    m.conditions.device_uuid = device;
    m.completed_axes = completed;
    m.key = configuration_key(scene.axes, m.axes, variant) + device;
    session.apply(m);
  }
  Configuration at(const std::map<std::string, std::string>& values) const {
    return *with_values(scene.axes, default_configuration(scene.axes), values);
  }
  RecordedStops stops(const std::map<std::string, std::string>& values,
                      const std::string& device = "GPU-1", const std::string& variant = "") const {
    return RecordedPlaces(session, scene, device, variant).stops(at(values), unlinked);
  }
  static std::vector<std::string> written(const RecordedStops& found, const std::string& axis) {
    std::vector<std::string> list;
    for (const AxisStops& a : found.axes) {
      if (a.axis != axis) continue;
      for (const Stop& stop : a.stops) {
        list.push_back(to_text(stop.value) + (stop.full() ? "" : " with " + words_of(stop.moves)));
      }
    }
    return list;
  }

  Scene scene = small_scene();
  Session session;
  std::map<std::string, bool> unlinked;
  std::vector<std::string> completed;
};

TEST_F(RecordedStopsTest, AreFullWhereTheOtherAxesStandAndHollowWhereTheyMoveToo) {
  record({{"p", "0.1"}});
  record({{"p", "0.2"}});
  record({{"p", "0.5"}, {"m", "100"}, {"k", "100"}});
  const RecordedStops found = stops({});
  EXPECT_TRUE(found.recorded);
  EXPECT_THAT(written(found, "p"),
              ElementsAre("0.1", "0.2", "0.5 with m: 1000 → 100, k: 1000 → 100"));
  EXPECT_THAT(written(found, "m"), ElementsAre("100 with p: 0.1 → 0.5", "1000"));
}

TEST_F(RecordedStopsTest, ChoosingOneSelectsAPlaceThatIsRecorded) {
  record({{"p", "0.1"}});
  record({{"p", "0.5"}, {"m", "100"}, {"k", "100"}});
  for (const AxisStops& axis : stops({{"p", "0.3"}}).axes) {
    for (const Stop& stop : axis.stops) {
      const RecordedStops there =
          RecordedPlaces(session, scene, "GPU-1").stops(stop.axes, unlinked);
      EXPECT_TRUE(there.recorded) << axis.axis << " = " << to_text(stop.value);
      EXPECT_EQ(stop.axes.at(axis.axis), stop.value);
    }
  }
}

TEST_F(RecordedStopsTest, LeadToTheNearestPlaceOnTheAxesOwnScale) {
  // From m = 1000 to 100 is a third of what it is to 1 on a log scale.
  record({{"p", "0.4"}, {"m", "1"}, {"k", "1"}});
  record({{"p", "0.4"}, {"m", "100"}, {"k", "100"}});
  const RecordedStops found = stops({});
  EXPECT_FALSE(found.recorded);
  EXPECT_THAT(written(found, "p"), ElementsAre("0.4 with m: 1000 → 100, k: 1000 → 100"));
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(words_of(found.nearest->moves), "m: 1000 → 100, k: 1000 → 100, p: 0.1 → 0.4");
  EXPECT_EQ(found.nearest->axes, at({{"p", "0.4"}, {"m", "100"}, {"k", "100"}}));
}

TEST_F(RecordedStopsTest, CrossAChoiceOnlyWhereNothingElseLeadsThere) {
  record({{"p", "0.9"}, {"rows", "power_law"}});
  record({{"p", "0.9"}, {"m", "1"}, {"k", "1"}});
  record({{"p", "0.11"}, {"rows", "power_law"}});
  record({{"p", "1"}});
  const RecordedStops found = stops({});
  EXPECT_THAT(written(found, "p"), ElementsAre("0.11 with rows: fixed → power_law",
                                               "0.9 with m: 1000 → 1, k: 1000 → 1", "1"));
  EXPECT_EQ(words_of(found.nearest->moves), "p: 0.1 → 1")
      << "0.11 is nearer, and another kind of rows";
}

TEST_F(RecordedStopsTest, OfChoicesAreInTheScenesOrder) {
  record({{"rows", "power_law"}, {"p", "0.2"}});
  record({});
  EXPECT_THAT(written(stops({}), "rows"), ElementsAre("fixed", "power_law with p: 0.1 → 0.2"));
}

TEST_F(RecordedStopsTest, OfAnAxisThatDoesNotApplyAreNone) {
  record({{"rows", "power_law"}, {"alpha", "2.5"}});
  EXPECT_THAT(written(stops({}), "alpha"), IsEmpty());
  EXPECT_THAT(written(stops({{"rows", "power_law"}}), "alpha"), ElementsAre("2.5"));
  // And it keeps its value where the other rows are chosen.
  record({});
  const RecordedStops found = stops({{"rows", "power_law"}, {"alpha", "1.5"}});
  EXPECT_THAT(written(found, "rows"), ElementsAre("fixed", "power_law with alpha: 1.5 → 2.5"));
}

TEST_F(RecordedStopsTest, OfLinkedAxesMoveAsOne) {
  record({{"m", "1000"}, {"k", "1000"}});
  record({{"m", "100"}, {"k", "100"}});
  record({{"m", "10"}, {"k", "1000"}});
  EXPECT_THAT(written(stops({}), "m"), ElementsAre("10 with k: stays 1000", "100", "1000"))
      << "k would follow m to 10";
  EXPECT_THAT(written(stops({}), "k"), ElementsAre("100", "1000"));
  unlinked["k"] = true;
  EXPECT_THAT(written(stops({}), "m"), ElementsAre("10", "100 with k: 1000 → 100", "1000"));
}

TEST_F(RecordedStopsTest, AreThoseOfOneDevice) {
  record({{"p", "0.1"}});
  record({{"p", "0.2"}}, "plain", "GPU-2");
  EXPECT_THAT(written(stops({}), "p"), ElementsAre("0.1"));
  EXPECT_THAT(written(stops({}, "GPU-2"), "p"), ElementsAre("0.2"));
  EXPECT_THAT(written(stops({}, ""), "p"), ElementsAre("0.1", "0.2"));
  EXPECT_FALSE(stops({}, "GPU-2").recorded);
}

TEST_F(RecordedStopsTest, OfAVariantsOwnAxisAreItsOwn) {
  record({{"tile", "8"}}, "tiled");
  record({{"tile", "16"}}, "tiled");
  record({{"tile", "32"}, {"p", "0.2"}}, "tiled");
  record({{"p", "0.2"}});
  EXPECT_THAT(written(stops({}), "tile"), IsEmpty()) << "it is not an axis of the problem";
  EXPECT_EQ(RecordedPlaces(session, scene, "GPU-1").size(), 2u);
  EXPECT_THAT(written(stops({}, "GPU-1", "tiled"), "tile"),
              ElementsAre("8", "16", "32 with p: 0.1 → 0.2"));
}

TEST_F(RecordedStopsTest, SayWhichAxisTheRecordingLacks) {
  completed = {"p"};
  record({});
  const RecordedStops found = stops({});
  for (const AxisStops& axis : found.axes) {
    EXPECT_EQ(axis.completed.has_value(), axis.axis == "p") << axis.axis;
  }
  // Where it was measured as well, it is an axis like others.
  completed.clear();
  record({{"p", "0.5"}});
  for (const AxisStops& axis : stops({}).axes) EXPECT_FALSE(axis.completed) << axis.axis;
}

TEST_F(RecordedStopsTest, OfNothingRecordedAreNone) {
  const RecordedStops found = stops({});
  EXPECT_FALSE(found.recorded);
  EXPECT_FALSE(found.nearest);
  for (const AxisStops& axis : found.axes) EXPECT_THAT(axis.stops, IsEmpty());
}

}  // namespace
}  // namespace warpscope
