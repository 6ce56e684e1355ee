// tests/workbench/commands/sass_command_test.cpp: machine code with its figures, by the real
// program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/folders.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class SassCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("warpscope-sass-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    const WarpscopeRun one = run_warpscope("sass patterns/copy n=1024");
    if (one.said.find("nvdisasm") != std::string::npos || one.status == 3) GTEST_SKIP() << one.said;
  }
  void TearDown() override { fs::remove_all(folder_); }
  // A file that nvcc makes of a text; empty: there is no nvcc.
  std::string made(const std::string& name, const std::string& text, const std::string& options) {
    if (!fs::exists(toolkit_nvcc())) return "";
    std::ofstream(folder_ / "k.cu") << text;
    const std::string command = "cd " + folder_.string() + " && " + toolkit_nvcc() +
                                " -lineinfo k.cu " + options + " -o " + name + " > log 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

constexpr const char* kTwice =
    "extern \"C\" __global__ void twice(float* x, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) x[i] = 2 * x[i];\n"
    "}\n";

TEST_F(SassCommand, EndsWithOneIfTheKernelReadsBeyondItsArray) {
  std::ofstream(folder_ / "k.cu") << kTwice;
  const std::string command = "sass " + (folder_ / "k.cu").string() + " --grid 1 --block 64 --arg ";
  const WarpscopeRun small = run_warpscope(command + "f32[32]:zero --arg i32:64");
  EXPECT_EQ(small.status, 1) << small.said;
  EXPECT_THAT(small.said, HasSubstr("k.cu:3"));
  const WarpscopeRun whole = run_warpscope(command + "f32[64]:zero --arg i32:64");
  EXPECT_EQ(whole.status, 0) << whole.said;
}

TEST_F(SassCommand, RefusesOptionsThatItWouldIgnore) {
  const WarpscopeRun json = run_warpscope("sass --diff patterns/copy patterns/copy --json");
  EXPECT_EQ(json.status, 2);
  EXPECT_THAT(json.said, HasSubstr("--diff is printed as text only"));
  const WarpscopeRun sample = run_warpscope("sass patterns/copy --grid --sample 1000");
  EXPECT_EQ(sample.status, 2);
  EXPECT_THAT(sample.said, HasSubstr("give one of the two"));
  const WarpscopeRun print = run_warpscope("sass patterns/copy --print x[0:4]");
  EXPECT_EQ(print.status, 2);
  EXPECT_THAT(print.said, HasSubstr("are for a kernel of a file"));
  if (const std::string file = made("listed.cubin", kTwice, "-cubin -arch=sm_90"); !file.empty()) {
    const WarpscopeRun listed = run_warpscope("sass " + file + " --sample 1000");
    EXPECT_EQ(listed.status, 2);
    EXPECT_THAT(listed.said, HasSubstr("is listed and does not run"));
  }
}

// 1024 elements are 32 warps that load 4 sectors each and store as many.
TEST_F(SassCommand, GivesEachInstructionItsFigures) {
  const WarpscopeRun run =
      run_warpscope("sass patterns/copy n=1024 --grid --csv " + (folder_ / "c.csv").string());
  EXPECT_EQ(run.status, 0) << run.said;
  EXPECT_THAT(run.said, HasSubstr("as SASS of sm_90"));
  EXPECT_THAT(run.said,
              ContainsRegex("executed +threads +requests +sectors +wavefronts +pipe +live"));
  EXPECT_THAT(run.said,
              ContainsRegex(" 32 +1024 +32 +128 +LSU[ 0-9]* copy\\.cu:[0-9]+ +.*LDG\\.E"));
  EXPECT_THAT(run.said,
              ContainsRegex(" 32 +1024 +32 +128 +LSU[ 0-9]* copy\\.cu:[0-9]+ +.*STG\\.E"));
  EXPECT_TRUE(fs::exists(folder_ / "c.csv"));
  const WarpscopeRun json = run_warpscope("sass patterns/copy n=1024 --grid --json");
  const nlohmann::json trace = nlohmann::json::parse(json.said);
  EXPECT_EQ(trace["machine_code"]["compute_capability"], 90);
  EXPECT_GT(trace["machine_code"]["rows"].size(), 8u);
}

TEST_F(SassCommand, PutsTwoKernelsBesideEachOther) {
  const WarpscopeRun same = run_warpscope("sass --diff patterns/copy patterns/copy n=1024");
  EXPECT_EQ(same.status, 0) << same.said;
  EXPECT_THAT(same.said, HasSubstr("the same opcodes, executed as often"));
  const WarpscopeRun other =
      run_warpscope("sass --diff csrmm/warp_row_shuffle csrmm/float4_columns");
  EXPECT_EQ(other.status, 0) << other.said;
  EXPECT_THAT(other.said, ContainsRegex("LDG\\.E\\.128[A-Z.]* +0 +[1-9]"));
}

TEST_F(SassCommand, ListsACubinAndRunsItsLaunch) {
  const std::string file = made("k.cubin", kTwice, "-cubin -arch=sm_90");
  if (file.empty()) GTEST_SKIP() << "there is no nvcc";
  const WarpscopeRun listed = run_warpscope("sass " + file);
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("twice: SASS of sm_90, not run"));
  EXPECT_THAT(listed.said, ContainsRegex("k\\.cu:3 +.*STG\\.E"));
  EXPECT_THAT(listed.said, Not(HasSubstr("executed")));
  const std::string launch =
      file + " --kernel twice --grid 2 --block 64 --arg x=f32[128]:iota --arg i32:128";
  const WarpscopeRun run = run_warpscope("sass " + launch);
  EXPECT_EQ(run.status, 0) << run.said;
  EXPECT_THAT(run.said, ContainsRegex(" 4 +128 +4 +16 +LSU[ 0-9]* k\\.cu:3 +.*LDG\\.E"));
  const WarpscopeRun traced = run_warpscope("trace " + launch + " --print x[126:128]");
  EXPECT_EQ(traced.status, 0) << traced.said;
  EXPECT_THAT(traced.said, HasSubstr("as SASS of sm_90"));
  EXPECT_THAT(traced.said, HasSubstr("254"));
}

