// tests/profiling/agreement/agree_ncu_test.cpp: a session's counters beside those of Nsight
// Compute.
#include <gtest/gtest.h>

#include <string>

#include "profiling/agreement/agree.h"

namespace warpscope {
namespace {

Measurement correct_point() {
  Measurement m;
  m.scene = "csrmm";
  m.variant = "warp_row_zero_test";
  m.key = "m=10000,n=128";
  m.verdict.outcome = Outcome::correct;
  return m;
}

// A raw page of ncu with one launch of kernel warp_row: names, units, values.
std::string raw_page(const std::string& dram_written, const std::string& sectors) {
  return "==PROF== Connected to process 7\n"
         "\"ID\",\"Kernel Name\",\"dram__bytes_write.sum\","
         "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
         "\"\",\"\",\"Mbyte\",\"sector\"\n"
         "\"3\",\"warp_row(const int *, float *)\",\"" +
         dram_written + "\",\"" + sectors + "\"\n";
}

// On a device with 60 MB of L2: 0.2 MB written to DRAM, 1000 sectors loaded.
Session counted_warp_row() {
  Session session;
  Hello hello;
  hello.role = "measure";
  hello.device = DeviceDescription{"a device"};
  hello.device->l2_bytes = 60'000'000;
  session.apply(hello);
  Measurement m = correct_point();
  StepRecord step;
  step.entry = "warp_row";
  step.kind = "kernel";
  step.metrics = {{"dram.bytes_write", 0.2e6, Origin::measured, "", ""},
                  {"l1.sectors_load", 1000, Origin::measured, "", ""}};
  m.steps = {step};
  session.apply(m);
  return session;
}

TEST(AgreeWithNcu, HoldsEachCounterOfAKernelToItsOwnLimit) {
  const auto rows = agree_with_ncu(raw_page("0.205", "1,004"), counted_warp_row());
  ASSERT_TRUE(rows) << sentence(rows.error());
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].kernel, "warp_row");
  EXPECT_DOUBLE_EQ((*rows)[0].ncu, 0.205e6);
  EXPECT_TRUE((*rows)[0].agrees);  // 2.4 % of 3
  EXPECT_DOUBLE_EQ((*rows)[1].ncu, 1004);
  EXPECT_TRUE((*rows)[1].agrees);  // 0.4 % of 0.5
  const auto apart = agree_with_ncu(raw_page("0.205", "1,006"), counted_warp_row());
  ASSERT_TRUE(apart) << sentence(apart.error());
  EXPECT_FALSE((*apart)[1].agrees);
  EXPECT_EQ((*apart)[1].reason, "");
}

TEST(AgreeWithNcu, KnowsThatALittleThatLeavesL2EarlyIsChance) {
  const auto little = agree_with_ncu(raw_page("1.0", "1,000"), counted_warp_row());
  ASSERT_TRUE(little) << sentence(little.error());
  EXPECT_FALSE((*little)[0].agrees);
  EXPECT_NE((*little)[0].reason.find("L2"), std::string::npos);
  const auto much = agree_with_ncu(raw_page("2.0", "1,000"), counted_warp_row());
  ASSERT_TRUE(much) << sentence(much.error());
  EXPECT_FALSE((*much)[0].agrees);
  EXPECT_EQ((*much)[0].reason, "");
}

// One launch of warp_row in so many blocks of 256 threads.
std::string page_of_grid(int blocks, const std::string& sectors) {
  return "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\","
         "\"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\"\n"
         "\"\",\"\",\"\",\"\",\"sector\"\n"
         "\"0\",\"warp_row\",\"(256, 1, 1)\",\"(" +
         std::to_string(blocks) + ", 4, 1)\",\"" + sectors + "\"\n";
}

void launch_warp_row(Session& session, std::int64_t blocks, double sectors, const char* date) {
  Measurement m = correct_point();
  m.key = "m=" + std::to_string(blocks) + date;
  m.conditions.date = date;
  StepRecord step;
  step.entry = "warp_row";
  step.kind = "kernel";
  step.launch.grid = {blocks, 4, 1};
  step.launch.block = {256, 1, 1};
  step.metrics = {{"l1.sectors_load", sectors, Origin::measured, "", ""}};
  m.steps = {step};
  session.apply(m);
}

TEST(AgreeWithNcu, HoldsALaunchToTheNewestOfItsOwnGridAndBlock) {
  Session session;
  launch_warp_row(session, 100, 1000, "2026-11-22T12:00:00Z");
  launch_warp_row(session, 100, 999999, "2026-11-22T11:00:00Z");
  launch_warp_row(session, 200, 2000, "2026-11-22T13:00:00Z");
  for (const auto& [blocks, sectors] : {std::pair(100, "1,000"), std::pair(200, "2,000")}) {
    const auto rows = agree_with_ncu(page_of_grid(blocks, sectors), session);
    ASSERT_TRUE(rows) << sentence(rows.error());
    ASSERT_EQ(rows->size(), 1u);
    EXPECT_TRUE(rows->front().agrees) << blocks << ": " << rows->front().ours;
  }
  const auto none = agree_with_ncu(page_of_grid(300, "3,000"), session);
  ASSERT_FALSE(none) << "no launch of 300 blocks was measured";
  EXPECT_NE(sentence(none.error()).find("grid"), std::string::npos);
}

TEST(AgreeWithNcu, RefusesWhatHasNothingToCompare) {
  EXPECT_FALSE(agree_with_ncu("", counted_warp_row()));
  EXPECT_FALSE(agree_with_ncu("a,b\n1,2\n", counted_warp_row()));
  EXPECT_FALSE(agree_with_ncu(raw_page("1", "2"), Session()));
}

}  // namespace
}  // namespace warpscope
