// tests/workbench/commands/help_test.cpp: what --help of every command says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workbench/commands/run_warpscope.h"
#include "workbench/commands/commands.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Help, OfEveryCommandHasAnExampleAndReadableRanges) {
  for (const CommandRow& row : all_command_rows()) {
    const WarpscopeRun help = run_warpscope(std::string(row.name) + " --help");
    EXPECT_EQ(help.status, 0) << row.name;
    EXPECT_THAT(help.said, AllOf(HasSubstr("Example:\n  warpscope " + std::string(row.name)),
                                 Not(HasSubstr("e+0")), Not(HasSubstr(" in ["))))
        << row.name;
  }
}

TEST(Help, SaysWhatIsTakenWhereNothingIsNamed) {
  EXPECT_THAT(run_warpscope("play --help").said, AllOf(HasSubstr("=out"), HasSubstr("=1600x900"),
                                                       HasSubstr("=dark"), Not(HasSubstr("=[]"))));
  EXPECT_THAT(run_warpscope("render --help").said, HasSubstr("=window"));
}

TEST(Help, PlayAndRenderNameWhatWasProbablyMeant) {
  const WarpscopeRun lesson = run_warpscope("play coalescng --offscreen");
  EXPECT_EQ(lesson.status, 2);
  EXPECT_THAT(lesson.said, HasSubstr("coalescing"));
  const WarpscopeRun panel = run_warpscope("render --panel overveiw --out x.png");
  EXPECT_EQ(panel.status, 2);
  EXPECT_THAT(panel.said, HasSubstr("overview"));
}

}  // namespace
}  // namespace warpscope
