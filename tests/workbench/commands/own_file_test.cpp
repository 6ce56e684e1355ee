// tests/workbench/commands/own_file_test.cpp: files of a person's own, as their authors have them,
// listed and traced by the real programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/folders.h"
#include "tests/workbench/commands/run_warpscope.h"

namespace warpscope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Line 12 reads one element too far.
const char* const kProgram = R"(#include <cstdint>
#include <cstdio>
#include <vector>
__constant__ float weights[3];
namespace stencil {
template <typename T>
struct View { const T* at; int n; };
template <typename T, int B>
__global__ void blur(View<T> x, T* y) {
  __shared__ T tile[B + 2];
  const int i = blockIdx.x * B + threadIdx.x;
  if (i < x.n) tile[threadIdx.x] = x.at[i + 1];
  __syncthreads();
  if (i < x.n) y[i] = tile[threadIdx.x] * weights[0];
  if (i == 0) printf("weight %f\n", weights[0]);
}
}  // namespace stencil
__global__ void other(uint32_t* a) { *a = 1; }
int main() {
  std::vector<float> host(128);
  float* x; cudaMalloc(&x, 512);
  stencil::blur<float, 128><<<1, 128>>>(stencil::View<float>{x, 128}, x);
  other<<<1, 1>>>(nullptr);
}
)";

class OwnFile : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(built_program("warpscope-engine"))) GTEST_SKIP() << "the engine is not built";
    folder_ = fs::temp_directory_path() / ("warpscope-own-file-" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "kernels");
    program_ = write("kernels/blur.cu", kProgram);
    if (run_warpscope("kernels " + program_).status == 3) GTEST_SKIP() << "there is no nvcc here";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
  std::string program_;
};

TEST_F(OwnFile, KernelsListsWhatTheyTake) {
  const WarpscopeRun text = run_warpscope("kernels " + program_);
  EXPECT_EQ(text.status, 0) << text.said;
  EXPECT_THAT(text.said, HasSubstr("compiled by nvcc "));
  EXPECT_THAT(text.said, HasSubstr("stencil::blur<float, 128>\n  stencil::View<float> x, 16 bytes\n"
                                   "  float* y, 8 bytes\n  static shared memory: 520 bytes\n"));
  EXPECT_THAT(text.said, HasSubstr("other\n  unsigned int* a, 8 bytes\n"));
  const WarpscopeRun more =
      run_warpscope("kernels " + program_ + " --json --kernel 'stencil::blur<double, 32>'");
  // On a busy machine a line says before it that the compiler still works.
  const nlohmann::json list = nlohmann::json::parse(
      more.said.substr(std::min(more.said.find('{'), more.said.size())), nullptr, false);
  ASSERT_TRUE(list.is_object()) << more.said;
  ASSERT_EQ(list["kernels"].size(), 3u);
  EXPECT_EQ(list["kernels"][0]["parameters"][0]["bytes"], 16);
}

TEST_F(OwnFile, AProgramIsTracedAsItIs) {
  const std::string call = "trace --source " + program_ +
                           " --kernel 'blur<float,128>' --block 128 "
                           "--arg 'struct:{f32[128]:one,i32:128}' --arg 'f32[128]:unset' ";
  const WarpscopeRun ran = run_warpscope(call + "--set weights=f32[3]:one");
  EXPECT_EQ(ran.status, 1) << ran.said;
  EXPECT_THAT(ran.said, HasSubstr("blur.cu:12: ld.global"));
  EXPECT_THAT(ran.said, HasSubstr("argument 0 buffer 0[128], 4 bytes beyond"));
  EXPECT_THAT(ran.said, HasSubstr("weight 1.000000"));
  EXPECT_THAT(ran.said, HasSubstr("compiled by nvcc "));
  const WarpscopeRun unknown = run_warpscope(call + "--set weight=f32[3]:one");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.said, HasSubstr("there is no variable of this name; there are: weights"));
  const WarpscopeRun large = run_warpscope(call + "--set weights=f32[4]:one");
  EXPECT_THAT(large.said, HasSubstr("weights has 12 bytes, and 16 are given"));
  const WarpscopeRun small = run_warpscope("trace --source " + program_ +
                                           " --kernel blur --arg 'struct:{f32[128]:one}' --arg "
                                           "'f32[128]'");
  EXPECT_THAT(small.said, HasSubstr("parameter 1 (stencil::View<float>) has 16 bytes, and its "
                                    "argument 8"));
}

