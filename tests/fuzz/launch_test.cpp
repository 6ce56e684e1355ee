// tests/fuzz/launch_test.cpp: no launch file, argument or kernel text, however broken, throws,
// crashes or ends without a sentence.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/launches/device_part.h"
#include "profiling/launches/launch_file.h"
#include "scenes/base/user_argument.h"
#include "tests/fuzz/mutation.h"

namespace warpscope {
namespace {

const std::string kLaunch = R"toml(source = "k.cu"
kernel = "k<float>"
include = ["../common"]
define = ["N=768"]
grid = ["ceil_div(n, 256)", 2]
block = [256]
shared = "4 * n"
[let]
n = 1000
[[argument]]
name = "begins"
type = "i32"
fill = "csr indptr rows=n columns=20 density=1/4 seed=3"
[[argument]]
name = "x"
type = "f32"
count = "n * 2"
fill = "range 0:10"
expect = "x.npy"
print = "0:16"
[[argument]]
name = "by_value"
value = "struct:{f32:1.5,u64:18446744073709551615,x}"
[constant]
table = "table.npy"
)toml";

void expect_explained(const Error& error, const std::string& text) {
  EXPECT_FALSE(error.what.empty()) << text;
  EXPECT_FALSE(error.remedy.empty()) << sentence(error) << "\n" << text;
}

TEST(FuzzLaunches, AnyLaunchFileIsReadOrIsExplained) {
  const std::vector<std::string> words = {
      "[",  "]",  "[[argument]]\n", "\"",       "=",    "n", "csr ", "rows=", "1e99",
      "-1", "\n", "fill = ",        "value = ", "\xff", "@", "{",    ","};
  for_mutations({kLaunch}, words, [](const std::string& text) {
    const Result<LaunchFile> read = parse_launch_file(text, "/nowhere/launch.toml");
    if (!read) return expect_explained(read.error(), text);
    EXPECT_FALSE(read->user.launches.empty()) << text;
  });
}

TEST(FuzzLaunches, AnyWordsAreAnArgumentOrAreExplained) {
  const std::vector<std::string> seeds = {"f32[1024]:random",
                                          "u64:18446744073709551615",
                                          "i32[]:csr indices rows=30 columns=9 density=0.5",
                                          "struct:{f32[64]:random,struct:{i32:64,u8:1}}",
                                          "bytes:0x0700",
                                          "&x+64",
                                          "f16[8]:range 0:4:0.5",
                                          "f32:@x.bin",
                                          "@x.npy",
                                          "u8[16]:0xff",
                                          "f64[7]:=2*i"};
  const std::vector<std::string> words = {
      ":", "[",  "]",   "{",      "}", ",", "csr ",        "rows=", "1e9",
      "-", "0x", "u64", "random", " ", "=", "99999999999", "\xff",  "density="};
  for_mutations(seeds, words, [](const std::string& text) {
    const Result<UserArgument> read = parse_user_argument(text, 1 << 20);
    if (!read) return expect_explained(read.error(), text);
    if (read->buffer && read->file.empty() && read->count >= 0 && !read->fill.starts_with('=')) {
      EXPECT_EQ(filled(*read, 1).count(), read->count) << text;
    }
  });
}

TEST(FuzzLaunches, AnyTextHasADevicePartOfItsLength) {
  const std::vector<std::string> seeds = {
      "#include <torch/extension.h>\nnamespace a { __global__ void k(int* x) { x[0] = '}'; } }\n"
      "template <typename T> void f(T x) { k<<<1, 1>>>(x); /* } */ }\nint g = {1};\n"
      "extern \"C\" { struct S { int a; }; }\n#define M(x) { x\nint main() { return R\"a(})a\"[0]; "
      "}\n"};
  const std::vector<std::string> words = {
      "{", "}",    "(",    ")", "\"",         "'",       "/*",         "*/", "//",
      "#", "\\\n", "R\"(", ";", "template <", "extern ", "namespace ", "="};
  for_mutations(seeds, words, [](const std::string& text) {
    EXPECT_EQ(device_part(text, {"torch/extension.h"}).size(), text.size()) << text;
  });
}

}  // namespace
}  // namespace warpscope
