// tests/profiling/session/shipped_sessions_test.cpp: what a recording that ships must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/points/roof.h"
#include "profiling/session/recorded_stops.h"
#include "profiling/session/roof_join.h"
#include "profiling/session/session.h"
#include "scenes/catalogue.h"
#include "tests/folders.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"assets/sessions", "assets/examples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_folder() / folder)) {
      if (entry.is_regular_file()) files.push_back(entry.path());  // beside scenes' folders
    }
  }
  return files;
}

TEST(ShippedSessions, AreThereAndUnderThreeMegabytes) {
  EXPECT_GE(shipped().size(), 4u);
  for (const auto& file : shipped()) EXPECT_LT(std::filesystem::file_size(file), 3u << 20) << file;
}

TEST(ShippedSessions, AreOfOneDeviceEachWithItsOwnRoofsAndWhereTheyComeFrom) {
  for (const auto& file : shipped()) {
    SCOPED_TRACE(file.string());
    const Result<SessionReading> reading = read_session(file);
    ASSERT_TRUE(reading) << sentence(reading.error());
    std::set<std::string> devices;
    for (const Measurement* point : reading->session.all_points()) {
      const Conditions& c = point->conditions;
      devices.insert(c.device_uuid);
      EXPECT_FALSE(c.device.empty() || c.driver.empty() || c.toolkit.empty() || c.date.empty());
      EXPECT_THAT(c.build, Not(HasSubstr("dirty")));
      EXPECT_THAT(c.build, Not(HasSubstr("unknown")));
      if (point->verdict.outcome == Outcome::correct) {
        EXPECT_FALSE(c.code_id.empty()) << point->key;
      }
    }
    ASSERT_EQ(devices.size(), 1u);
    EXPECT_THAT(*devices.begin(), testing::StartsWith("GPU-"));
    ASSERT_FALSE(reading->session.roof_sets().empty());
    for (const RoofSet& roofs : reading->session.roof_sets()) {
      EXPECT_EQ(roofs.conditions.device_uuid, *devices.begin());
      EXPECT_TRUE(holds_mixes(roofs));
      EXPECT_NE(find_roof(roofs, Level::l2), nullptr);
      EXPECT_NE(find_roof(roofs, Pipe::fp32), nullptr);
      EXPECT_NE(find_roof(roofs, Pipe::wgmma_bf16), nullptr);
    }
  }
}

// A roof that an honest kernel exceeds is not a roof.
TEST(ShippedSessions, HaveNoPointAboveARoof) {
  for (const auto& file : shipped()) {
    SCOPED_TRACE(file.string());
    const Result<SessionReading> reading = read_session(file);
    ASSERT_TRUE(reading) << sentence(reading.error());
    std::size_t stood = 0;
    for (const Measurement* point : reading->session.all_points()) {
      const RoofJoin join = join_roofs(reading->session, point->conditions);
      ASSERT_NE(join.roofs, nullptr);
      for (const CacheState cache : {CacheState::cold, CacheState::warm}) {
        const auto standing = stand(*point, cache, *join.roofs);
        if (!standing) continue;
        ++stood;
        for (const RooflinePoint& level : standing->points) {
          EXPECT_TRUE(level.impossible.empty())
              << point->variant << " at " << point->key << ": " << level.impossible;
        }
      }
    }
    // Each point twice, cold and warm, where a session has few.
    EXPECT_GE(stood, std::min<std::size_t>(21, 2 * reading->session.all_points().size()));
  }
}

// Where a slider holds in a recording: on each main axis at five values or more, and at every pair
// of the two chief ones.
TEST(ShippedSessions, HaveFiveStopsOnEachMainAxisAndACrossOfTheTwoChiefOnes) {
  struct Main {
    const char* scene;
    std::map<std::string, std::string> at;
    std::vector<std::string> axes, cross;
    std::map<std::string, bool> unlinked = {};  // axes that a person takes off the one they follow
  };
  const std::vector<Main> mains = {
      {"csrmm", {}, {"m", "n", "p", "db"}, {"n", "p"}},
      {"led", {}, {"leds", "frames", "block", "width"}, {"leds", "frames"}},
      {"esmm", {}, {"m", "da", "db"}, {"da", "db"}, {{"n", true}, {"k", true}}},
      {"deform", {}, {"batch", "queries", "levels"}, {}},
      {"autoencoder", {}, {"batch", "channels", "size"}, {"batch", "channels"}},
      {"patterns", {{"op", "copy"}}, {"n", "stride", "offset"}, {"stride", "offset"}},
      {"patterns", {{"op", "gather"}}, {"locality"}, {}},
      {"patterns", {{"op", "atomics"}}, {"contention"}, {}},
      {"patterns", {{"op", "structures"}}, {"fields"}, {}}};
  for (const Main& main : mains) {
    const Scene& scene = **built_in_catalogue().find(main.scene);
    const auto file = source_folder() / "assets/sessions" / ("h200-" + scene.name + ".wsj.gz");
    const Result<SessionReading> reading = read_session(file);
    ASSERT_TRUE(reading) << sentence(reading.error());
    const RecordedPlaces places(reading->session, scene, "");
    const auto full_stops = [&](const Configuration& axes, const std::string& name) {
      std::vector<AxisValue> values;
      for (const AxisStops& axis : places.stops(axes, main.unlinked).axes) {
        if (axis.axis != name) continue;
        for (const Stop& stop : axis.stops) {
          if (stop.full()) values.push_back(stop.value);
        }
      }
      return values;
    };
    const Configuration here = *with_values(scene.axes, default_configuration(scene.axes), main.at);
    for (const std::string& axis : main.axes)
      EXPECT_GE(full_stops(here, axis).size(), 5u) << scene.name << " over " << axis;
    if (main.cross.empty()) continue;
    for (const AxisValue& value : full_stops(here, main.cross[0])) {
      auto there = main.at;
      there[main.cross[0]] = to_text(value);
      EXPECT_GE(full_stops(*with_values(scene.axes, here, there), main.cross[1]).size(), 5u)
          << scene.name << " over " << main.cross[1] << " at " << main.cross[0] << "="
          << to_text(value);
    }
  }
}

// Two cards of one model: what a chooser of devices and a comparison across devices show.
TEST(ShippedSessions, HoldTwoCardsOfOneModelThatAreToldApart) {
  std::set<std::string> uuids, names;
  for (const auto& file : shipped()) {
    const Result<SessionReading> reading = read_session(file);
    ASSERT_TRUE(reading) << sentence(reading.error());
    for (const DeviceName& device : reading->session.devices()) {
      uuids.insert(device.uuid);
      names.insert(device.name);
    }
  }
  EXPECT_GE(uuids.size(), 2u);
  EXPECT_EQ(names.size(), 1u);
}

}  // namespace
}  // namespace warpscope