TEST_F(OwnFile, SeveralKernelsAreNamedWhereNoneIsChosen) {
  const WarpscopeRun ran = run_warpscope("trace --source " + program_);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.said, HasSubstr("several kernels:\n  stencil::blur<float, 128>("));
  EXPECT_THAT(ran.said, HasSubstr("\n  other(unsigned int* a)"));
}

TEST_F(OwnFile, AHeaderOutsideNeedsAGrantAndIsNotQuoted) {
  fs::create_directories(folder_ / "common");
  write("common/scale.h", "constexpr int a_secret_scale = SCALE + FACTOR;\n");
  const std::string file = write("kernels/scaled.cu",
                                 "#include <cstdio>\n#include \"../common/scale.h\"\n"
                                 "__global__ void k(int* a) { *a = a_secret_scale; }\n");
  const std::string call = "trace --source " + file + " --arg 'i32[1]' ";
  const WarpscopeRun refused = run_warpscope(call);
  EXPECT_EQ(refused.status, 2) << refused.said;
  EXPECT_THAT(refused.said, HasSubstr("-I " + (folder_ / "common").string()));
  EXPECT_THAT(refused.said, Not(HasSubstr("a_secret_scale = SCALE")));
  const WarpscopeRun allowed = run_warpscope(call + "-D SCALE=2 --flags '-I" +
                                             (folder_ / "common").string() + " -DFACTOR=3'");
  EXPECT_EQ(allowed.status, 0) << allowed.said;
  const WarpscopeRun flag = run_warpscope(call + "--flags '-ccbin /tmp/x'");
  EXPECT_EQ(flag.status, 2);
  EXPECT_THAT(flag.said, HasSubstr("-ccbin: this option is not passed to the compiler"));
}

// Two kernels as a compiler of another language writes them. The second has an instruction that
// nobody knows, which concerns the first in no way.
TEST_F(OwnFile, PtxOfAnotherLanguageNamesItsLines) {
  const std::string ptx = write("kernels/add.ptx", R"(//
// Generated by some compiler
//
.version 8.7
.target sm_90a
.address_size 64
.visible .entry add_one(
	.param .u64 .ptr .global .align 1 add_one_param_0,
	.param .u32 add_one_param_1
)
.reqntid 32
{
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	.loc	1 5 0
	ld.param.b64 %rd1, [add_one_param_0];
	mov.u32 %r1, %tid.x;
	.loc	1 7 3
	mul.wide.u32 %rd2, %r1, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.b32 %r2, [%rd3];
	.loc	1 8 3
	add.s32 %r3, %r2, 1;
	st.global.b32 [%rd3], %r3;
	ret;
}
.visible .entry strange(
	.param .u64 strange_param_0
)
{
	.loc	1 11 0
	frobnicate.all.u32 %r1, ?;
	ret;
}
	.file	1 "/builds/elsewhere/add.py"
)");
  const std::string call = "trace --source " + ptx + " --block 32 --kernel ";
  const WarpscopeRun first = run_warpscope(call + "add_one --arg 'f32[31]' --arg i32:31");
  EXPECT_EQ(first.status, 1) << first.said;
  EXPECT_THAT(
      first.said,
      HasSubstr("invalid address, at add.py:7\n   /builds/elsewhere/add.py:7: ld.global.b32"));
  write("kernels/add.py", "# a file\n");
  const WarpscopeRun beside = run_warpscope(call + "add_one --arg 'f32[32]' --arg i32:32");
  EXPECT_EQ(beside.status, 0) << beside.said;
  EXPECT_THAT(beside.said, HasSubstr((folder_ / "kernels/add.py").string() + "\n"));
  EXPECT_THAT(beside.said, HasSubstr("add.py:8 "));
  const WarpscopeRun second = run_warpscope(call + "strange --arg 'f32[32]'");
  EXPECT_EQ(second.status, 3) << second.said;
  EXPECT_THAT(second.said, HasSubstr("add.py:11"));
  const WarpscopeRun list = run_warpscope("kernels " + ptx);
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.said, HasSubstr("add.ptx: PTX, 2 kernels\nadd_one\n  u64, 8 bytes, a pointer\n"
                                   "  u32, 4 bytes\n  block: (32, 1, 1), no other\n"));
}