constexpr const char* kTwoKernels =
    "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void thrice(float* x) { x[threadIdx.x] *= 3; }\n"
    "int main() {\n"
    "  float* x;\n"
    "  cudaMalloc(&x, 128);\n"
    "  twice<<<1, 32>>>(x);\n"
    "  thrice<<<1, 32>>>(x);\n"
    "}\n";

TEST_F(SassCommand, WritesSeveralKernelsIntoOneTable) {
  std::ofstream(folder_ / "two.cu") << kTwoKernels;
  const std::string csv = (folder_ / "two.csv").string();
  const WarpscopeRun run = run_warpscope("sass " + (folder_ / "two.cu").string() + " --csv " + csv);
  EXPECT_EQ(run.status, 0) << run.said;
  std::ifstream file(csv);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text.find("kernel,offset,"), 0u);
  EXPECT_EQ(text.rfind("kernel,offset,"), 0u) << "one header";
  EXPECT_THAT(text, HasSubstr("\n\"twice\",\"0000\","));
  EXPECT_THAT(text, HasSubstr("\n\"thrice\",\"0000\","));
}

TEST_F(SassCommand, PrintsAListingAsJsonWithItsRegistersInUse) {
  const std::string file = made("json.cubin", kTwice, "-cubin -arch=sm_90");
  if (file.empty()) GTEST_SKIP() << "there is no nvcc";
  const WarpscopeRun run = run_warpscope("sass " + file + " --json");
  EXPECT_EQ(run.status, 0) << run.said;
  const nlohmann::json object = nlohmann::json::parse(run.said, nullptr, false);
  ASSERT_TRUE(object.is_object()) << run.said;
  EXPECT_EQ(object["type"], "sass");
  EXPECT_EQ(object["kernel"], "twice");
  // The store reads an address of two registers, and a value.
  for (const nlohmann::json& row : object["rows"]) {
    const std::string text = row["instruction"];
    if (text.find("STG.E") == std::string::npos) continue;
    EXPECT_GE(row["live"], 3) << row;
  }
}

