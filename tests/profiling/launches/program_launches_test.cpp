// tests/profiling/launches/program_launches_test.cpp: a program's host code says what a trace job
// launches, and each guess is marked.
#include "profiling/launches/program_launches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpscope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

const char* const kTwoLaunches = R"(#include <vector>
__constant__ float table[4];
__global__ void square(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] * table[0];
}
template <typename T>
__global__ void add(const T* y, T* z, T bias, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = y[i] + bias;
}
int main() {
  const int n = 1000;
  float h[4] = {1, 1, 1, 1};
  cudaMemcpyToSymbol(table, h, sizeof(h));
  float *x, *y, *z;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&z, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  square<<<(n + 255) / 256, 256>>>(x, y, n);
  add<float><<<dim3(4, 1), dim3(16, 16)>>>(y, z, 0.5f, n);
}
)";

TEST(ProgramLaunches, TakesBuffersShapesAndValuesFromTheHostCode) {
  const ProgramLaunches read = program_launches(kTwoLaunches);
  EXPECT_THAT(read.buffers, ElementsAre(Pair("x", "f32[1000]:zero"), Pair("y", "f32[1000]:unset"),
                                        Pair("z", "f32[1000]:unset")));
  ASSERT_THAT(read.launches, SizeIs(2));
  EXPECT_EQ(read.launches[0].entry, "square");
  EXPECT_EQ(read.launches[0].launch.grid.x, 4);
  EXPECT_EQ(read.launches[0].launch.block.x, 256);
  EXPECT_THAT(read.launches[0].arguments, ElementsAre("&x", "&y", "i32:1000"));
  EXPECT_THAT(read.launches[0].variables, ElementsAre("table=f32[4]:one"));
  EXPECT_EQ(read.launches[0].line, 21);
  EXPECT_EQ(read.launches[1].entry, "add<float>");
  EXPECT_EQ(read.launches[1].launch.block.y, 16);
  EXPECT_THAT(read.launches[1].arguments, ElementsAre("&y", "&z", "f32:0.5", "i32:1000"));
}

TEST(ProgramLaunches, ALaunchFeedsALaterOneThatReadsWhatItWrites) {
  const ProgramLaunches read = program_launches(kTwoLaunches);
  EXPECT_TRUE(read.launches.at(0).feeds);
  EXPECT_FALSE(read.launches.at(1).feeds);
}

TEST(ProgramLaunches, AGuessIsMarkedAndAValueHasItsLine) {
  const ProgramLaunches read = program_launches(
      "__global__ void k(const float* x, float* y, int n) { y[threadIdx.x] = x[threadIdx.x] * n; "
      "}\n"
      "int main() {\n"
      "  float *x, *y;\n"
      "  cudaMalloc(&x, 128);\n"
      "  cudaMalloc(&y, size_of_the_moon());\n"
      "  k<<<1, 32>>>(x, y, 7);\n"
      "}\n");
  ASSERT_THAT(read.values, SizeIs(1));
  const auto find = [&](const std::string& what) {
    for (const ReadValue& value : read.values[0]) {
      if (value.what.find(what) == 0) return value;
    }
    ADD_FAILURE() << "no row for " << what;
    return ReadValue{};
  };
  EXPECT_FALSE(find("grid 1, block 32").guessed);
  EXPECT_EQ(find("grid 1, block 32").line, 6);
  EXPECT_EQ(find("x = f32[32]").line, 4);
  EXPECT_FALSE(find("x = f32[32]").guessed);
  EXPECT_TRUE(find("x begins as random").guessed);
  EXPECT_TRUE(find("y = f32[32]").guessed);
  EXPECT_THAT(read.guessed_sizes, ElementsAre("y"));
}

TEST(ProgramLaunches, AStructureByValueIsLaidOutMemberByMember) {
  const ProgramLaunches read = program_launches(
      "template <typename T> struct Span { T* at; int n; };\n"
      "struct Both { Span<const float> in; float2 pair; unsigned char flag; };\n"
      "__global__ void k(Both both, Span<float> out) { out.at[threadIdx.x] = both.in.at[0]; }\n"
      "int main() {\n"
      "  float *a, *b;\n"
      "  cudaMalloc(&a, 400);\n"
      "  cudaMalloc(&b, 256);\n"
      "  Both both;\n"
      "  both.in = {a, 100};\n"
      "  both.pair = make_float2(1.f, 2.f);\n"
      "  both.flag = 3;\n"
      "  k<<<2, 32>>>(both, Span<float>{b, 64});\n"
      "}\n");
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_THAT(
      read.launches[0].arguments,
      ElementsAre("struct:{struct:{&a,i32:100},struct:{f32:1,f32:2},u8:3}", "struct:{&b,i32:64}"));
}

TEST(ProgramLaunches, AMemberHasTheTypeThatTheTemplateGivesIt) {
  const ProgramLaunches read = program_launches(
      "template <typename T> struct Scaled { T factor; T* at; };\n"
      "__global__ void k(Scaled<double> x) { x.at[threadIdx.x] = x.factor; }\n"
      "int main() { double* a; cudaMalloc(&a, 800); k<<<1, 32>>>(Scaled<double>{0.5, a}); }\n");
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_THAT(read.launches[0].arguments, ElementsAre("struct:{f64:0.5,&a}"));
}

