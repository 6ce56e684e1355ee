// tests/engine/nvml_test.cpp: throttle reasons in words, and a reading of the device.
#include "profiling/engine/cuda/nvml.h"

#include "tests/engine/gpu_fixture.h"

namespace warpscope {
namespace {

TEST(ThrottleWords, SaysNoneForAnEmptyMask) { EXPECT_EQ(throttle_words(0), "none"); }

TEST(ThrottleWords, NamesEachReason) {
  // source: NVML API reference, nvmlClocksEventReasons
  EXPECT_EQ(throttle_words(0x1), "idle");
  EXPECT_EQ(throttle_words(0x4), "power cap");
  EXPECT_EQ(throttle_words(0x20), "software thermal slowdown");
  EXPECT_EQ(throttle_words(0x40), "hardware thermal slowdown");
  EXPECT_EQ(throttle_words(0x80), "power brake");
}

TEST(ThrottleWords, JoinsSeveralReasons) {
  EXPECT_EQ(throttle_words(0x4 | 0x40), "power cap, hardware thermal slowdown");
}

TEST(ThrottleWords, DoesNotCallAnUnknownReasonNone) {
  EXPECT_EQ(throttle_words(0x4000), "unknown reason 0x4000");
  EXPECT_EQ(throttle_words(0x4 | 0x4000), "power cap, unknown reason 0x4000");
}

using GpuNvml = GpuTest;

TEST_F(GpuNvml, ReadsClocksPowerAndTemperatureInTheirUnits) {
  const Result<Nvml> nvml = Nvml::open(device_->description().uuid);
  ASSERT_TRUE(nvml) << sentence(nvml.error());
  const NvmlReading reading = nvml->read();
  ASSERT_TRUE(reading.sm_clock_mhz && reading.power_w && reading.temperature_c);
  EXPECT_GE(*reading.sm_clock_mhz, 100);
  EXPECT_LE(*reading.sm_clock_mhz, device_->description().sm_clock_mhz + 1);
  EXPECT_GT(*reading.power_w, 5);
  EXPECT_LT(*reading.power_w, 2000);
  EXPECT_GT(*reading.temperature_c, 5);
  EXPECT_LT(*reading.temperature_c, 110);
  EXPECT_NE(reading.throttle, "");
  EXPECT_NE(nvml->driver_version(), "");
}

}  // namespace
}  // namespace warpscope
