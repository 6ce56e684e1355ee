// tests/workbench/commands/argument_status_test.cpp: what commands answer to arguments that mean
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/workbench/commands/command_line.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// With a fake engine: where an argument is refused only by the engine, the test of `trace` has it.
class ArgumentStatus : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    write("k.cu", "extern \"C\" __global__ void k(float* x) { x[0] = 1; }\n");
  }
  void expect_refused(const std::string& arguments, const std::vector<std::string>& words) const {
    expect_statuses({{arguments,
                      2,
                      words,
                      {"terminate", "bug in Warpscope"},
                      "WARPSCOPE_ENGINE=" + fake_engine() + " FAKE_ENGINE_MODE=good"}});
  }
};

TEST_F(ArgumentStatus, IsTwoForKernelArgumentsThatDoNotFit) {
  const std::string trace = "trace --source {folder}/k.cu --kernel k --arg ";
  expect_refused(trace + "u8:300", {"“300” does not fit u8", "0 to 255"});
  expect_refused(trace + "u8:-1", {"“-1” does not fit u8"});
  expect_refused(trace + "i32:2.5", {"“2.5” is not a whole number"});
  expect_refused(trace + "i32:2147483648", {"does not fit i32"});
  expect_refused(trace + "i64:9223372036854775808", {"does not fit i64"});
  expect_refused(trace + "f32:1e60", {"“1e60” is larger than f32 can represent"});
  expect_refused(trace + "f32:1e-60", {"“1e-60” is nearer to zero than f32 can represent"});
  expect_refused(trace + "f32:nan", {"“nan” is not a number"});
  expect_refused(trace + "f16:1", {"cannot have a 16-bit floating type"});
  expect_refused(trace + "'f32[1e12]:random'", {"not a number from 0 to 17179869184"});
  expect_refused(trace + "'f32[-1]'", {"not a number from 0"});
  expect_refused(trace + "'f32[18446744073709551617]'", {"not a number from 0"});
  expect_refused(trace + "'u8[68719476736]' --arg 'u8[1]'", {"more than 64 GiB together"});
  expect_refused(trace + "x", {"is not an element type"});
}

TEST_F(ArgumentStatus, IsTwoForLaunchesThatNoDeviceTakes) {
  const std::string trace = "trace --source {folder}/k.cu --kernel k --arg 'f32[4]' ";
  expect_refused(trace + "--grid 0", {"“0” is not a launch shape"});
  expect_refused(trace + "--grid=-1", {"“-1” is not a launch shape"});
  expect_refused(trace + "--grid 1,2,3,4", {"is not a launch shape"});
  expect_refused(trace + "--grid 99999999999999999999", {"is not a launch shape"});
  expect_refused(trace + "--grid 2147483648", {"1 to 2147483647 blocks in x"});
  expect_refused(trace + "--grid 9223372036854775807,9223372036854775807", {"blocks in x"});
  expect_refused(trace + "--grid 1,65536", {"65535 in y and z"});
  expect_refused(trace + "--block 1025", {"1 to 1024 threads"});
  expect_refused(trace + "--block 1024,1024,64", {"1 to 1024 threads"});
  expect_refused(trace + "--block 1,1,65", {"at most 64 in z"});
  expect_refused(trace + "--block 9223372036854775807,2", {"1 to 1024 threads"});
  expect_refused(trace + "--warp 99999", {"there is no warp 99999", "1 warps: write 0 to 0"});
  expect_refused(trace + "--block 64 --warp 2", {"there is no warp 2", "write 0 to 1"});
  expect_refused(trace + "--warp 99999999999", {"99999999999"});
  expect_refused(trace + "--shared -1", {"--shared"});
  expect_refused(trace + "--shared 99999999999999999999", {"--shared"});
}

TEST_F(ArgumentStatus, IsTwoForSourcesThatCannotBeRead) {
  ASSERT_EQ(std::system(("mkfifo " + path("pipe")).c_str()), 0);
  const std::string trace = "trace --kernel k --arg 'f32[4]' --source ";
  expect_refused(trace + "{folder}/missing.cu", {"missing.cu: there is no such file"});
  expect_refused(trace + "{folder}", {"this is a folder, not a file"});
  expect_refused(trace + "{folder}/pipe", {"this is not a regular file but a pipe"});
  expect_refused(trace + "/dev/zero", {"this is not a regular file"});
  expect_refused(trace + "{folder}/k.cu --flags '-ccbin x'",
                 {"-ccbin: this option is not passed to the compiler"});
  expect_refused(trace + "{folder}/k.cu --set table=f99[4]", {"f99"});
  expect_refused("trace csrmm/warp_row --source {folder}/k.cu",
                 {"name exactly one thing to trace"});
}

