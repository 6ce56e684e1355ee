// tests/emulator/calibration_test.cpp: what the emulator counts is what an H200 counted, exactly.
#include "tests/emulator/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#ifdef WARPSCOPE_WITH_COMPILER

namespace warpscope {
namespace {

constexpr const char* kUnmeasured = "unmeasured.cu";

std::string sentences(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) text += fault.sentence + "\n";
  return text;
}

// Counter by counter, so that a failure names the one that is off.
void expect_equal(const Counts& counted, const Counts& expected, const char* road) {
  for (const auto& [counter, value] : expected) {
    EXPECT_EQ(counted.at(counter), value) << road << ": " << counter;
  }
}

class Calibration : public testing::TestWithParam<CalibrationKernel> {};

TEST_P(Calibration, CountsWhatTheHardwareCounts) {
  const CalibrationKernel& kernel = GetParam();
  const auto measured = measured_on_h200();
  ASSERT_TRUE(measured) << sentence(measured.error());
  const Result<CalibrationCounts> counts = emulate_calibration(kernel);
  if (!counts && counts.error().kind == ErrorKind::environment)
    GTEST_SKIP() << sentence(counts.error());
  ASSERT_TRUE(counts) << sentence(counts.error());
  EXPECT_EQ(sentences(counts->faults), "");
  // Both roads agree, whether there is a figure for the kernel or not.
  expect_equal(counts->sums, counts->requests, "sums against requests");
  const auto known = measured->find(kernel.name);
  ASSERT_EQ(known == measured->end(), kernel.file == kUnmeasured);
  if (known == measured->end()) return;
  Counts expected;
  for (const std::string& counter : calibration_counters()) {
    const auto row = known->second.find(counter);
    expected[counter] = row == known->second.end() ? 0 : row->second.emulated;
  }
  expect_equal(counts->sums, expected, "sums");
  expect_equal(counts->requests, expected, "requests");
}

INSTANTIATE_TEST_SUITE_P(Kernels, Calibration,
                         testing::ValuesIn(calibration_kernels().begin(),
                                           calibration_kernels().end()),
                         [](const auto& info) { return info.param.name; });

// Sectors of atomics that an H200 counted over unmeasured.cu, whose other counters are not kept:
// lanes that share addresses go in passes whether the old value is wanted or not, and 32-bit
// integers at one address of all lanes are added up in the warp first.
TEST(CalibrationOfAtomics, CountsTheSectorsThatAnH200Counted) {
  const struct {
    const char* kernel;
    const char* counter;
    std::int64_t sectors;
  } rows[] = {
      {"reduction_one_address_of_integers", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", 32},
      {"atomic_pairs", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 128},
      {"atomic_four_addresses", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 256}};
  for (const auto& row : rows) {
    const auto kernels = calibration_kernels();
    const auto kernel = std::find_if(kernels.begin(), kernels.end(),
                                     [&](const auto& k) { return k.name == row.kernel; });
    ASSERT_NE(kernel, kernels.end()) << row.kernel;
    const Result<CalibrationCounts> counts = emulate_calibration(*kernel);
    if (!counts && counts.error().kind == ErrorKind::environment)
      GTEST_SKIP() << sentence(counts.error());
    ASSERT_TRUE(counts) << sentence(counts.error());
    EXPECT_EQ(counts->sums.at(row.counter), row.sectors) << row.kernel;
  }
}

TEST(CalibrationFile, NamesKernelsAndCountersThatThereAre) {
  const auto measured = measured_on_h200();
  ASSERT_TRUE(measured) << sentence(measured.error());
  const auto kernels = calibration_kernels();
  const auto counters = calibration_counters();
  for (const auto& [kernel, rows] : *measured) {
    EXPECT_TRUE(std::any_of(kernels.begin(), kernels.end(), [&](const CalibrationKernel& k) {
      return k.name == kernel && k.file != kUnmeasured;
    })) << kernel;
    for (const auto& [counter, row] : rows) EXPECT_THAT(counters, testing::Contains(counter));
  }
}

TEST(CalibrationFile, GivesAReasonOnlyWhereTheEmulatorDiffers) {
  const auto measured = measured_on_h200();
  ASSERT_TRUE(measured) << sentence(measured.error());
  for (const auto& [kernel, rows] : *measured) {
    for (const auto& [counter, row] : rows) {
      EXPECT_NE(row.h200, 0) << kernel << " " << counter << ": a count of 0 has no row";
      EXPECT_EQ(row.h200 == row.emulated, row.reason.empty()) << kernel << " " << counter;
    }
  }
}

}  // namespace
}  // namespace warpscope

#endif  // WARPSCOPE_WITH_COMPILER
