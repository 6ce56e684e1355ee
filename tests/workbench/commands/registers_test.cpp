// tests/workbench/commands/registers_test.cpp: the table of registers, and outputs of two variants
// bit by bit, by the real programs without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "profiling/figures/csv_text.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Registers : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    if (run("registers patterns/copy n=1024 --arch 90").status == 3)
      GTEST_SKIP() << "there is no NVRTC here";
  }
};

TEST_F(Registers, OfAVariantStandByArchitectureAsATableAsCsvAndAsJson) {
  const Ran table = run("registers patterns/copy n=1024 --csv {folder}/r.csv");
  EXPECT_EQ(table.status, 0) << table.err;
  for (const char* words : {"registers", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "100.0 %"})
    EXPECT_THAT(table.out, HasSubstr(words));
  const auto rows = parse_csv(text_of(path("r.csv")));
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 6u) << "a head and five architectures";
  const auto column = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(rows->front().begin(), rows->front().end(), name) -
                                    rows->front().begin());
  };
  for (std::size_t i = 1; i < rows->size(); ++i) {
    EXPECT_GT(std::stoi((*rows)[i].at(column("registers_per_thread"))), 4);
    EXPECT_EQ((*rows)[i].at(column("threads_per_block")), "256");
    EXPECT_EQ((*rows)[i].at(column("launch")), "starts");
    EXPECT_EQ((*rows)[i].at(column("toolkit")), "13.0");
    EXPECT_EQ((*rows)[i].at(column("code_id")).size(), 32u);
  }
  const Ran json = run("registers patterns/copy n=1024 --arch 90,86 --json");
  const auto list = nlohmann::json::parse(json.out);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0]["compute_capability"], 90);
  EXPECT_GT(list[1]["steps"][0]["resources"]["registers"], 4);
}

TEST_F(Registers, OfCodeThatAnArchitectureLacksAreRefusedWithTheReason) {
  const Ran old = run("registers led/window_boxes --arch 80");
  EXPECT_EQ(old.status, 0) << old.err;
  EXPECT_THAT(old.out, HasSubstr("bulk tensor copies need sm_90; this device is sm_80"));
}

TEST_F(Registers, BadArgumentsAreNamed) {
  expect_statuses(
      {{"registers patterns/copy --arch 91", 2, {"there is no architecture sm_91 here", "90"}, {}},
       {"registers nothing", 2, {"nothing"}, {}},
       {"registers patterns/copy wide=4", 2, {"wide", "width"}, {}},
       {"compare --outputs csrmm csrmm/float4_columns", 2, {"write SCENE/VARIANT"}, {}},
       {"compare --outputs csrmm/float4_columns patterns/copy", 2, {"two scenes"}, {}},
       {"compare --outputs csrmm/float4_columns csrmm/none", 2, {"none"}, {}},
       {"compare {session} {session} n=64", 2, {"--outputs SCENE/A SCENE/B"}, {}}});
}

TEST_F(Registers, OutputsOfTwoVariantsAreComparedBitByBit) {
  const std::string at = " m=64 k=256 n=32 p=0.2 --emulated";
  const Ran same = run("compare --outputs csrmm/float4_columns csrmm/float4_columns" + at +
                       " --csv {folder}/p.csv");
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_THAT(same.out, AllOf(HasSubstr("on the emulator"),
                              HasSubstr("c: every bit of 2 048 elements is equal"),
                              HasSubstr("compared with its reference: correct")));
  EXPECT_THAT(text_of(path("p.csv")), HasSubstr(",c,f32,2048,2048,0,0,,,,correct,correct,"));
  // Tiles of k are another order of additions.
  const Ran other = run("compare --outputs csrmm/float4_columns csrmm/k_tiles" + at + " --json");
  EXPECT_EQ(other.status, 0) << "other bits are not a finding: " << other.err;
  const auto output = nlohmann::json::parse(other.out).at(0).at("outputs").at(0);
  EXPECT_EQ(output["elements"], 2048);
  EXPECT_GT(output["bit_equal"], 0);
  EXPECT_LT(output["bit_equal"], 2048);
  EXPECT_GT(output["most_ulps"], 1);
  EXPECT_THAT(output["at"].get<std::string>(), HasSubstr("c["));
}

}  // namespace
}  // namespace warpscope