TEST_F(SassCommand, PrintsOutputsOfAFileAndEndsWithOneIfTheyDiffer) {
  std::ofstream(folder_ / "out.cu") << kTwice;
  const std::string command = "sass " + (folder_ / "out.cu").string() +
                              " --grid 1 --block 32 --arg x=f32[32]:iota --arg i32:32 ";
  const WarpscopeRun printed = run_warpscope(command + "--print x[30:32]");
  EXPECT_EQ(printed.status, 0) << printed.said;
  EXPECT_THAT(printed.said, HasSubstr("60"));
  EXPECT_THAT(printed.said, HasSubstr("62"));
  const std::string raw = (folder_ / "expected.raw").string();
  std::ofstream(raw, std::ios::binary) << std::string(128, '\0');
  const WarpscopeRun wrong = run_warpscope(command + "--expect x=" + raw);
  EXPECT_EQ(wrong.status, 1) << wrong.said;
  EXPECT_THAT(wrong.said, HasSubstr("wrong: "));
  const WarpscopeRun part = run_warpscope(command + "--print x[30:32] --sample 1000");
  EXPECT_EQ(part.status, 2);
  EXPECT_THAT(part.said, HasSubstr("a file's kernel runs with all its blocks"));
}

TEST_F(SassCommand, ListsOtherArchitectures) {
  const std::string file = made("k80.cubin", kTwice, "-cubin -arch=sm_80");
  if (file.empty()) GTEST_SKIP() << "there is no nvcc";
  const WarpscopeRun listed = run_warpscope("sass " + file);
  EXPECT_EQ(listed.status, 0) << listed.said;
  EXPECT_THAT(listed.said, HasSubstr("twice: SASS of sm_80, not run"));
  const WarpscopeRun run =
      run_warpscope("sass " + file + " --grid 2 --block 64 --arg f32[128]:iota --arg i32:128");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.said, HasSubstr("as SASS of sm_80, not checked on hardware"));
  const std::string later = made("k120.cubin", kTwice, "-cubin -arch=sm_120");
  const WarpscopeRun run_later =
      run_warpscope("sass " + later +
                    " --grid 2 --block 64 --arg x=f32[128]:iota --arg i32:128 --print x[63:66]");
  EXPECT_EQ(run_later.status, 0) << run_later.said;
  EXPECT_THAT(run_later.said, HasSubstr("as SASS of sm_120, not checked on hardware"));
  EXPECT_THAT(run_later.said, HasSubstr("128"));  // twice 64: in the second block
  const std::string unknown = made("k110.cubin", kTwice, "-cubin -arch=sm_110");
  const WarpscopeRun refused =
      run_warpscope("sass " + unknown + " --grid 2 --block 64 --arg f32[128]:iota --arg i32:128");
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.said, HasSubstr("sm_90"));
}

TEST_F(SassCommand, RefusesNvidiasLibraries) {
  const std::string file = (folder_ / "libcublas.so.13").string();
  std::ofstream(file) << "x";
  const WarpscopeRun run = run_warpscope("sass " + file);
  EXPECT_EQ(run.status, 2) << run.said;
  EXPECT_THAT(run.said, HasSubstr("is cuBLAS, which NVIDIA's terms forbid to disassemble"));
}

TEST_F(SassCommand, WantsOneNameOrTwo) {
  for (const char* words : {"sass", "sass patterns/copy --diff patterns/copy patterns/copy"}) {
    const WarpscopeRun run = run_warpscope(words);
    EXPECT_EQ(run.status, 2) << run.said;
    EXPECT_THAT(run.said, HasSubstr("--diff A B"));
  }
}

}  // namespace
}  // namespace warpscope