// What `new` makes a scene of may be a program, too.
TEST_F(OwnFile, AFolderMayHoldAProgram) {
  write("kernels/twice.cu",
        "#include <cstdio>\n#include <vector>\n"
        "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
        "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = 2 * x[i];\n"
        "}\n"
        "int main() {\n"
        "  float *x, *y;\n"
        "  cudaMalloc(&x, 36);\n"
        "  cudaMalloc(&y, 36);\n"
        "  std::vector<float> h(9);\n"
        "  twice<<<1, 32>>>(x, y, 9);\n"
        "}\n");
  const std::string folder = (folder_ / "kernels").string();
  const WarpscopeRun made = run_warpscope("new twice.cu", "cd " + folder + " && ");
  EXPECT_EQ(made.status, 0) << made.said;
  EXPECT_THAT(made.said, HasSubstr("it ran, but the scene has no reference"));
  const WarpscopeRun registers = run_warpscope("registers " + folder + "/twice --arch 80,90");
  EXPECT_EQ(registers.status, 0) << registers.said;
  EXPECT_THAT(registers.said, HasSubstr("sm_80   1"));
  EXPECT_THAT(registers.said, Not(HasSubstr("does not compile")));
}

TEST_F(OwnFile, ProgramsAndTextsWithoutKernelsAreASentence) {
  const WarpscopeRun elf = run_warpscope("trace --source " + built_program("warpscope-engine"));
  EXPECT_EQ(elf.status, 2);
  EXPECT_THAT(elf.said, HasSubstr("this file has no GPU code"));
  const std::string file =
      write("kernels/template.cu", "#include <cstdio>\ntemplate <int N> __global__ void k() {}\n");
  const WarpscopeRun none = run_warpscope("trace --source " + file);
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.said, HasSubstr("a template is compiled where it is used"));
  EXPECT_EQ(run_warpscope("kernels " + file).status, 2);
  EXPECT_EQ(run_warpscope("trace --kernel 'k<3>' --source " + file).status, 0);
}

TEST_F(OwnFile, WhatIsNotTextIsASentenceAndNotCompiled) {
  const std::string assets = (source_folder() / "assets").string();
  const std::string packed = assets + "/sessions/h200-patterns.wsj.gz",
                    capture = assets + "/examples/captured_norm/norm.wcap";
  for (const std::string& command : {"kernels " + packed, "trace --source " + packed}) {
    const WarpscopeRun ran = run_warpscope(command);
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.said, HasSubstr("the file is not text, so it has no kernels")) << command;
    EXPECT_EQ(std::count(ran.said.begin(), ran.said.end(), '\n'), 1) << ran.said.substr(0, 500);
  }
  const WarpscopeRun captured = run_warpscope("kernels " + capture);
  EXPECT_EQ(captured.status, 2);
  EXPECT_THAT(captured.said, HasSubstr("it is a captured launch"));
}

}  // namespace
}  // namespace warpscope
