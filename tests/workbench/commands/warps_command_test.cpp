// tests/workbench/commands/warps_command_test.cpp: the command warps without a GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profiling/messages/protocol.h"
#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class WarpsCommand : public CommandLine {
 protected:
  std::string recorded() const {
    WarpTimeline t;
    t.scene = "csrmm";
    t.variant = "float4_columns";
    t.key = configuration_key((*built_in_catalogue().find("csrmm"))->axes,
                              *configured(**built_in_catalogue().find("csrmm"), t.variant, {}),
                              t.variant);
    t.step = t.entry = "float4_columns";
    ProbedSpan span;
    span.position.line = 31;
    t.spans = {span};
    t.blocks = t.warps_per_block = 1;
    t.plain_ns = 1000;
    t.probed_ns = 1010;
    t.rows = {{0, 0, 3, 0, 0, 100, 0, {{10, 0}, {60, 1}}}};
    return write("warps.wsj", to_line(t) + "\n");
  }
};

TEST_F(WarpsCommand, SaysThatItNeedsAGpuAndWhatToDo) {
  expect_statuses({{"warps csrmm/float4_columns", 3, {"there is none here", "--session"}},
                   {"warps", 2, {"name a variant or a file"}},
                   {"warps csrmm/float4_columns --json --csv -", 2, {"standard output"}},
                   {"warps csrmm/no_such_variant", 2, {"no_such_variant"}}});
}

TEST_F(WarpsCommand, ReadsTheWarpsOfASession) {
  const std::string session = recorded();
  const Ran text = run("warps csrmm/float4_columns --session " + session);
  ASSERT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("1 of 1 blocks recorded"), HasSubstr("barrier, line 31"),
                              HasSubstr("50.0 %"), HasSubstr("1.0 % slower")));
  const Ran csv = run("warps csrmm/float4_columns --csv - --session " + session);
  EXPECT_THAT(csv.out, HasSubstr("wait,barrier,,31,10,60"));
  const Ran other = run("warps csrmm/k_tiles --session " + session);
  EXPECT_EQ(other.status, 3);
  EXPECT_THAT(other.err, HasSubstr("has no warps of this variant"));
}

}  // namespace
}  // namespace warpscope