TEST_F(ArgumentStatus, IsTwoForSizesAndScalesOfNothing) {
  for (const char* size :
       {"0x0", "100x100", "100000x100000", "16384x16384", "1600", "1600x", "x900", "1600x900x",
        "1600x900 ", "-1600x900", "99999999999x900", "nanxnan"}) {
    expect_refused("render {session} --out {folder}/a.png --size '" + std::string(size) + "'",
                   {"is not a size", "1600x900"});
  }
  for (const char* scale : {"nan", "inf", "-1", "0", "0.4", "4.1", "1e99", "x"}) {
    expect_refused("render {session} --out {folder}/a.png --scale " + std::string(scale),
                   {"--scale"});
    expect_refused("play {folder}/missing.json --scale " + std::string(scale), {"--scale"});
  }
  EXPECT_FALSE(fs::exists(path("a.png")));
}

TEST_F(ArgumentStatus, IsTwoForNumbersThatAreNone) {
  for (const char* limit : {"nan", "0", "-1", "601", "1e999"})
    expect_refused("measure csrmm --time-limit " + std::string(limit), {"--time-limit"});
  for (const char* device : {"-1", "x", "1.5", "99999999999"})
    expect_refused("measure csrmm --device " + std::string(device), {"--device"});
  for (const char* n : {"nan", "-1", "99999999999999999999", "2.5", "1e99", ""})
    expect_refused("measure csrmm n=" + std::string(n), {"n"});
  for (const char* p : {"nan", "-0.1", "1.1", "inf"})
    expect_refused("measure csrmm p=" + std::string(p), {"p"});
  for (const char* range : {"1:2", "1:2:0", "1:2:-1", "2:1:nan", "1:65536:99999999999", ":::"})
    expect_refused("sweep csrmm n=" + std::string(range), {"n"});
  expect_refused("sweep csrmm n=1:60000:1000 m=1:60000:1000", {"more than 100000 points"});
}

TEST_F(ArgumentStatus, IsTwoForWordsThatNoCommandHas) {
  expect_refused("no-such-command", {"no-such-command"});
  expect_refused("render {session} --out {folder}/a.png --panel nothing", {"nothing"});
  expect_refused("render {session} --out {folder}/a.png --variant nothing", {"nothing"});
  expect_refused("render {session} --out {folder}/a.png --scene nothing", {"nothing"});
  expect_refused("render {session} --out {folder}/a.png --theme pink", {"--theme"});
  expect_refused("render {session} --out {folder}/a.png --pin nothing", {"nothing"});
  expect_refused("render {session} --out {folder}/a.png --pin k_tiles --pin k_tiles --pin k_tiles",
                 {"two points", "--pin"});
  expect_refused("render {session}", {"--out"});
  expect_refused("agree nobody --session {session}", {"nobody"});
  expect_refused("measure ''", {"scene", "it is empty"});
  expect_refused("measure csrmm/", {"csrmm"});
  expect_refused("measure csrmm --session", {"--session"});
}

// What was named by mistake is left as it was.
TEST_F(ArgumentStatus, IsTwoForSessionsThatAreNone) {
  ASSERT_EQ(std::system(("mkfifo " + path("pipe")).c_str()), 0);
  const std::string before = text_of(path("k.cu"));
  for (const std::string command :
       {"measure csrmm/float4_columns --session ", "sweep csrmm/float4_columns n=1,2 --session ",
        "verify csrmm/float4_columns --session ", "roofs --session ",
        "trace csrmm/float4_columns --session ", "--record "}) {
    expect_refused(command + "{folder}/k.cu", {"the file is not a session"});
    expect_refused(command + "{folder}", {"a session must be a file, but this is a folder"});
    expect_refused(command + "{folder}/pipe", {"a session must be a file, but this is a pipe"});
    expect_refused(command + "/dev/null", {"a session must be a file, but this is a device"});
  }
  EXPECT_EQ(text_of(path("k.cu")), before);
}

// A name must not take over the terminal of whoever reads a sentence about it.
TEST_F(ArgumentStatus, ShowsControlCharactersOfNames) {
  const std::string name = "$(printf 'a\\033[31mb\\r\\007')";
  for (const std::string& arguments :
       {"export \"" + name + "\" --csv {folder}/a.csv", "measure \"" + name + "\"",
        "measure csrmm \"" + name + "=1\"", "\"" + name + "\"", "list \"--" + name + "\"",
        "measure csrmm --counters \"" + name + "\"",
        "trace --source {folder}/k.cu --kernel k --arg \"" + name + "\""}) {
    expect_refused(arguments, {"\\x1b[31m"});
  }
  const Ran ran = run("measure \"" + name + "\"");
  EXPECT_THAT(ran.err, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace warpscope
