// tests/profiling/session/shipped_sessions_test.cpp: what a recording that ships must hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "profiling/points/roof.h"
#include "profiling/session/session.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<std::filesystem::path> shipped() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"assets/sessions", "assets/examples"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(WARPSCOPE_SOURCE_FOLDER) / folder))
      files.push_back(entry.path());
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
