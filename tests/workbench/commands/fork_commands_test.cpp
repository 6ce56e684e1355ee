// tests/workbench/commands/fork_commands_test.cpp: the real programs with copies of variants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "scenes/host/input_file.h"
#include "tests/folders.h"
#include "tests/scenes/folder_parts.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class ForkCommands : public testing::Test {
 protected:
  ForkCommands() : folder_("commands/forks"), mine_((folder_.path() / "mine").string()) {}
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    if (run_warpscope("trace csrmm/float4_columns m=10 k=10 n=4").status == 3)
      GTEST_SKIP() << "there is no NVRTC here";
  }
  WarpscopeRun fork(const std::string& more = "") const {
    return run_warpscope("fork csrmm/warp_row_branch_free --to " + mine_ + " m=300 n=32 " + more);
  }
  // Writes the copy's kernel with its first `from` as `to`.
  void edit(const std::string& from, const std::string& to) const {
    const std::string file = mine_ + "/seed_warp_row.cu";
    const std::string text = read_input(file, 1 << 20).value_or("");
    ASSERT_NE(text.find(from), std::string::npos);
    std::ofstream(file) << replaced(text, from, to);
  }
  OwnFolder folder_;
  std::string mine_;
};

TEST_F(ForkCommands, ACopyIsVerifiedTracedAndListedLikeItsParent) {
  const WarpscopeRun made = fork("--hypothesis 'fewer loads'");
  ASSERT_EQ(made.status, 0) << made.said;
  EXPECT_THAT(made.said, HasSubstr("seed_warp_row.cu"));
  const std::string copy = mine_ + "/warp_row_branch_free_fork";
  const WarpscopeRun verified = run_warpscope("verify " + copy);
  EXPECT_EQ(verified.status, 0) << verified.said;
  EXPECT_THAT(verified.said, HasSubstr("correct"));
  const WarpscopeRun hard = run_warpscope("verify " + copy + " --hard");
  EXPECT_EQ(hard.status, 0) << hard.said;
  const WarpscopeRun traced = run_warpscope("trace " + copy + " --json");
  EXPECT_EQ(traced.status, 0) << traced.said;
  EXPECT_THAT(traced.said, HasSubstr("mine/seed_warp_row.cu"));
  EXPECT_THAT(run_warpscope("list " + mine_).said, HasSubstr("warp_row_branch_free_fork"));
  const WarpscopeRun noted = run_warpscope("journal " + mine_);
  EXPECT_EQ(noted.status, 0) << noted.said;
  EXPECT_THAT(noted.said, HasSubstr("mine: the iterations of this session"));
  EXPECT_THAT(noted.said, HasSubstr("1 warp_row_branch_free  ● kept"));
  EXPECT_THAT(noted.said, HasSubstr("2 warp_row_branch_free_fork  ○ open"));
  EXPECT_THAT(noted.said, HasSubstr("fewer loads"));
  EXPECT_THAT(noted.said, Not(HasSubstr("csrmm:"))) << "of the scenes that the session has";
  // By its name, where a person's scenes lie.
  const fs::path scenes = folder_.path() / "data" / "warpscope" / "scenes";
  fs::create_directories(scenes);
  fs::copy(mine_, scenes / "mine", fs::copy_options::recursive);
  ::setenv("XDG_DATA_HOME", (folder_.path() / "data").c_str(), 1);
  EXPECT_THAT(run_warpscope("journal mine").said, HasSubstr("2 warp_row_branch_free_fork  ○ open"));
  ::unsetenv("XDG_DATA_HOME");
}

TEST_F(ForkCommands, AnEditIsJudgedAndItsParentStays) {
  ASSERT_EQ(fork().status, 0);
  edit("stored(sum)", "stored(sum + 1)");
  const WarpscopeRun wrong =
      run_warpscope("verify " + mine_ + "/warp_row_branch_free_fork weights=hetero");
  EXPECT_EQ(wrong.status, 1) << wrong.said;
  EXPECT_THAT(wrong.said, HasSubstr("wrong"));
  const WarpscopeRun parent = run_warpscope("verify " + mine_ + "/warp_row_branch_free");
  EXPECT_EQ(parent.status, 0) << parent.said;
  edit("Sum sum = 0;", "Sum sum = 0");
  const WarpscopeRun broken = run_warpscope("verify " + mine_ + "/warp_row_branch_free_fork");
  EXPECT_EQ(broken.status, 1) << broken.said;
  EXPECT_THAT(broken.said, HasSubstr("seed_warp_row.cu("));
}

TEST_F(ForkCommands, WhatIsThereIsNotWrittenOver) {
  ASSERT_EQ(fork().status, 0);
  const WarpscopeRun again = fork();
  EXPECT_EQ(again.status, 2) << again.said;
  EXPECT_THAT(again.said, HasSubstr("the folder exists already"));
  EXPECT_EQ(run_warpscope("fork csrmm/no_such --to " + mine_ + "2").status, 2);
  EXPECT_EQ(run_warpscope("fork csrmm --to " + mine_ + "2").status, 2);
  EXPECT_EQ(run_warpscope("fork csrmm/cusparse_alg2 --to " + mine_ + "2").status, 2);
  EXPECT_EQ(run_warpscope("fork csrmm/row_split --to " + mine_ + "2 rows=no_such").status, 2);
  EXPECT_FALSE(fs::exists(mine_ + "2"));
}

TEST_F(ForkCommands, WithoutAPlaceTheyLieInTheUsersSceneFolder) {
  const std::string environment = "XDG_DATA_HOME=" + folder_.path().string() + " ";
  const WarpscopeRun other = run_warpscope("fork csrmm/row_split --json", environment);
  EXPECT_EQ(other.status, 0) << other.said;
  EXPECT_THAT(other.said, HasSubstr("\"scene\": \"csrmm_row_split\""));
  EXPECT_THAT(run_warpscope("list csrmm_row_split", environment).said, HasSubstr("row_split_fork"));
}

}  // namespace
}  // namespace warpscope