TEST(ProgramLaunches, APointerIntoABufferKeepsItsPlace) {
  const ProgramLaunches read = program_launches(
      "__global__ void k(double* x) { x[threadIdx.x] = 1; }\n"
      "int main() { double* x; cudaMalloc(&x, 80 * sizeof(double)); k<<<1, 16>>>(x + 48); }\n");
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_THAT(read.launches[0].arguments, ElementsAre("&x+384"));
}

TEST(ProgramLaunches, AKernelThatIsNotLaunchedHasDefaultsAndSaysSo) {
  const ProgramLaunches read = program_launches(
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = 2 * x[i];\n}\n");
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_EQ(read.launches[0].launch.grid.x, 16);
  EXPECT_EQ(read.launches[0].launch.block.x, 256);
  EXPECT_THAT(read.launches[0].arguments, ElementsAre("&x", "&y", "i32:4096"));
  EXPECT_TRUE(read.values.at(0).at(0).guessed);
}

TEST(ProgramLaunches, NamesTheKernelsThatTheProgramDoesNotLaunch) {
  const std::string text = std::string(kTwoLaunches) + "__global__ void rest(int* a) { *a = 1; }\n";
  const ProgramLaunches read = program_launches(text);
  EXPECT_THAT(read.launches, SizeIs(2));
  ASSERT_THAT(read.others, SizeIs(1));
  EXPECT_THAT(read.others[0].what, HasSubstr("rest is not run"));
  EXPECT_EQ(program_launches(text, "rest").launches.at(0).entry, "rest");
  EXPECT_THAT(program_launches(text, "add").launches, SizeIs(1));
}

TEST(ProgramLaunches, PtxWithoutHostCodeGetsOneElementForEachOfItsSizes) {
  ListedKernel kernel;
  kernel.symbol = kernel.name = "k";
  kernel.parameters = {{".u64", "", 8, true}, {".u64", "", 8, true}, {".u32", "", 4, false}};
  kernel.required_block = {128, 1, 1};
  const ProgramLaunches read = listed_launches({kernel}, "ld.global.f32 %f1, [%rd1];\n");
  ASSERT_THAT(read.launches, SizeIs(1));
  EXPECT_EQ(read.launches[0].launch.block.x, 128);
  EXPECT_EQ(read.launches[0].launch.grid.x, 8);
  EXPECT_THAT(read.buffers, ElementsAre(Pair("argument_1", "f32[1000]:random"),
                                        Pair("argument_2", "f32[1000]:random")));
  EXPECT_THAT(read.launches[0].arguments, ElementsAre("&argument_1", "&argument_2", "i32:1000"));
}

TEST(ProgramLaunches, PtxDoesNotSayHowMuchDynamicSharedMemoryItsLaunchHas) {
  ListedKernel kernel;
  kernel.symbol = kernel.name = "k";
  kernel.parameters = {{".u64", "", 8, true}};
  const std::string entry = ".visible .entry k(.param .u64 k_param_0)\n{\nret;\n}\n";
  const auto sizes_of = [&](const std::string& ptx) {
    return listed_launches({kernel}, ptx).guessed_sizes;
  };
  EXPECT_THAT(sizes_of(entry), ElementsAre("argument_1"));
  EXPECT_THAT(sizes_of(".extern .shared .align 16 .b8 tile[];\n" + entry),
              UnorderedElementsAre("argument_1", "shared k 0"));
}

TEST(ProgramLaunches, AnElementMayUseConstantsBesideItsIndex) {
  const ProgramLaunches read = program_launches(
      "#define STRIDE 1000\n"
      "__global__ void k(int* x) { x[threadIdx.x] += 1; }\n"
      "int main() {\n"
      "  const int n = 5;\n"
      "  int *x, *host = new int[n];\n"
      "  for (int b = 0; b < n; b++) host[b] = b * STRIDE - n;\n"
      "  cudaMalloc(&x, n * sizeof(int));\n"
      "  cudaMemcpy(x, host, n * sizeof(int), cudaMemcpyHostToDevice);\n"
      "  k<<<1, n>>>(x);\n"
      "}\n");
  ASSERT_THAT(read.buffers, SizeIs(1));
  EXPECT_EQ(read.buffers[0].second, "i32[5]:=i * (1000) - (5)");
}

TEST(ProgramLaunches, ASizeMadeOfAGuessIsAGuess) {
  const ProgramLaunches read = program_launches(
      "__global__ void k(float* x, float* y) {\n"
      "  extern __shared__ float s[];\n  s[0] = x[0];\n  y[0] = s[0];\n}\n"
      "void run(int rows) {\n"
      "  const int columns = 64;\n  float *x, *y;\n"
      "  cudaMalloc(&x, rows * columns * sizeof(float));\n"
      "  cudaMalloc(&y, columns * sizeof(float));\n"
      "  k<<<1, 32, rows * sizeof(float)>>>(x, y);\n"
      "}\n");
  EXPECT_THAT(read.guessed_sizes, UnorderedElementsAre("x", "shared k 11"));
}

}  // namespace
}  // namespace warpscope
