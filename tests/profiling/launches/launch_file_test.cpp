// tests/profiling/launches/launch_file_test.cpp: a launch file says what a command line would, and
// its mistakes have a line and a remedy.
#include "profiling/launches/launch_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

const char* const kLayerNorm = R"(source = "layernorm.cu"
include = ["common"]
define = ["N=768"]
kernel = "layernorm<float>"
grid = ["B"]
block = [256]
shared = "4 * N"
[let]
B = 64
C = "2 * B"
[[argument]]
name = "out"
type = "f32"
count = "B*C"
fill = "unset"
expect = "out.npy"
rtol = 1e-5
print = "0:4"
[[argument]]
name = "inp"
type = "f32"
file = "inp.npy"
[[argument]]
name = "eps"
value = "f32:1e-5"
[[argument]]
name = "n"
value = "i32:B * 2"
[[argument]]
name = "factors"
type = "float4"
value = [1, 2, 0.5, 4]
[[argument]]
name = "view"
value = "struct:{inp,i32:C}"
[constant]
table = "table.npy"
scale = "f32:B"
)";

TEST(LaunchFile, SaysEverythingThatALaunchNeeds) {
  const Result<LaunchFile> file = parse_launch_file(kLayerNorm, "/k/launch.toml");
  ASSERT_TRUE(file) << sentence(file.error());
  const UserKernel& user = file->user;
  EXPECT_EQ(user.path, "/k/layernorm.cu");
  EXPECT_THAT(file->folders, ElementsAre("/k/common"));
  EXPECT_THAT(user.defines, ElementsAre(Pair("N", "768")));
  ASSERT_EQ(user.launches.size(), 1u);
  const UserLaunch& launch = user.launches[0];
  EXPECT_EQ(launch.entry, "layernorm<float>");
  EXPECT_EQ(launch.launch.grid.x, 64);
  EXPECT_EQ(launch.launch.block.x, 256);
  EXPECT_EQ(launch.launch.dynamic_shared_bytes, 3072);
  EXPECT_THAT(user.buffers,
              ElementsAre(Pair("out", "f32[8192]:unset"), Pair("inp", "f32:@/k/inp.npy")));
  EXPECT_THAT(launch.arguments,
              ElementsAre("&out", "&inp", "f32:1e-5", "i32:128",
                          "struct:{f32:1,f32:2,f32:0.5,f32:4}", "struct:{&inp,i32:128}"));
  EXPECT_THAT(launch.variables, ElementsAre("table=@/k/table.npy", "scale=f32:64"));
  ASSERT_EQ(user.outputs.size(), 1u);
  EXPECT_EQ(user.outputs[0].expected_file, "/k/out.npy");
  EXPECT_EQ(user.outputs[0].relative, 1e-5);
  EXPECT_EQ(user.outputs[0].count, 4);
}

TEST(LaunchFile, ItsValuesMayBeReplaced) {
  const Result<LaunchFile> file = parse_launch_file(kLayerNorm, "/k/launch.toml", {{"B", "8"}});
  ASSERT_TRUE(file) << sentence(file.error());
  EXPECT_EQ(file->user.launches[0].launch.grid.x, 8);
  EXPECT_EQ(file->user.buffers[0].second, "f32[128]:unset");
  const Result<LaunchFile> unknown = parse_launch_file(kLayerNorm, "/k/launch.toml", {{"D", "8"}});
  ASSERT_FALSE(unknown);
  EXPECT_THAT(sentence(unknown.error()), HasSubstr("has no value “D”"));
}

TEST(LaunchFile, AMistakeHasItsLineAndARemedy) {
  struct Mistake {
    const char* text;
    const char* said;
  };
  for (const Mistake& mistake : {
           Mistake{"grid = [1]\nblock = [1]\n", "no file with a kernel is named"},
           Mistake{"source = \"k.cu\"\ngrids = [1]\n", "grid"},
           Mistake{"source = \"k.cu\"\ngrid = [\"M\"]\n", "M"},
           Mistake{"source = \"k.cu\"\n[[argument]]\nname = \"x\"\n", "no number of elements"},
           Mistake{"source = \"k.cu\"\n[[argument]]\ncount = 4\nfill = \"twos\"\n",
                   "the fill must"},
           Mistake{"source = \"k.cu\"\n[[argument]]\nvalue = \"i32:x\"\n", "x"},
           Mistake{"source = \"k.cu\"\n[[argument]]\nvalue = 1\ntype = \"i32\"\ncount = 4\n",
                   "a value is passed as it is"},
           Mistake{"source = \"k.cu\"\n[[argument]]\ncount = 4\nprint = \"9:1\"\n", "0:16"},
       }) {
    const Result<LaunchFile> file = parse_launch_file(mistake.text, "/k/launch.toml");
    ASSERT_FALSE(file) << mistake.text;
    EXPECT_THAT(sentence(file.error()), HasSubstr(mistake.said)) << mistake.text;
  }
}

TEST(LaunchFile, PartsOfABufferAreNamedInBrackets) {
  EXPECT_EQ(printed_part("c[2:6]")->first, 2);
  EXPECT_EQ(printed_part("c[2:6]")->count, 4);
  EXPECT_EQ(printed_part("c[3]")->count, 1);
  EXPECT_EQ(printed_part("c")->count, 16);
  for (const char* wrong : {"", "[1]", "c[", "c[a]", "c[4:4]", "c[-1]", "c[1:2:3]"})
    EXPECT_FALSE(printed_part(wrong)) << wrong;
}

}  // namespace
}  // namespace warpscope
