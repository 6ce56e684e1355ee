// tests/profiling/plans/visible_devices_test.cpp: which GPUs an engine lets the driver start.
#include "profiling/plans/visible_devices.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace warpscope {
namespace {

TEST(VisibleDevices, AreCountedByTheFilesOfTheDriver) {
  const auto dev =
      std::filesystem::temp_directory_path() / ("warpscope-dev-" + std::to_string(::getpid()));
  EXPECT_EQ(driver_files(dev), 0u) << "no such folder";
  std::filesystem::create_directories(dev);
  for (const char* name :
       {"nvidia0", "nvidia1", "nvidia10", "nvidiactl", "nvidia-uvm", "nvidia", "radeon3", "null"})
    std::ofstream(dev / name) << "";
  EXPECT_EQ(driver_files(dev), 3u);
  std::filesystem::remove_all(dev);
}

TEST(VisibleDevices, AreAtMostThoseThatAreListed) {
  EXPECT_EQ(most_devices(0, nullptr), std::nullopt);
  EXPECT_EQ(most_devices(0, "0,1"), std::nullopt);
  EXPECT_EQ(most_devices(4, nullptr), 4u);
  EXPECT_EQ(most_devices(4, "2,3"), 2u);
  EXPECT_EQ(most_devices(2, "0,1,2,3"), 2u);
  EXPECT_EQ(most_devices(4, ""), 0u);
  EXPECT_EQ(most_devices(4, "1,-1,2"), 1u);
}

TEST(VisibleDevices, AreOneForAnEngineOfSeveral) {
  EXPECT_EQ(device_alone(2, 4, nullptr), "2");
  EXPECT_EQ(device_alone(0, 4, nullptr), "0");
  EXPECT_EQ(device_alone(1, 4, "2,3"), "3");
  EXPECT_EQ(device_alone(1, 4, "GPU-37f0,GPU-d343"), "GPU-d343");
  // The driver says best what is wrong with a number that is not there.
  EXPECT_EQ(device_alone(4, 4, nullptr), std::nullopt);
  EXPECT_EQ(device_alone(2, 4, "2,3"), std::nullopt);
  EXPECT_EQ(device_alone(2, 4, "0,-1,3"), std::nullopt);
  EXPECT_EQ(device_alone(0, 1, nullptr), std::nullopt) << "it is the only one";
  EXPECT_EQ(device_alone(0, 4, "3"), std::nullopt);
  EXPECT_EQ(device_alone(0, 0, nullptr), std::nullopt) << "nothing is known";
}

}  // namespace
}  // namespace warpscope
