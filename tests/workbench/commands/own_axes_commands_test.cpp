// tests/workbench/commands/own_axes_commands_test.cpp: whose an axis is, listed and asked for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "scenes/catalogue.h"
#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST_F(CommandLine, TakeNoAxisThatTheNamedVariantLacks) {
  for (const char* arguments : {"sweep csrmm/warp_row_unroll4 m=100 k=100 n=32 unroll=1,2,4",
                                "measure csrmm/warp_row_unroll4 m=100 k=100 n=32 unroll=2",
                                "verify csrmm/warp_row_unroll4 m=100 k=100 n=32 unroll=2",
                                "trace csrmm/warp_row_unroll4 m=100 k=100 n=32 unroll=2",
                                "agree --random 1 csrmm/warp_row_unroll4 unroll=2"}) {
    const Ran ran = run_fake(arguments, "good");
    EXPECT_EQ(ran.status, 2) << arguments << ran.out;
    EXPECT_THAT(ran.err, HasSubstr("warp_row_unroll4 has no axis “unroll”")) << arguments;
    EXPECT_THAT(ran.err, HasSubstr("rows_per_block")) << arguments;
    EXPECT_EQ(ran.sentences(), 1) << ran.err;
  }
  EXPECT_EQ(run_fake("measure csrmm/rows_per_block m=100 k=100 n=32 unroll=2", "good").status, 0);
  EXPECT_EQ(run_fake("measure csrmm m=100 k=100 n=32 unroll=2", "good").status, 0)
      << "of a whole scene those that have it take it";
}

TEST_F(CommandLine, ListWhoseAnAxisIsAndItsDefaults) {
  const Ran words = run("list led"), json = run("list led --json");
  EXPECT_THAT(words.out, HasSubstr("of single_frame_repeated, grid3d_shared_pattern"));
  const nlohmann::json axes = nlohmann::json::parse(json.out).at(0).at("axes");
  for (const Axis& axis : built_in_catalogue().find("led").value()->axes) {
    const auto found = std::find_if(axes.begin(), axes.end(),
                                    [&](const auto& row) { return row["name"] == axis.name; });
    ASSERT_NE(found, axes.end()) << axis.name;
    EXPECT_EQ((*found)["of_variants"], nlohmann::json(axis.of_variants)) << axis.name;
    EXPECT_EQ((*found)["defaults_of"].size(), axis.defaults_of.size()) << axis.name;
    EXPECT_FALSE((*found)["kind"].get<std::string>().empty()) << axis.name;
  }
}

TEST_F(CommandLine, ListTheLabelsOfAllAxes) {
  for (const Scene& scene : built_in_catalogue().scenes()) {
    const std::string said = run("list " + scene.name).out;
    for (const Axis& axis : scene.axes) {
      const std::size_t line = said.find("\n  " + axis.name + " ");
      ASSERT_NE(line, std::string::npos) << axis.name;
      EXPECT_THAT(said.substr(line + 1, said.find("\n", line + 1) - line),
                  HasSubstr(" " + axis.label + " "))
          << axis.name;
    }
  }
}

TEST_F(CommandLine, VerifySaysOfWhichConfigurationARowIs) {
  const Ran many = run_fake("verify csrmm m=100 k=100 n=32,64 unroll=1,2", "good");
  EXPECT_EQ(many.status, 0) << many.err;
  for (const char* row : {"csrmm/warp_row_unroll4 +n=32 op=NT +correct",
                          "csrmm/warp_row_unroll4 +n=64 op=NT +correct",
                          "csrmm/rows_per_block +n=64 op=NT unroll=2 +correct",
                          "csrmm/[a-z0-9_]+ +n=32 op=T +correct"})
    EXPECT_THAT(many.out, testing::ContainsRegex(row));
  EXPECT_THAT(many.out, Not(HasSubstr("m=100"))) << "it is the same in all rows";
  const Ran one = run_fake("verify csrmm/rows_per_block m=100 k=100 n=32 unroll=2", "good");
  EXPECT_THAT(one.out, testing::ContainsRegex("csrmm/rows_per_block +correct"));
}

}  // namespace
}  // namespace warpscope
